from __future__ import annotations

import json
import time
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire import jsontext
from quire.types import Trajectory

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@given(VALUES)
def test_it_reads_what_json_reads(value: object) -> None:
    assert jsontext.loads(json.dumps(value)) == value


@pytest.mark.parametrize(
    "text",
    ["", "{", "[" * 300_000, '{"a":' * 300_000, "[" * 101 + "]" * 101, "9" * 5000, b"\xff\xfe[", "x" * 2000],
)
def test_whatever_is_wrong_is_a_value_error_at_once(text: str | bytes) -> None:
    start = time.process_time()
    with pytest.raises(ValueError, match=r"."):
        jsontext.loads(text, largest=2_000_000)
    assert time.process_time() - start < 1


def test_the_bounds() -> None:
    assert jsontext.loads("[" * 99 + "1" + "]" * 99)
    with pytest.raises(ValueError, match="longer than 10"):
        jsontext.loads("[" + " " * 10 + "]", largest=10)
    assert jsontext.loads('"a\tb"', strict=False) == "a\tb"


@given(st.text(st.characters(), max_size=30), st.none() | st.just(1))
def test_written_json_is_utf8_shows_all_and_reads_back(text: str, indent: int | None) -> None:
    hostile = text + "\x9b31m\u202e\ud800\x7f"
    written = jsontext.dumps({hostile: [hostile]}, indent=indent)
    assert not set(written) & set("\x9b\u202e\ud800\x7f\x1b")
    written.encode()
    assert json.loads(written) == {hostile: [hostile]}


def test_what_is_of_another_type_is_told_in_a_short_line_that_no_terminal_obeys() -> None:
    many = dict.fromkeys(map(str, range(5000)), 1)
    for value in ([1], {"versions": {"\x1b[31m\n": 1}}, {"versions": many}):
        with pytest.raises(ValueError, match=r".") as told:
            jsontext.of_json(Trajectory, value)
        assert str(told.value).isprintable()
        assert len(str(told.value)) < 300


def test_only_a_line_feed_ends_a_line() -> None:
    told = ["a\u2028b", "c\u2029d", "e\x85f", ""]
    text = "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in told)
    assert [jsontext.loads(line) for line in jsontext.lines(text)] == told
    assert jsontext.lines("") == []
    assert jsontext.lines("1\n\n2") == ["1", "", "2"]


def test_plain_values_know_decimals_and_spans_of_time_as_numbers() -> None:
    values = [Decimal("1.5"), Decimal("NaN"), timedelta(minutes=2), float("inf"), 3]
    assert jsontext.plain(values) == [1.5, None, 120.0, None, 3]
