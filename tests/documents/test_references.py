from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.documents.references import parse_entry

STYLES = {
    "numbered IEEE": "[3] J. Smith and R. Doe, “How things work,” IEEE Trans. Things, vol. 3,, 2010.",
    "plain": "John Smith and Ruth Doe. How things work. In Proceedings of Things, pages 1–10, 2010.",
    "ACL": "John Smith, Ruth B. Doe, and Ann Li. 2010. How things work. In Proceedings of ACL, pages 3–9.",
    "Vancouver": "12. Smith JA, Doe R. How things work. J Thing. 2010;3(2):1-10.",
    "APA": "Smith, J. A., & Doe, R. (2010). How things work. Journal of Things, 3(2), 1–10.",
    "LNCS": "Smith, J., Doe, R.: How things work. In: Things 2010. LNCS, vol. 12, pp. 1–10 (2010)",
    "PLoS": "7. Smith J, Doe R, Li A, et al. (2010) How things work. Mol Things 16: 131–142.",
    "JSS": "Smith J, Doe R (2010). “How things work.” Journal of Things, 3(2), 1–10.",
    "et al.": "[5] J. Smith, R. Doe, et al. How things work. arXiv preprint arXiv:1004.01234, 2010.",
    "middle initial": "[8] Jo J. Smith II, Ruth Doe, and Eric M. Li. How things work. abs/1006.00523, 2010.",
}


@pytest.mark.parametrize("style", STYLES)
def test_title_and_year_in_every_style(style: str) -> None:
    assert parse_entry(STYLES[style]) == ("How things work", 2010)


def test_a_colon_in_a_title_is_no_end_of_authors() -> None:
    entry = (
        "T.-Y. Lin, M. Maire, and C. L. Zitnick. Microsoft COCO: Common objects in context. In ECCV, 2014."
    )
    assert parse_entry(entry) == ("Microsoft COCO: Common objects in context", 2014)


def test_entries_without_titles_get_none() -> None:
    title, year = parse_entry("[3] Ehlers J, Geren P and Sachs R K, 1968 J. Math. Phys. 9 1344")
    assert (title, year) == ("", 1968)
    printed = "Andersen, P., & Whitfield, L. 2015, Annals of Measurement, 64, L411"
    assert parse_entry(printed) == ("", 2015)
    assert parse_entry("Box, O. K. 2012, in Proceedings of the Rivers, Vol. 53, 448–467") == ("", 2012)
    assert parse_entry("Box, D., & In, R. L. 2018, How things work, Vol. 88 (Lakeport: Reviews)") == (
        "How things work",
        2018,
    )


@given(st.text(max_size=300))
def test_any_text_is_survived(text: str) -> None:
    title, year = parse_entry(text)
    assert len(title) <= 400
    assert year is None or 1600 <= year < 2100
