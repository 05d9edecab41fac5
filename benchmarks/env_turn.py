"""Time that the environment itself takes per turn: reading a reply, SQL, search with text look-up, a picture.

    python benchmarks/env_turn.py [--papers 100] [--turns 50] [--data DIR]

Without `--data` a library is filled with made papers: 12 pages, 90 passages, 20 sections, 5 tables,
5 figures and 40 references each, of words drawn as in English (Zipf); one real PDF page is made for the
pictures. With `--data` the PDFs of DIR are added instead, as many as `--papers`. Each kind of turn is run
`--turns` times with other words each time; printed are the median and the slowest tenth in milliseconds.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from quire.ask.environment import Environment
from quire.ask.formats import render_call
from quire.ask.replies import parse_reply
from quire.library import Library
from quire.library.resources import Resources
from quire.search import BM25, ENCODABLE, Unit, entries
from quire.search.batch import analyse
from quire.store.schema import TABLES
from quire.types import Call

_VOCABULARY = 20_000
_PER_PAPER = {"chunks": 90, "sections": 20, "tables": 5, "images": 5, "reference": 40, "equations": 10}
_PAGES = 12
_TEXTS = {
    "text_content": 120,
    "page_content": 500,
    "section_content": 300,
    "table_content": 80,
    "reference_content": 25,
    "abstract": 150,
    "title": 9,
}


class Words:
    """Made English: words by Zipf's law."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        letters = "etaoinshrdlucmfwypvbg"
        self.words = ["".join(self.random.choices(letters, k=2 + n % 9)) for n in range(_VOCABULARY)]
        self.weights = [1 / (rank + 2) for rank in range(_VOCABULARY)]

    def text(self, count: int) -> str:
        """That many words."""
        return " ".join(self.random.choices(self.words, self.weights, k=count))


def rows_of(paper: str, words: Words) -> Iterator[tuple[str, dict[str, object]]]:
    """The rows of one made paper, by table."""
    yield (
        "metadata",
        {"paper_id": paper, "title": words.text(9), "abstract": words.text(150), "num_pages": _PAGES},
    )
    pages = [str(uuid.uuid4()) for _ in range(_PAGES)]
    for number, page in enumerate(pages, 1):
        size = {"page_width": 612, "page_height": 792}
        text = words.text(500)
        yield (
            "pages",
            {"page_id": page, "page_number": number, "page_content": text, "ref_paper_id": paper, **size},
        )
    for name, count in _PER_PAPER.items():
        table = next(each for each in TABLES if each.name == name)
        for ordinal in range(count):
            row: dict[str, object] = {table.key: str(uuid.uuid4()), "ref_paper_id": paper, "ordinal": ordinal}
            for column in table.columns[1:]:
                if column.type == "VARCHAR":
                    row[column.name] = words.text(_TEXTS.get(column.name, 12))
            row["ref_page_id"] = pages[ordinal % _PAGES]
            yield name, row


def units_of(paper: str, rows: Mapping[str, Sequence[Mapping[str, object]]]) -> Iterator[Unit]:
    """The values of those rows that are searched."""
    for pair in ENCODABLE:
        if pair.modality == "text":
            for row in rows.get(pair.table, ()):
                if pair.column in row:
                    yield Unit(pair, paper, 1, str(row[pair.key]), str(row[pair.column]))


def made(folder: Path, papers: int, pdf: Path) -> Library:
    """A library of one real PDF and made papers."""
    library = Library.open(folder, create=True)
    library.add([pdf])
    resources, words = Resources(library.settings), Words(1)
    for _ in range(papers - 1):
        paper = str(uuid.uuid4())
        by_table: dict[str, list[dict[str, object]]] = {}
        for name, row in rows_of(paper, words):
            by_table.setdefault(name, []).append(row)
        with resources.database.writing() as connection:
            for name, rows in by_table.items():
                names = ", ".join(f'"{column}"' for column in rows[0])
                marks = ", ".join(f"({', '.join('?' for _ in rows[0])})" for _ in rows)
                values = [value for row in rows for value in row.values()]
                connection.execute(f"INSERT INTO {name} ({names}) VALUES {marks}", values)
            batch = analyse(paper, list(units_of(paper, by_table)))
            first = entries.write(connection, batch)
        with resources.index.writing() as writer:
            writer.put([(first, batch)])
    return library


def a_pdf(folder: Path) -> Path:
    """One page with text and a drawing."""
    from reportlab.pdfgen.canvas import Canvas

    path, words = folder / "page.pdf", Words(2)
    canvas = Canvas(str(path), pagesize=(612, 792))
    for line in range(60):
        canvas.drawString(60, 740 - 11 * line, words.text(12))
    for number in range(40):
        canvas.line(60 + number * 5, 60, 300 - number * 3, 20)
    canvas.save()
    return path


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
            library = made(Path(place) / "library", given.papers, a_pdf(Path(place)))
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
