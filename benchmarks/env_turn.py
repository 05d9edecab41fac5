"""Time that the environment itself takes per turn: reading a reply, SQL, search with text look-up, a picture.

    python benchmarks/env_turn.py [--papers 100] [--turns 50] [--data DIR]

Without `--data` a library is filled with made papers, as `growth.py` fills one. With `--data` the PDFs of DIR
are added instead, as many as `--papers`. Each kind of turn is run `--turns` times with other words each time;
printed are the median and the slowest tenth in milliseconds.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from growth import Words, filling, write_paper
from quire.ask.environment import Environment
from quire.ask.formats import render_call
from quire.ask.replies import parse_reply
from quire.library import Library, intake
from quire.search import BM25
from quire.types import Call

_PARSED = 5  # papers that are stored again and again


def made(folder: Path, papers: int) -> Library:
    """A library of made papers, of which the first has its file."""
    words = Words()
    with filling(folder / "library", min(papers, _PARSED), words) as filler:
        while filler.papers < papers:
            filler.add()
    library = filler.library
    copy = intake.copy_of(library._resources.papers, library.papers()[0].id)
    copy.parent.mkdir(exist_ok=True)
    write_paper(copy, words)
    return library


def turns(library: Library) -> dict[str, Callable[[int], Call]]:
    """Kinds of turns, each a call that differs from turn to turn."""
    words = Words(3)
    first = library.papers()[0].id
    others = [row[0] for row in library.sql("SELECT CAST(paper_id AS VARCHAR) FROM metadata").rows]

    def paper(turn: int) -> str:
        return str(others[turn % len(others)])

    def vectors(collection: str, filtered: bool) -> Callable[[int], Call]:
        return lambda turn: Call(
            "RetrieveFromVectorstore",
            {
                "query": words.text(8),
                "collection_name": collection,
                "table_name": "chunks",
                "column_name": "text_content",
                "filter": f"pdf_id == '{paper(turn)}'" if filtered else "",
            },
        )

    def sql(text: str) -> Callable[[int], Call]:
        return lambda turn: Call("RetrieveFromDatabase", {"sql": text.format(paper(turn))})

    section = "SELECT section_title, section_content FROM sections WHERE ref_paper_id = '{}' LIMIT 3"
    return {
        "SQL, sections of a paper": sql(section),
        "SQL, count over a join": sql(
            "SELECT count(*) FROM chunks c JOIN pages p ON c.ref_page_id = p.page_id "
            "WHERE p.page_number < 5 AND p.ref_paper_id <> '{}'"
        ),
        "SQL, ILIKE over all passages": sql(
            "SELECT text_content FROM chunks WHERE text_content ILIKE '%{:.2}%'"
        ),
        "search, BM25": vectors(BM25, False),
        "search, BM25, filtered": vectors(BM25, True),
        "search, ClassicRetrieve (fused)": lambda turn: Call("ClassicRetrieve", {"query": words.text(8)}),
        "sum": lambda turn: Call("CalculateExpr", {"expr": f"round({turn} / 7, 3)"}),
        "picture, box": lambda turn: Call(
            "ViewImage", {"paper_id": first, "page_number": 1, "bounding_box": [50, 50 + turn, 500, 300]}
        ),
        "picture, page": lambda turn: Call("ViewImage", {"paper_id": first, "page_number": 1}),
    }


def timed(environment: Environment, make: Callable[[int], Call], count: int) -> list[float]:
    """Milliseconds of each turn: reading the reply and running the action; the first is for warming up."""
    taken = []
    for turn in range(count + 1):
        reply = f"[Thought]: Let me look.\n[Action]: {render_call(make(turn))}"
        begun = time.perf_counter()
        observation = environment.run(parse_reply(reply, environment.actions).call)
        taken.append((time.perf_counter() - begun) * 1000)
        assert observation.kind != "error", observation.text
    return taken[1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--papers", type=int, default=100)
    parser.add_argument("--turns", type=int, default=50)
    parser.add_argument("--data", type=Path, help="add the PDFs of this folder instead of made papers")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        if given.data:
            library = Library.open(Path(place) / "library", create=True)
            library.add(sorted(given.data.glob("*.pdf"))[: given.papers])
        else:
            library = made(Path(place), given.papers)
        environment = Environment(library, vision=True)
        counted = library.sql("SELECT (SELECT count(*) FROM metadata), (SELECT count(*) FROM chunks)").rows[0]
        print(f"{counted[0]} papers, {counted[1]} passages, {given.turns} turns each")
        print(f"{'milliseconds':34} {'median':>8} {'90 %':>8}")
        for name, make in turns(library).items():
            taken = timed(environment, make, given.turns)
            slow = statistics.quantiles(taken, n=10)[-1]
            print(f"{name:34} {statistics.median(taken):8.1f} {slow:8.1f}")
        library.close()


if __name__ == "__main__":
    main()
