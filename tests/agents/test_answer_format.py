from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.agents.answer_format import read_format
from quire.agents.json_schema import check_schema
from quire.errors import AnswerFormatError


@pytest.mark.parametrize(
    ("words", "kind", "items"),
    [
        ("Your answer should be a Python string.", "str", "any"),
        ("Your answer should be a python strings.", "str", "any"),
        ("int", "int", "any"),
        ("a single float rounded to 2 decimals", "float", "any"),
        ("Your answer should be a Python list of two strings, the first is the name", "list", "str"),
        ("a list of integers", "list", "int"),
        ("a Python bool, True or False", "bool", "any"),
        ("a JSON object with the keys a and b", "dict", "any"),
        ("", "any", "any"),
    ],
)
def test_words_are_read(words: str, kind: str, items: str) -> None:
    form = read_format(words)
    assert (form.kind, form.items) == (kind, items)


@pytest.mark.parametrize(
    ("words", "given", "value"),
    [
        ("int", "42", 42),
        ("int", 42.0, 42),
        ("int", "1,234", 1234),
        ("int", "seven", 7),
        ("float", "81.2 %", 81.2),
        ("float", "8.9 \u00b1 1.6", 8.9),
        ("float", "\u22123.5", -3.5),
        ("float rounded to 1 decimal", 3.14159, 3.1),
        ("bool", "Yes", True),
        ("bool", "false", False),
        ("string", 5, "5"),
        ("list of strings", "['a', 'b']", ["a", "b"]),
        ("list of ints", [1, "2"], [1, 2]),
        ("list", "a", ["a"]),
        ("dict", '{"a": 1}', {"a": 1}),
        ('either "Yes" or "No"', "yes.", "Yes"),
        ("", {"a": [1]}, {"a": [1]}),
    ],
)
def test_values_whose_meaning_is_plain_are_mended(words: str, given: Any, value: Any) -> None:
    assert read_format(words).coerce(given) == value


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ("int", "many"),
        ("int", 2.5),
        ("int", True),
        ("float", "nan"),
        ("float", "between 3 and 4"),
        ("bool", "perhaps"),
        ("dict", "[1]"),
        ("dict", "[" * 100_000),
        ("list", {"a": 1}),
        ("list of ints", ["x"]),
        ('either "Yes" or "No"', "maybe"),
    ],
)
def test_other_values_are_refused(words: str, given: Any) -> None:
    with pytest.raises(AnswerFormatError):
        read_format(words).coerce(given)


def test_a_schema_is_checked() -> None:
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string", "minLength": 2}, "n": {"type": "integer", "maximum": 9}},
        "required": ["name"],
        "additionalProperties": False,
    }
    form = read_format(schema=schema)
    assert form.coerce({"name": "ab", "n": 3}) == {"name": "ab", "n": 3}
    for wrong, said in (
        ({}, "needs the field `name`"),
        ({"name": "a"}, "below minLength"),
        ({"name": "ab", "n": 10}, "above maximum"),
        ({"name": "ab", "n": 1.5}, "type integer"),
        ({"name": "ab", "x": 1}, "too many"),
    ):
        with pytest.raises(AnswerFormatError, match=said):
            form.coerce(wrong)


@pytest.mark.parametrize(
    ("value", "schema", "said"),
    [
        ([1, "a"], {"type": "array", "items": {"type": "integer"}}, "item 1"),
        ("c", {"enum": ["a", "b"]}, "one of"),
        (2, {"const": 1}, "must be 1"),
        (None, {"type": ["string", "null"]}, ""),
        (True, {"type": "number"}, "type number"),
    ],
)
def test_schema_problems_in_words(value: Any, schema: dict[str, Any], said: str) -> None:
    problem = check_schema(value, schema)
    assert said in problem
    assert bool(problem) == bool(said)


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
