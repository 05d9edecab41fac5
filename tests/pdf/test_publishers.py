"""Page layouts of publishers, each set as small as it can be told from the others."""

from __future__ import annotations

from pathlib import Path

from quire.pdf import parse
from tests.pdf.paper import Paper, words


def opening(path: Path, *, body: bool = False) -> Paper:
    paper = Paper(path)
    paper.line("A Study of Stones in Rivers", size=18)
    paper.gap(6)
    paper.line("Maria Roe and Peter Doe", size=11)
    paper.gap(14)
    if body:
        paper.line("Abstract", size=10, face="b")
        paper.text(words(60))
        paper.gap(14)
    return paper


def sections(path: Path) -> list[tuple[int, str]]:
    return [(s.level, s.title) for s in parse(path).sections]


def test_article_info_beside_the_abstract(tmp_path: Path) -> None:
    paper = opening(tmp_path / "p.pdf")
    top = paper.y + 20
    paper.line("A R T I C L E  I N F O", x=50, y=top, size=9)
    paper.line("A B S T R A C T", x=200, y=top, size=9)
    for i, text in enumerate(
        ["Received 12 March 2014", "Accepted 15 July 2014", "Keywords:", "Stones", "Rivers"]
    ):
        paper.line(text, x=50, y=top + 18 + 11 * i, size=8, face="i" if text.endswith(":") else "n")
    paper.y = top + 18
    abstract = words(120, seed=3)
    paper.text(abstract, x=200, width=340, size=9)
    body = top + 130
    paper.line("1. Introduction", x=50, y=body, size=10, face="b")
    paper.text(words(150, seed=4), x=50, width=235)
    paper.y = body
    paper.text(words(160, seed=5), x=305, width=235)
    found = parse(paper.save())
    assert found.metadata.abstract == abstract
    assert found.metadata.keywords == ("Stones", "Rivers")
    assert [s.title for s in found.sections] == ["Abstract", "Introduction"]


def test_headings_in_an_abstract_stay_in_it(tmp_path: Path) -> None:
    paper = opening(tmp_path / "p.pdf")
    paper.line("Abstract", face="b")
    parts = ("Background:", "Areas of doubt:", "Conclusions:")
    for name in parts:
        paper.runs(("b", name), ("n", " stone and river are seen."))
    paper.gap(4)
    paper.runs(("b", "Keywords:"), ("n", " stones, rivers"))
    paper.gap(14)
    paper.line("Background", size=12, face="b")
    paper.text(words(80))
    found = parse(paper.save())
    assert found.metadata.abstract == " ".join(f"{name} stone and river are seen." for name in parts)
    assert found.metadata.keywords == ("stones", "rivers")
    assert found.sections[0].text.replace("\n\n", " ") == found.metadata.abstract


def test_levels_without_numbers(tmp_path: Path) -> None:
    paper = opening(tmp_path / "p.pdf", body=True)
    for title, size in (
        ("Methods", 13), ("Study area", 11), ("Statistical analysis", 11), ("Results", 13), ("Funding", 13),
    ):  # fmt: skip
        paper.gap(6)
        paper.line(title, size=size, face="b")
        paper.text(words(60, seed=size))
    assert sections(paper.save()) == [
        (1, "Abstract"), (1, "Methods"), (2, "Study area"), (2, "Statistical analysis"), (1, "Results"),
        (1, "Funding"),
    ]  # fmt: skip


def test_headings_in_plain_type_with_room_around_them(tmp_path: Path) -> None:
    paper = opening(tmp_path / "p.pdf", body=True)
    paper.line("Methods", size=12, face="b")
    for title in ("Patients", "Treatment and follow-up"):
        paper.gap(8)
        paper.line(title)
        paper.gap(8)
        paper.text(words(70, seed=len(title)))
    assert sections(paper.save())[1:] == [(1, "Methods"), (2, "Patients"), (2, "Treatment and follow-up")]


def test_what_follows_the_references_is_no_reference(tmp_path: Path) -> None:
    paper = opening(tmp_path / "p.pdf", body=True)
    paper.line("Introduction", size=12, face="b")
    paper.text(words(80))
    paper.gap(8)
    paper.line("References", size=12, face="b")
    for name in ("Abel", "Bohr", "Curie"):
        paper.line(f"{name}, A. (2001). The stones of {name.lower()}land and their", size=8)
        paper.line("colours. River Letters 3, 4–9.", x=82, size=8)
    paper.gap(6)
    paper.runs(("b", "Conflict of Interest:"), ("n", " The authors declare no conflict of any kind."), size=8)
    found = parse(paper.save())
    assert [r.title for r in found.references] == [
        f"The stones of {name}land and their colours" for name in ("abel", "bohr", "curie")
    ]
    assert found.sections[-1].title == "Conflict of Interest"


def test_titles_between_commas(tmp_path: Path) -> None:
    paper = opening(tmp_path / "p.pdf", body=True)
    paper.line("References", size=12, face="b")
    paper.line("[1] A.B. Abel, C. Bohr, Stones, sand, and water, River Lett. 62 (2014) 101–112.", size=8)
    paper.line("[2] D. Curie, Slow rivers of the north, Int. J. Water 4 (2010) 1–9.", size=8)
    found = parse(paper.save())
    assert [(r.title, r.year) for r in found.references] == [
        ("Stones, sand, and water", 2014),
        ("Slow rivers of the north", 2010),
    ]
