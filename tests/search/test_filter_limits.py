"""The filter language at its limits, and what it says of them."""

from __future__ import annotations

import duckdb
import pytest

from quire.errors import FilterError
from quire.search.filters import parse


def refused(text: str) -> str:
    with pytest.raises(FilterError) as caught:
        parse(text)
    return str(caught.value)


def test_ten_thousand_bytes_are_read_and_no_more() -> None:
    text = "pdf_id == '{}'"
    parse(text.format("a" * (10_000 - len(text) + 2)))
    assert "The filter has 10001 bytes." in refused(text.format("a" * (10_001 - len(text) + 2)))
    assert "The filter has 10002 bytes." in refused(text.format("ü" * 4_995))


def test_three_hundred_parts_are_allowed_and_no_more() -> None:
    # One for `and`, three for a comparison, five for one with a sum.
    parts = ["id == 1"] * 98 + ["id + 1 == 2"]
    parse(" and ".join(parts))
    assert "The filter has 301 parts" in refused(" and ".join(["id == 1"] * 100))


@pytest.mark.parametrize(
    ("repeated", "text", "most"),
    [
        ("(", "{}id == 1{}", 49),
        (" + 1", "id == 1{}", 48),
        (" ** 1", "id == 1{}", 48),
        ("-", "id == {}1", 50),
        ("not ", "{}id == 1", 48),
    ],
)
def test_fifty_levels_are_allowed_and_no_more(repeated: str, text: str, most: int) -> None:
    close = ")" if repeated == "(" else ""
    alike = text.format(repeated * 2, close * 2)
    parse(" and ".join([alike] * 26))  # levels are counted down again: not what stands side by side
    parse(text.format(repeated * most, close * most))
    with pytest.raises(FilterError, match="more than 50 levels|Too many"):
        parse(text.format(repeated * (most + 1), close * (most + 1)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("page_number and id == 1", "A condition is expected at column 1 of"),
        ("id == 1 and page_number", "A condition is expected at column 13 of"),
        ("-pdf_id == 'a'", "Only numbers have a sign."),
        ("id == -'a'", "Only numbers have a sign."),
        ("bbox + 1 == 2", "`+` at column 6 of the filter needs a number on both sides."),
        ("1 + bbox == 2", "`+` at column 3 of the filter needs a number on both sides."),
        ("pdf_id in [1]", "`1` at column 12 does not belong into this list. It takes texts only."),
        ("array_contains_any(bbox, [1, 'a'])", "It takes numbers only."),
        ("bbox in [1]", "`in` at column 6 needs a number or a text before it."),
        ("bbox like 'a'", "`like` at column 6 needs a number or a text before it."),
        ("id like 'a'", "`like` at column 4 of the filter needs a text before it."),
        ("id not == 1", "Unexpected `not` at column 4"),
        ("bbox < 'a'", "an array (`bbox`) with a text"),
        ("bbox < [1]", "an array (`bbox`) with a list"),
        ("id <> 1", "Inequality is written `!=`."),
        ("pdf_id like 'x\\\\\\\\\\\\'", "The pattern at column 13 ends with a lone backslash."),
        ("id == 9223372036854775808", "The number at column 7 is too large."),
        ("id == 1e999", "The number at column 7 is too large."),
        ("bbox[10000] == 1", "`10000` at column 6 is not a position."),
        ("bbox[1.5] == 1", "`1.5` at column 6 is not a position."),
        ("id == ?", "Unexpected `?` at column 7"),
    ],
)
def test_what_is_refused_is_named_with_its_column(text: str, said: str) -> None:
    assert said in refused(text)


def test_the_last_position_is_9999() -> None:
    assert "bbox[10000]" in parse("bbox[9999] == 1").sql


def test_the_largest_number_and_an_escaped_backslash_are_read() -> None:
    assert parse("id == 9223372036854775807").parameters == (2**63 - 1,)
    assert parse(r"pdf_id like 'x\\\\'").parameters == ("x\\\\",)


@pytest.mark.parametrize(
    ("written", "value"),
    [(r"'\''", "'"), (r"'\"'", '"'), (r"'\\'", "\\"), (r"'\n'", "\n"), (r"'\q'", r"\q"), (r"'\u0041'", "A")],
)
def test_escapes(written: str, value: str) -> None:
    assert parse(f"pdf_id == {written}").parameters == (value,)


def test_whole_numbers_are_compared_exactly() -> None:
    texts = ("id == 4611686018427387905", "id in [4611686018427387905]")
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE entries AS SELECT 4611686018427387904::BIGINT + range AS id FROM range(3)"
        )
        for condition in map(parse, texts):
            found = connection.execute(
                f"SELECT id FROM entries WHERE {condition.sql}", condition.parameters
            ).fetchall()
            assert found == [(4611686018427387905,)]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("page_number == 1 and", "Something is missing at its end."),
        ("(page_number == 1", "`)` is expected there."),
        ("page_number == 1)", ""),
        ("page_number in 3", "A list is expected after `in`: [1, 2]."),
        ("array_length(page_number) == 1", "Arrays are: bbox."),
        ("bbox[-1] == 1", "`number` is expected there."),
        ("vector == 1", "A vector cannot be filtered"),
        ("title == 'x'", "Titles are in the table `metadata`"),
        ("page_number == 'a'", "`page_number` is compared with a number without quotes"),
        ("'a' == page_number", "`page_number` is compared with a number without quotes"),
        ("1 == pdf_id", "`pdf_id` is compared with a text in quotes"),
        ("bbox == 1", "Take one of its elements: `bbox[0]`."),
        ("page_number == pdf_id", ""),
        ("array_length(bbox) == 'a'", ""),
        ("page_number == bbox", ""),
    ],
)
def test_a_hint_says_how_to_go_on(text: str, hint: str) -> None:
    with pytest.raises(FilterError) as caught:
        parse(text)
    assert caught.value.hint.startswith(hint)
    assert bool(caught.value.hint) == bool(hint)


def test_whether_a_filter_names_a_field() -> None:
    assert parse("not (bbox[0] > 1) and page_number in [1, 2]").fields == {"bbox", "page_number"}


def test_a_list_of_texts_is_no_box() -> None:
    assert "an array (`bbox`) with a list" in refused("bbox == ['a']")
