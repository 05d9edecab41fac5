from __future__ import annotations

import html
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.ask.observations import show_rows
from quire.llm.messages import estimate_tokens
from quire.settings import Observations

ROWS = [{"title": f"Paper {number}", "pages": number} for number in range(25)]


def test_json_lines_are_cut_at_the_most_rows_and_tell_the_total() -> None:
    shown = show_rows(ROWS, Observations(max_rows=3, short_tokens=0), more="Use OFFSET.")
    lines = shown.text.splitlines()
    assert [json.loads(line) for line in lines[:3]] == ROWS[:3]
    assert lines[-1] == "Rows 1 to 3 of 25 are shown; 22 more are there. Use OFFSET."
    assert shown.rows == tuple(ROWS)


def test_short_rows_are_shown_beyond_the_most() -> None:
    assert show_rows(ROWS, Observations()).text.endswith("In total 25 rows.")
    longer = [{"text": "word " * 90} for _ in range(25)]
    assert "Rows 1 to 10 of 25" in show_rows(longer, Observations()).text


def test_rows_without_text_do_not_fill_the_limit() -> None:
    rows: list[dict[str, Any]] = [{"n": n, "text": "told" if n > 5 else ""} for n in range(9)]
    shown = show_rows(rows, Observations(max_rows=2, short_tokens=0), more="OFFSET {next}.")
    assert [json.loads(line)["n"] for line in shown.text.splitlines()[:2]] == [6, 7]
    assert shown.text.endswith("2 of 9 rows are shown; 6 without text were passed over. OFFSET 8.")
    assert show_rows(rows, Observations()).text.count("{") == 9
    assert show_rows(ROWS, Observations(max_rows=2)).text.startswith('{"title": "Paper 0"')


def test_the_total_of_a_result_that_was_not_fetched_whole() -> None:
    assert "of 9000 are shown" in show_rows(ROWS, Observations(), total=9000).text


def test_tokens_cut_at_row_borders() -> None:
    rows = [{"text": "word " * 100} for _ in range(10)]
    shown = show_rows(rows, Observations(max_tokens=350))
    assert shown.text.count('{"text"') == 3
    assert "Rows 1 to 3 of 10" in shown.text


def test_one_row_that_is_too_long_keeps_its_short_cells() -> None:
    rows: list[dict[str, Any]] = [{"id": 7, "text": "word " * 5000, "page": 3}]
    shown = show_rows(rows, Observations(max_tokens=200))
    assert '"id": 7' in shown.text
    assert '"page": 3' in shown.text
    assert "characters]" in shown.text
    assert "substr" in shown.text
    assert estimate_tokens(shown.text) < 300


def test_a_single_row_is_told_as_one() -> None:
    assert show_rows(ROWS[:1], Observations()).text.endswith("In total 1 row.")


@pytest.mark.parametrize("format", ["json", "markdown", "html", "plain"])
def test_every_format_shows_every_cell(format: str) -> None:
    rows: list[dict[str, Any]] = [{"a": "x|y\nz", "b": None, "c": [1, 2]}, {"a": "<b>&", "b": 1.5, "c": []}]
    text = show_rows(rows, Observations(format=format)).text
    assert "1.5" in text
    assert "[1, 2]" in text
    if format == "html":
        assert html.escape("<b>&") in text
        assert "<b>&" not in text
    if format == "markdown":
        assert r"x\|y<br>z" in text


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.text(max_size=300), min_size=1), max_size=30))
def test_the_limit_of_tokens_holds_for_any_rows(rows: list[dict[str, Any]]) -> None:
    shown = show_rows(rows, Observations(max_tokens=300))
    assert estimate_tokens(shown.text) < 600
    assert str(len(rows)) in shown.text
