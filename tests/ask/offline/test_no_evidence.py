"""What stands in a paper and says nothing of its subject is no evidence."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from quire import Library
from tests.pdf.paper import HEIGHT, Paper, words

HEAD = "Example and Specimen: Paper boats in cold water"
AXIS = "Soaking time of boats (minutes)"
NOISE = (
    "Department of Boats, University of Somewhere, 5 Harbour Street, Oldtown, Norway",
    "Department of Ice, Institute of Water Research, 9 Quay Road, Newtown, Finland",
    "How to cite this article: Example M, Specimen L. Paper boats in cold water. J Boats 2020; 3: 1-9.",
    "Received: 3 March 2020; Accepted: 9 June 2020; Published: 1 July 2020",
)
REPORTS = (
    "Reviewer Report 12 August 2020",
    "The reviewer doubts that thick hulls of boats keep out cold water for longer.",
    "Are the hulls of the boats described well enough to be folded by others? Partly.",
)


def _page(paper: Paper, number: int) -> None:
    paper.line(HEAD, y=40, size=8)
    paper.line(str(number), x=500, y=40, size=8)
    paper.y = 80


def _figure(paper: Paper) -> None:
    """A plot with ticks and labels of its axes, and its caption."""
    canvas, top = paper.canvas, paper.y + 10
    left, bottom = 150.0, HEIGHT - top - 140
    canvas.rect(left, bottom, 260, 140)
    canvas.lines(
        [(left, bottom, left + 130, bottom + 90), (left + 130, bottom + 90, left + 260, bottom + 120)]
    )
    for tick in range(0, 60, 10):
        paper.line(str(tick), x=left + 5 * tick, y=top + 152, size=7)
    paper.line(AXIS, x=left + 70, y=top + 164, size=8)
    paper.line("Thin hull", x=left + 20, y=top + 30, size=7)
    paper.y = top + 190
    paper.text("Figure 1. Boats with a thick hull soak later than those with a thin one.", size=9)
    paper.gap(14)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("noise")
    paper = Paper(folder / "boats.pdf")
    _page(paper, 1)
    paper.line("Paper boats in cold water", size=18, face="b")
    paper.gap()
    paper.line("Maria Example 1 and Li Specimen 2", size=11)
    for number, text in enumerate(NOISE[:2], 1):
        paper.line(f"{number} {text}", size=8, face="i")
    paper.text(NOISE[3], size=8)
    paper.text(NOISE[2], size=8)
    paper.gap()
    paper.line("Abstract", size=12, face="b")
    paper.text("Boats of paper soak through in cold water. We kept 48 boats in cold water. " + words(60, 1))
    paper.gap()
    paper.line("1. Introduction", size=12, face="b")
    paper.text("Hulls of boats were thick in the harbour museum. " + words(240, 2))
    paper.page()
    _page(paper, 2)
    paper.line("2. Results", size=12, face="b")
    paper.text("Thick hulls of boats kept out cold water for 31 minutes. " + words(150, 3))
    _figure(paper)
    paper.text(words(120, 4))
    paper.page()
    _page(paper, 3)
    paper.line("Open Peer Review", size=12, face="b")
    paper.line(REPORTS[0], size=11, face="b")
    paper.text(" ".join(REPORTS[1:]) + " " + words(60, 5))
    paper.save()
    with Library.open(folder / "library", create=True) as made:
        assert not made.add([paper.path]).failed
        yield made


@pytest.mark.parametrize(
    ("question", "noise"),
    [
        ("in which department and street in Oldtown are the boats?", NOISE[0]),
        ("how should the article on paper boats in cold water be cited?", NOISE[2]),
        ("when were the boats received and accepted?", NOISE[3]),
        ("what is the soaking time of boats in minutes?", AXIS),
        ("how long do paper boats of Example and Specimen last in cold water?", HEAD),
        ("do thick hulls of boats keep out cold water for longer?", REPORTS[1]),
        ("are the hulls of the boats described well enough?", REPORTS[2]),
    ],
)
def test_it_is_never_shown(library: Library, question: str, noise: str) -> None:
    shown = library.ask(question, save=False, memory=False).answer.evidence
    assert not [each.quote for each in shown if each.quote[:30] in noise or noise[:30] in each.quote]


def test_what_is_said_of_the_subject_is_shown(library: Library) -> None:
    shown = library.ask("For how long do thick hulls keep out cold water?", save=False, memory=False).answer
    assert "31 minutes" in shown.evidence[0].quote
