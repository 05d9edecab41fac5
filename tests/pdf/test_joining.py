from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.pdf import parse
from quire.pdf.joining import join_marked, join_texts, tidy
from quire.text import sentences
from tests.pdf.paper import Paper


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["the inter-", "national work"], "the international work"),
        (["state-of-the-", "art systems"], "state-of-the-art systems"),
        (["by Baird-", "Pattinson"], "by Baird-Pattinson"),
        (["with IL-", "2 and"], "with IL-2 and"),
        (["a well-", "known fact"], "a well-known fact"),
        (["and/", "or"], "and/or"),
        (["plain", "", "lines"], "plain lines"),
    ],
)
def test_hyphens_of_line_ends(lines: list[str], text: str) -> None:
    assert join_texts(lines) == text


@given(st.lists(st.text(max_size=30), max_size=8))
def test_offsets_point_into_the_joined_text(lines: list[str]) -> None:
    text, starts = join_marked(lines)
    assert len(starts) == len(lines)
    assert starts == sorted(starts)
    assert all(0 <= start <= len(text) for start in starts)


@given(st.text(max_size=80))
def test_tidy_is_stable_and_normal(text: str) -> None:
    once = tidy(text)
    assert tidy(once) == once
    assert unicodedata.is_normalized("NFC", once)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("See Fig. 2. It works.", ["See Fig. 2.", "It works."]),
        ("By Smith et al. (2001) it is. Yes!", ["By Smith et al. (2001) it is.", "Yes!"]),
        ("J. Smith said so. Really?", ["J. Smith said so.", "Really?"]),
        ("It grew by 3.5 m. in all, e.g. here.", ["It grew by 3.5 m. in all, e.g. here."]),
        ("Found before [1]. Then lost.", ["Found before [1].", "Then lost."]),
        ("", []),
    ],
)
def test_sentences(text: str, parts: list[str]) -> None:
    assert [text[a:b] for a, b in sentences(text)] == parts


@given(st.text(alphabet="abA .!?\n", max_size=120))
def test_sentences_cover_every_word(text: str) -> None:
    assert " ".join(text[a:b] for a, b in sentences(text)).split() == text.split()


def test_the_document_decides_on_hyphens_at_line_ends(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "p.pdf")
    paper.line("On Words and their Hyphens", size=18)
    paper.gap()
    paper.line("1 Introduction", size=12, face="b")
    for line in (
        "The nearest word of each vector is found in the publicly-available corpus.",
        "We made noun phrases from an adjective and a noun, as adjective forms and noun forms vary.",
        "Later on the near-",
        "est of them, the publicly-",
        "available ones and adjective-",
        "noun phrases of the infor-",
        "mation era were removed.",
    ):
        paper.line(line)
    text = parse(paper.save()).sections[-1].text
    assert "the nearest of them, the publicly-available ones and adjective-noun phrases" in text
    assert "the information era" in text
