from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.ask.answer_format import read_format
from quire.ask.json_schema import check_schema, refuse_unusable
from quire.errors import AnswerFormatError


@pytest.mark.parametrize(
    ("words", "kind", "elements"),
    [
        ("Your answer should be a Python string.", "str", []),
        ("Your answer should be a python strings.", "str", []),
        ("int", "int", []),
        ("a single float rounded to 2 decimals", "float", []),
        ("Your answer should be a floating point number.", "float", []),
        ("Your answer should be an integer number.", "int", []),
        ("a list of integers", "list", ["int", "int"]),
        ("a list of two strings", "list", ["str", "str"]),
        ("a list of a string and a float", "list", ["str", "float"]),
        ("Your answer should be a Python string list.", "list", ["any", "any"]),
        ("a list of 2 elements, the first is a string, the second is the number", "list", ["str", "float"]),
        (
            "a Python list. The first element is an integer. The second one is a list of floats.",
            "list",
            ["int", "list"],
        ),
        ("a list of four strings, the last element is an integer", "list", ["str", "str", "str", "int"]),
        ("a Python bool, True or False", "bool", []),
        ("a JSON object with the keys a and b", "dict", []),
        ("The method and the number of its layers.", "any", []),
        ("Answer briefly, e.g. an integer.", "any", []),
        ("", "any", []),
    ],
)
def test_words_are_read(words: str, kind: str, elements: list[str]) -> None:
    form = read_format(words).form
    assert form.kind == kind
    assert [form.element(place, len(elements)).kind for place in range(len(elements))] == elements


@pytest.mark.parametrize(
    ("words", "given", "value"),
    [
        ("int", "42", 42),
        ("int", 42.0, 42),
        ("float", "\u22123.5", -3.5),
        ("bool", "Yes", True),
        ("bool", "false", False),
        ("list of strings", "['a', 'b']", ["a", "b"]),
        ("list of ints", [1, "2"], [1, 2]),
        ("a list of a string and a float", ["7", "96.9"], ["7", 96.9]),
        ("dict", '{"a": 1}', {"a": 1}),
        ("list", '["\\frac{a}{b}"]', ["\\frac{a}{b}"]),
    ],
)
def test_values_are_converted_where_nothing_is_lost(words: str, given: Any, value: Any) -> None:
    found = read_format(words).coerce(given)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ("a list of a string and a float", ["Reflexion+LDB(GPT-4)", 96.9]),
        (
            "Your answer should be a python list of two elements, the first a float, the second a string.",
            ["ELECTRA", 96],
        ),
        ("a list of floats", ["58.06%", "1,5", "n/a"]),
        ("a list of lists of strings", [["a", ["b"]], ["1"]]),
        ("float", "58.06%"),
        ("float", "1,5"),
        ("float", "8.9 \u00b1 1.6"),
        ("float rounded to 1 decimal", 3.14159),
        ("float", 4),
        ("int", 2.5),
        ("string", 5),
        ("string", " two  blanks "),
        ("string", ["a"]),
        ("list", "a"),
        ("The number, or the model if there is none.", "ELECTRA"),
        ("Your answer should be the number of layers or a string.", "ELECTRA"),
        ("A model, e.g.: 'A' or 'B'", "C"),
        ('either "Yes" or "No"', "yes."),
        ("", {"a": [1]}),
    ],
)
def test_other_values_are_passed_through_as_they_are(words: str, given: Any) -> None:
    found = read_format(words).coerce(given)
    assert (repr(found), type(found)) == (repr(given), type(given))


@pytest.mark.parametrize(
    ("words", "given", "said"),
    [
        ("int", "many", "must be a whole number, not 'many'"),
        ("int", True, "must be a whole number"),
        ("float", "nan", "must be a number"),
        ("bool", "perhaps", "true or false"),
        ("dict", [1], "object"),
        ("list", {"a": 1}, "must be a list"),
        ("list", 3, "must be a list"),
        ('either "Yes" or "No"', "maybe", "one of Yes, No"),
        ("int", "9" * 400, "whole number"),
        ("int", int("9" * 400), "too large"),
        ("", [1, [float("inf")]], "not finite"),
        ("float", float("nan"), "not finite"),
        ("list", {"a": [1e999]}, "not finite"),
        ("", json.loads("[" * 60 + "]" * 60), "deeper than 50"),
        ("", "x" * 100_001, "longer than"),
    ],
)
def test_what_cannot_be_meant_is_refused(words: str, given: Any, said: str) -> None:
    with pytest.raises(AnswerFormatError, match=said):
        read_format(words).coerce(given)


def test_a_text_that_is_no_literal_stays_a_text() -> None:
    assert read_format("dict").coerce("[" * 9000) == "[" * 9000


def test_a_schema_is_checked() -> None:
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string", "minLength": 2}, "n": {"type": "integer", "maximum": 9}},
        "required": ["name"],
        "additionalProperties": False,
    }
    form = read_format(schema=schema)
    assert form.coerce({"name": "ab", "n": 3}) == {"name": "ab", "n": 3}
    assert form.coerce('{"name": "ab", "n": "3"}') == {"name": "ab", "n": 3}
    for wrong, said in (
        ({}, "'name' is a required property"),
        ({"name": "a"}, r"\['name'\]: 'a' is too short"),
        ({"name": "ab", "n": 10}, "greater than the maximum"),
        ({"name": "ab", "n": 1.5}, "not of type 'integer'"),
        ({"name": "ab", "n": "many"}, "not of type 'integer'"),
        ({"name": "ab", "x": 1}, "'x' was unexpected"),
    ):
        with pytest.raises(AnswerFormatError, match=said):
            form.coerce(wrong)


@pytest.mark.parametrize(
    ("value", "schema", "said"),
    [
        ([1, "a"], {"type": "array", "items": {"type": "integer"}}, "the answer[1]"),
        ("c", {"enum": ["a", "b"]}, "not one of"),
        (2, {"const": 1}, "1 was expected"),
        (None, {"type": ["string", "null"]}, ""),
        (True, {"type": "number"}, "not of type 'number'"),
    ],
)
def test_schema_problems_in_words(value: Any, schema: dict[str, Any], said: str) -> None:
    problem = check_schema(value, schema)
    assert said in problem
    assert bool(problem) == bool(said)


def doubling(levels: int, last: Any) -> dict[str, Any]:
    """A schema of so many levels, each of which is looked at twice by the one before it."""
    names = [{"$ref": f"#/$defs/d{number + 1}"} for number in range(levels)]
    defs: dict[str, Any] = {f"d{number}": {"allOf": [name, name]} for number, name in enumerate(names)}
    return {"$defs": {**defs, f"d{levels}": last}, "$ref": "#/$defs/d0"}


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(levels):
        schema = {"items": schema}
    return schema


@pytest.mark.parametrize(
    "schema",
    [
        doubling(16, {"type": "string"}),
        doubling(30, {}),
        deep(900),
        {"properties": {str(number): {} for number in range(2000)}},
        {"enum": ["x" * 30_000]},
        {"type": 5},
        {"$ref": "http://127.0.0.1:1/schema.json"},
        {"properties": {"a": {"$ref": "file:///etc/passwd"}}},
        {"allOf": [{"$ref": "#"}]},
        {"$ref": "#/$defs/none"},
        {"title": "a", "$ref": "#/title/0"},
        {"required": "a"},
        {"$id": "http://[::1", "$ref": "#a"},
    ],
)
def test_a_schema_that_could_not_be_checked_soon_is_refused(schema: dict[str, Any]) -> None:
    begun = time.process_time()
    with pytest.raises(AnswerFormatError, match="schema"):
        refuse_unusable(schema)
    assert time.process_time() - begun < 1.0


def test_a_foreign_schema_fetches_nothing_and_takes_no_time() -> None:
    begun = time.process_time()
    assert check_schema("x", {"$ref": "http://127.0.0.1:1/schema.json"})
    assert check_schema("a" * 40, {"pattern": "(a+)+$", "type": "string"}) == ""
    assert check_schema(["x"], {"items": {"$ref": "#"}, "$defs": {}}) == ""
    hidden = {"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": doubling(30, {"type": "array"})["$defs"]}
    refuse_unusable(hidden)
    assert "steps" in check_schema({"a": "x"}, hidden)
    unevaluated = doubling(30, {}) | {"unevaluatedProperties": False}
    del unevaluated["$ref"]
    assert check_schema({"a": 1}, unevaluated) == ""
    assert check_schema([[1], [1]], {"uniqueItems": True})
    assert check_schema([{"a": each} for each in range(20_000)], {"uniqueItems": True}) == ""
    assert time.process_time() - begun < 3.0


def test_numbers_without_end_are_a_problem_of_the_schema_not_a_crash() -> None:
    assert "integer" in check_schema(float("inf"), {"type": "integer"})
    with pytest.raises(AnswerFormatError, match="not finite"):
        read_format(schema={"type": "integer"}).coerce(float("nan"))


@given(
    words=st.text(max_size=60),
    value=st.recursive(st.text(max_size=9) | st.integers(), st.lists, max_leaves=4),
)
def test_any_words_and_value_give_a_value_or_an_answer_format_error(words: str, value: Any) -> None:
    form = read_format(words)
    try:
        form.coerce(value)
    except AnswerFormatError:
        form = read_format("")
    assert form.kind in ("any", "str", "int", "float", "bool", "list", "dict")


@pytest.mark.parametrize(
    ("words", "given", "value"),
    [
        ("", '{"answer": "126"}', "126"),
        ("an integer", ' {"answer": "126"}', 126),
        ("", {"answer": ["a", "b"]}, ["a", "b"]),
        ("a dict", '{"answer": "126"}', {"answer": "126"}),
        ("", '{"answer": "126", "unit": "g"}', '{"answer": "126", "unit": "g"}'),
        ("", "{answer", "{answer"),
    ],
)
def test_an_object_of_nothing_but_an_answer_is_that_answer(words: str, given: Any, value: Any) -> None:
    assert read_format(words).coerce(given) == value


def test_a_schema_may_want_an_object_of_nothing_but_an_answer() -> None:
    schema = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
    assert read_format(schema=schema).coerce('{"answer": "126"}') == {"answer": "126"}
