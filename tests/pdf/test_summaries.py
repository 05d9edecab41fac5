from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from quire.pdf import bibtex, parse, summarise, tags, tldr
from quire.types import Document, Metadata


@given(st.text(max_size=400), st.integers(min_value=1, max_value=60))
def test_a_summary_is_short_and_says_nothing_new(text: str, limit: int) -> None:
    summary = summarise(text, limit)
    assert len(summary.split()) <= limit
    assert all(word in text for word in summary.split())


def test_a_summary_takes_the_telling_sentences() -> None:
    text = (
        "Rivers are wet. We propose a method for rounding river stones. The weather was nice that day. "
        "River stones become round when river stones roll."
    )
    assert "river stones" in summarise(text, 14)
    assert "weather" not in summarise(text, 16)


def test_tldr_and_tags_of_a_paper(one_column: Path) -> None:
    document = parse(one_column)
    assert tldr(document)
    assert tags(document)[:3] == ("stones", "rivers", "abrasion")
    assert tldr(Document(Metadata(), ())) == ""


def test_bibtex_escapes_and_leaves_out() -> None:
    entry = bibtex(
        Metadata(
            title="The 50% & more_{x}",
            authors=("Ada Løvelace", "Li Wei"),
            year=2019,
            venue="Proceedings of X",
        )
    )
    assert entry.startswith("@inproceedings{lvelace2019")
    assert r"50\% \& more\_\{x\}" in entry
    assert "author = {Ada Løvelace and Li Wei}" in entry
    assert "doi" not in entry
    assert bibtex(Metadata()).startswith("@misc{anonymous")
