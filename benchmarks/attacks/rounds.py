"""Attacks of earlier rounds, on material of the tests: SQL, filters, replies, logs, PDFs, flipped bytes."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

from benchmarks.attacks import Attack, Outcome
from benchmarks.attacks.seat import Tally
from benchmarks.attacks.store import bad, commands, small_library
from reportlab.pdfgen.canvas import Canvas
from tests.ask.test_quote_places import LEFT, RIGHT, draw
from tests.fuzz.targets import TARGETS, timed
from tests.store.test_sandbox import ENDLESS, HIDDEN, REFUSED

from quire.ask.evidence import verify
from quire.build import Library
from quire.errors import QueryError, QueryLimit, SqlError
from quire.types import Evidence

ROOT = Path(__file__).parents[2]
DATA = os.environ.get("QUIRE_ATTACK_DATA", "")  # a folder of damaged PDFs
_TIMES = int(os.environ.get("QUIRE_ATTACK_TIMES", "800"))
_BM25 = {"index__encoders": ("text_bm25_en",)}
_UNSAID = (
    "the boiling point of helium,the moons of Jupiter,the dose of aspirin,the capital of Peru,jazz trumpets,"
    "the price of copper,a recipe for lasagne,the length of the Nile,the author of Hamlet,chess openings,"
    "the half life of radium,the orbit of comets,volcanoes in Iceland,malaria vaccines,the Treaty of Utrecht"
)


def made_sentences(folder: Path) -> Outcome:
    """Sentences put together from two places of a page; those of two lines that follow are found."""
    tally, lines = Tally(), [*LEFT, *RIGHT]
    with Library.open(folder / "library", create=True, **_BM25) as library:
        paper = library.add(draw(folder / "two.pdf")).files[0].paper_id

        def found(quote: str) -> bool:
            return verify(Evidence(paper, 1, None, quote, verified=False), library).verified

        for (first, one), (second, other) in itertools.product(enumerate(lines), repeat=2):
            if (first, second) != (2, 3):  # from the foot of a column to the head of the next
                for words in (2, 3, 5):
                    quote = " ".join(one.split()[-words:] + other.split()[:words])
                    follows = second == first + 1
                    tally.attempt(quote, lambda q=quote, f=follows: "" if found(q) == f else f"{not f}")
    return tally.outcome()


def unsaid(folder: Path) -> Outcome:
    """Questions that no paper answers; a plain "wrong" is no word of the papers."""
    tally = Tally()
    with Library.open(folder / "library", create=True, offline=True, **_BM25) as library:
        library.add(ROOT / "examples" / "papers")
        for thing in _UNSAID.split(","):

            def ask(question: str = f"What is known about {thing}?") -> str:
                run = library.ask(question)
                library.verdict("wrong", run.run_id)
                kept = [item.answer for item in library.memory.verdicts.listed()]
                sure = run.answer.status == "answered" or run.answer.confidence > 0
                return f"{run.answer}, {kept}" if sure or any(kept) else ""

            tally.attempt(thing, ask, slowest=10)
    return tally.outcome()


def statements(folder: Path) -> Outcome:
    """SQL that reaches out, hides in other SQL, or never ends."""
    tally = Tally()
    wraps = ("{}", "SELECT * FROM ({}) t", "WITH x AS ({}) SELECT * FROM x", "EXPLAIN {}", "/* */ {} --")
    wraps += ("SELECT (SELECT count(*) FROM ({}) t)", "SELECT 1 UNION ALL {}", "DESCRIBE {}", "SUMMARIZE {}")
    limits = {"sql__time_limit": 0.5, "sql__max_bytes": 100_000}
    with Library.open(folder / "library", create=True, **_BM25, **limits) as library:
        for sql in [*REFUSED.values(), *(f"SELECT * FROM {name}" for name in HIDDEN)]:
            for said in (wrap.format(sql) for wrap in wraps):
                tally.attempt(said, lambda s=said: library.sql(s), QueryError)
        for sql in ENDLESS.values():
            tally.attempt(sql, lambda s=sql: library.sql(s), QueryLimit, SqlError, slowest=30)
    return tally.outcome()


def garbled(target: str) -> Callable[[Path], Outcome]:
    """What fuzzing kept of a kind of text, flipped, cut, doubled and joined."""

    def attack(folder: Path) -> Outcome:
        tally, dice, run = Tally(), random.Random(25), timed(TARGETS[target], 5)
        kept = [file.read_bytes() for file in sorted((ROOT / "tests/fuzz/corpus" / target).iterdir())]
        for number in range(_TIMES):
            made = bytearray(dice.choice(kept) + dice.choice([b"", dice.choice(kept)]))
            for _ in range(dice.randrange(9)):
                made[dice.randrange(len(made))] ^= 1 << dice.randrange(8)
            cut = sorted(dice.randrange(len(made) + 1) for _ in range(2))
            whole = (
                bytes(made) if dice.random() < 0.5 else bytes(made[cut[0] : cut[1]]) * dice.choice([1, 2, 99])
            )
            tally.attempt(f"{number}: {whole[:60]!r}", lambda w=whole: run(w[:20_000]), slowest=10)
        return tally.outcome()

    return attack


def damaged_pdfs(folder: Path) -> Outcome:
    """PDFs cut and flipped, and those of a folder: each is in or has a reason; a good one comes in."""
    pdfs, dice = folder / "pdfs", random.Random(25)
    pdfs.mkdir()
    for number, file in enumerate(sorted((ROOT / "examples/papers").glob("*.pdf")) * 6):
        whole = bytearray(file.read_bytes())
        for _ in range(4**number % 4096):
            whole[dice.randrange(len(whole))] ^= 1 << dice.randrange(8)
        (pdfs / f"{number}.pdf").write_bytes(whole[: dice.randrange(len(whole))] if number % 3 else whole)
    for number, file in enumerate(sorted(Path(DATA).rglob("*.pdf")) if DATA else ()):
        shutil.copy(file, pdfs / f"data-{number}.pdf")
    page = Canvas(str(pdfs / "good.pdf"))
    page.drawString(100, 700, "On Boats that Float on Water")
    page.save()
    tally = Tally()
    with Library.open(folder / "library", create=True, **_BM25) as library:
        report = library.add(pdfs)
        for one in report.files:
            wanted = one.paper_id if one.outcome != "failed" else one.reason
            tally.attempt(one.path.name, lambda w=wanted: "" if w else "no reason", slowest=1)
        good = [one for one in report.files if one.path.name == "good.pdf" and one.outcome == "added"]
        tally.attempt("the good one", lambda: "" if good else "is not in")
        tally.attempt(
            "check", lambda: "" if library.check().ok else str(library.check().problems), slowest=30
        )
    return tally.outcome(f"{len(report.failed)} failed, {report.seconds:.0f} s in all")


def flipped(folder: Path) -> Outcome:
    """Bytes flipped in each file of a library: commands end as they should, `repair` makes the best of it."""
    library, through, worst, tried = small_library(folder, ""), list[str](), 0.0, 0
    dice, kept = random.Random(25), folder / "kept"
    library.rename(kept)
    files = [file.relative_to(kept) for file in sorted(kept.rglob("*")) if file.is_file()]
    for name in files:
        shutil.rmtree(library, ignore_errors=True)
        shutil.copytree(kept, library)
        whole = bytearray((library / name).read_bytes())
        for _ in range(min(len(whole), 6)):
            whole[dice.randrange(len(whole))] ^= 1 << dice.randrange(8)
        (library / name).write_bytes(whole)
        said = commands(
            library,
            ("search", "sailors"),
            ("ask", "How many sailors does the First carry?"),
            ("check",),
            ("repair",),
            ("add", folder / "second.pdf"),
        )
        tried, worst = tried + len(said), max(worst, *(seconds for _, _, seconds in said))
        wrong = [f"{name}: {code} {text[-200:]}" for code, text, _ in said if bad(code, text)]
        # Of rows that cannot be read it is told that they are damaged, and how to make them anew.
        through += [each for each in wrong if "library.duckdb" not in str(name) or "Traceback" in each]
    return Outcome(tried, tuple(through), worst)


def suite(*selected: str, only: str = "") -> Callable[[Path], Outcome]:
    """Attacks that are tests of the suite, run once more."""

    def attack(folder: Path) -> Outcome:
        options = [
            "-k",
            only,
            "-q",
            "-n",
            "0",
            "-p",
            "no:cacheprovider",
            "--junitxml",
            str(folder / "said.xml"),
        ]
        begun = time.monotonic()
        command = [sys.executable, "-m", "pytest", *options, *selected]
        ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        cases = ET.parse(folder / "said.xml").findall(".//testcase") if ran.returncode in (0, 1) else []
        through = [case.get("name", "") for case in cases if case.find("failure") is not None]
        through += [case.get("name", "") for case in cases if case.find("error") is not None]
        through += [] if cases else [ran.stdout[-300:]]
        worst = max((float(case.get("time", "0")) for case in cases), default=0.0)
        return Outcome(len(cases), tuple(through), worst, notes=f"tests, {time.monotonic() - begun:.0f} s")

    return attack


_SERVER = "tests/app/server/"
ATTACKS = (
    Attack("25.4", "sentences made of two places", made_sentences),
    Attack("25.6", "what no paper speaks of, and plain wrong", unsaid),
    Attack("25.16", "links in add_papers", suite("tests/app/mcp/test_tools.py", only="allowed")),
    Attack("25.18", "replies, garbled", garbled("replies")),
    Attack("last", "SQL", statements),
    Attack("last", "filters, garbled", garbled("filters")),
    Attack("last", "answers and schemas, garbled", garbled("answers")),
    Attack("last", "logs and imports, garbled", garbled("imports")),
    Attack("last", "settings, garbled", garbled("configuration")),
    Attack("last", "damaged PDFs", damaged_pdfs),
    Attack("last", "flipped bytes in every file", flipped),
    Attack("last", "keys and scopes", suite(f"{_SERVER}test_access.py", f"{_SERVER}test_strangers.py")),
    Attack("last", "paths, names, CSRF", suite(f"{_SERVER}test_hostile.py", f"{_SERVER}test_limits.py")),
)
