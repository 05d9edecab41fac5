from __future__ import annotations

import ast
import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.literals import NotALiteral, read, speak

_scalar = (
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
)
_values = st.recursive(
    _scalar,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(_values)
def test_reads_what_json_writes(value: Any) -> None:
    assert read(json.dumps(value)) == value
    assert read(json.dumps(value, ensure_ascii=False)) == value


@given(_values)
def test_reads_what_python_prints(value: Any) -> None:
    assert read(repr(value)) == value


@given(_values)
def test_spoken_reads_what_speak_writes(value: Any) -> None:
    assert read(speak(repr(value)), spoken=True) == value
    assert read(speak(json.dumps(value)), spoken=True) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"'regexp_matches(x, \bshark)'", r"regexp_matches(x, \bshark)"),
        (r"'\d+\s\w'", r"\d+\s\w"),
        (r"'\\bshark'", r"\bshark"),
        (
            r"'\frac{a}{b} \times \nabla \theta \rho \vec x \alpha'",
            r"\frac{a}{b} \times \nabla \theta \rho \vec x \alpha",
        ),
        (r"'one\ntwo\tthree\nu.'", "one\ntwo\tthree\nu."),
        (r"'don\'t \1 \x41 \u00e9'", r"don't \1 A é"),
        ("'a ' \n 'b'", "a b"),
    ],
)
def test_what_a_model_writes_keeps_its_backslashes(text: str, value: str) -> None:
    assert read(text, spoken=True) == value


@given(st.text(max_size=60))
def test_any_text_is_a_value_or_not_a_literal(text: str) -> None:
    try:
        value = read(text)
    except NotALiteral:
        return
    json.dumps(value, allow_nan=False)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("('a', 1,)", ["a", 1]),
        ("('a')", "a"),
        ("('a',)", ["a"]),
        ("{'x', 'y'}", ["x", "y"]),
        ("{}", {}),
        ("[true, None, False, null]", [True, None, False, None]),
        ("```python\n['a']\n```", ["a"]),
        ("{1: .5}", {"1": 0.5}),
        (r"'\alpha'", r"\alpha"),
        (r"r'\beta'", r"\beta"),
        ("'''two\nlines'''", "two\nlines"),
        ("1_000", 1000),
    ],
)
def test_spellings(text: str, value: Any) -> None:
    assert read(text) == value


@pytest.mark.parametrize(
    "text",
    ["", "a", "[1 2]", "[1", "1]", "__import__('os')", "1+1", "{'a': 1, 2}", "{1, 2: 3}", "NaN", "1e999"]
    + ["'a' 'b'", "[,]", "{[1]: 2}", "9" * 401, "'unclosed", "1.2.3", "True1", "f'{x}'", "b'a'"],
)
def test_not_literals(text: str) -> None:
    with pytest.raises(NotALiteral):
        read(text)


@pytest.mark.parametrize("text", ["[" * 100_000, "{'a':" * 20_000, "(" * 99_999, "-" * 99_999, "'" * 99_999])
def test_hostile_texts_end_quickly(text: str) -> None:
    start = time.process_time()
    with pytest.raises(NotALiteral):
        read(text)
    assert time.process_time() - start < 1


def test_depth_limit_is_the_stated_one() -> None:
    assert read("[" * 50 + "]" * 50)
    with pytest.raises(NotALiteral, match="deeper"):
        read("[" * 51 + "]" * 51)


def test_a_long_flat_list_is_quick() -> None:
    text = "[" + ",".join("12" for _ in range(33_000)) + "]"
    start = time.process_time()
    assert len(read(text)) == 33_000
    assert time.process_time() - start < 1


def test_never_more_lenient_than_python_on_calls() -> None:
    for text in ("print(1)", "[].append(1)", "lambda: 0", "x"):
        with pytest.raises(NotALiteral):
            read(text)
        with pytest.raises((ValueError, SyntaxError)):
            ast.literal_eval(text)
