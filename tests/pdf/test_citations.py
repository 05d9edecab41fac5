"""Lists of references, and what each entry says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.pdf.citations import Fields, fields_of, in_full, label_of, read_references, style_of, tokens_of
from quire.pdf.layout.rows import Row
from tests.pdf.test_fronts import labelled

STYLES = {
    "numbered IEEE": "[3] J. Smith and R. Doe, “How things work,” IEEE Trans. Things, vol. 3, 2010.",
    "plain": "John Smith and Ruth Doe. How things work. In Proceedings of Things, pages 1–10, 2010.",
    "ACL": "John Smith, Ruth B. Doe, and Ann Li. 2010. How things work. In Proceedings of ACL, pages 3–9.",
    "Vancouver": "12. Smith JA, Doe R. How things work. J Thing. 2010;3(2):1-10.",
    "APA": "Smith, J. A., & Doe, R. (2010). How things work. Journal of Things, 3(2), 1–10.",
    "LNCS": "Smith, J., Doe, R.: How things work. In: Things 2010. LNCS, vol. 12, pp. 1–10 (2010)",
    "PLoS": "7. Smith J, Doe R, Li A, et al. (2010) How things work. Mol Things 16: 131–142.",
    "JSS": "Smith J, Doe R (2010). “How things work.” Journal of Things, 3(2), 1–10.",
    "et al.": "[5] J. Smith, R. Doe, et al. How things work. arXiv preprint arXiv:1004.01234, 2010.",
}


@pytest.mark.parametrize("style", STYLES)
def test_title_and_year_in_every_style(style: str) -> None:
    (found,) = fields_of([STYLES[style]])
    assert (found.title, found.year) == ("How things work", 2010)
    assert "Smith" in found.authors[0]
    assert "Doe" in found.authors[1]


def test_every_field_of_an_entry() -> None:
    entry = "12. Smith JA, Doe R. How things work. J Thing. 2010;13(2):145-61. doi:10.1000/AB.12."
    assert fields_of([entry]) == [
        Fields("How things work", 2010, ("Smith JA", "Doe R"), "J Thing", "13", "145", "161", "10.1000/ab.12")
    ]


def test_a_colon_in_a_title_is_no_end_of_authors() -> None:
    entry = (
        "T.-Y. Lin, M. Maire, and C. L. Zitnick. Microsoft COCO: Common objects in context. In ECCV, 2014."
    )
    (found,) = fields_of([entry])
    assert (found.title, found.year) == ("Microsoft COCO: Common objects in context", 2014)


def test_entries_without_titles_get_none() -> None:
    (found,) = fields_of(["[3] Ehlers J, Geren P and Sachs R K, 1968 J. Math. Phys. 9 1344"])
    assert (found.title, found.year, found.venue) == ("", 1968, "J. Math. Phys")


@pytest.mark.parametrize(
    ("first", "last", "whole"),
    [("145", "61", "161"), ("145", "161", "161"), ("e230", "5", "5"), ("99", "104", "104")],
)
def test_last_pages_are_told_in_full(first: str, last: str, whole: str) -> None:
    assert in_full(first, last) == whole


def test_labels() -> None:
    assert [label_of(text) for text in ("[12] A", "12. A", "(3) A", "7 Smith J", "Smith J 2010")] == [
        "[12]", "12.", "(3)", "7", "",
    ]  # fmt: skip


@given(st.lists(st.text(max_size=200), max_size=4))
def test_any_text_is_survived(texts: list[str]) -> None:
    found = fields_of(texts)
    assert len(found) == len(texts)
    for text, said in zip(texts, found, strict=True):
        assert said.year is None or 1600 <= said.year < 2100
        assert all(author in " ".join(text.split()) or author.endswith(".") for author in said.authors)


@given(st.text(max_size=300))
def test_tokens_stand_where_they_say(text: str) -> None:
    tokens = tokens_of(text)
    assert all(text[token.start : token.end] == token.text for token in tokens)
    style_of([tokens])


def entry(number: int, label: str = "ref") -> Row:
    text = f"{number}. Smith JA, Doe R. How thing {number} works. J Thing. 20{number:02};3:1-9."
    return labelled(label, text, 100 + 14 * number)


def test_what_stands_between_numbered_entries_is_none() -> None:
    rows = [entry(number) for number in range(1, 7)]
    rows.insert(3, labelled("ref", "Citation: Smith JA (2010) How things work. J Thing 3: 1.", 150))
    rows.append(labelled("ref", "Funding: This work was supported by the River Fund in 2010.", 300))
    found = read_references(rows)
    assert [each.label for each in found] == ["1.", "2.", "3.", "4.", "5.", "6."]
    assert [each.title for each in found][2] == "How thing 3 works"


def test_a_list_has_no_holes() -> None:
    rows = [entry(number, "text" if number in (3, 7, 8) else "ref") for number in range(1, 9)]
    rows.insert(5, labelled("para", "We thank all who helped us with this work.", 180))
    found = read_references(rows)
    assert [each.label for each in found] == [f"{number}." for number in range(1, 9)]


def test_numbers_of_something_else_are_no_entries() -> None:
    rows = [entry(number) for number in range(1, 6)]
    rows.append(labelled("text", "6. Turn the boat round and row back.", 400))
    assert len(read_references(rows)) == 5


def test_a_number_within_an_entry_begins_the_next() -> None:
    rows = [entry(number, "ref2" if number == 2 else "ref") for number in range(1, 9)]
    found = read_references(rows)
    assert [each.label for each in found] == [f"{number}." for number in range(1, 9)]
    assert "thing 2" not in found[0].text


def test_a_footnote_in_another_form_is_no_entry() -> None:
    rows = [entry(number) for number in range(1, 9)]
    rows.insert(6, labelled("ref", "3 This name comes from the file of boats.", 190))
    assert len(read_references(rows)) == 8
