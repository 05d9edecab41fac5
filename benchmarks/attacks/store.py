"""Attacks on a library's folder and database: strangers' tables, full disks, kills, damage, calls."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb
from benchmarks.attacks import Attack, Outcome, mounted
from benchmarks.attacks.seat import Tally
from benchmarks.growth import Filler, parsed
from tests.library.conftest import KEYWORDS, write_pdf
from tests.library.walk import _ACTS, HARMS, SHIPS, Walk, derived_of, step, survive

from quire import syscalls
from quire.errors import LibraryDamaged, LibraryError, LibraryFull, LibraryLocked, LibraryUnsafe, QuireError
from quire.library import Library, intake
from quire.store import Database, WriterLock, locks

ROOT = Path(__file__).parents[2]
_STEPS = int(os.environ.get("QUIRE_ATTACK_STEPS", "2000"))
_KILLS = int(os.environ.get("QUIRE_ATTACK_KILLS", "100"))
_POINTS = 50
_ENTRIES = 4500  # words of more than 4000 are laid out otherwise
_RUN = """
import contextlib, io, json, sys, time
from quire.app.cli import main
for arguments in json.loads(sys.argv[1]):
    sys.argv = ["quire", *arguments]
    out, err, code, started = io.StringIO(), io.StringIO(), 0, time.monotonic()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        except BaseException as error:
            code, _ = "Traceback", print(repr(error), file=sys.stderr)
    print(json.dumps([code, out.getvalue(), err.getvalue(), time.monotonic() - started]), flush=True)
"""
_TOML = '[index]\nencoders = ["text_bm25_en"]\n'


def commands(library: Path, *said: Sequence[object]) -> list[tuple[object, str, float]]:
    """What each command of the shell ended with, said, and took, in a process of their own."""
    words = json.dumps([[*map(str, each), "--library", str(library)] for each in said])
    ran = subprocess.run(
        [sys.executable, "-c", _RUN, words],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        cwd=ROOT,
    )
    lines = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("[")]
    done = [(code, out + err, seconds) for code, out, err, seconds in lines]
    return done + [("died", ran.stderr[-500:], 0.0)] * (len(said) - len(done))


def small_library(folder: Path, settings: str = _TOML) -> Path:
    """A library of one paper, with a verdict in its memory; by default without vectors."""
    library = folder / "library"
    library.mkdir()
    (library / "quire.toml").write_text(settings)
    pdf = write_pdf(folder / "first.pdf", "On the First of all Boats", "The First carries 14 sailors.")
    write_pdf(folder / "second.pdf", "On the Second of all Boats", "The Second carries 15 sailors.")
    asked = ("ask", "How many sailors does the First carry?")
    for code, said, _ in commands(library, ("add", pdf), asked, ("verdict", "wrong", "--answer", "14")):
        assert code == 0, said
    return library


def links(folder: Path) -> Outcome:
    """Links in a library must not have their targets read, overwritten or deleted."""
    places = "library.lock library.duckdb library.duckdb.wal library.duckdb.tmp papers papers/.leaving "
    places += "papers/.incoming cache index runs serve serve/uploads serve/trash serve.sqlite memory.sqlite "
    places += "trash downloads"
    through, worst = [], 0.0
    for place in places.split():
        with tempfile.TemporaryDirectory(dir=folder) as room:
            precious, library = Path(room) / "precious", Path(room) / "library"
            precious.mkdir()
            (precious / "letter").write_text("Dear reader")
            (library / place).parent.mkdir(parents=True)
            (library / place).symlink_to(precious if "." not in place[1:] else precious / "letter")
            write_pdf(Path(room) / "one.pdf", "On Boats")
            said = commands(library, ("add", Path(room) / "one.pdf"), ("repair",), ("ask", "What floats?"))
            worst = max(worst, *(seconds for _, _, seconds in said))
            there = {each.name: each.read_text() for each in precious.iterdir() if each.is_file()}
            if there != {"letter": "Dear reader"} or any("LibraryUnsafe" not in text for _, text, _ in said):
                through.append(f"{place}: {said}")
    return Outcome(len(places.split()), tuple(through), worst)


def strange_tables(folder: Path) -> Outcome:
    """Views, macros and triggers of a stranger, and SQL on every connection, must reach no file."""
    secret = folder / "secret"
    secret.write_text("the secret")
    statements = [
        f"ALTER TABLE {table} RENAME TO old; CREATE VIEW {table} AS SELECT * FROM read_text('{secret}')"
        for table in ("pages", "papers", "metadata", "chunks", "sources")
    ]
    statements += [
        f"CREATE MACRO told() AS (SELECT content FROM read_text('{secret}'))",
        f"CREATE MACRO told() AS TABLE FROM read_text('{secret}')",
        "CREATE SCHEMA s; CREATE VIEW s.v AS SELECT 1",
        "CREATE TRIGGER t AFTER INSERT ON papers FOR EACH STATEMENT DELETE FROM pages",
    ]
    through = []
    for number, statement in enumerate(statements):
        database = Database(folder / f"{number}" / "library.duckdb")
        database.create()
        locks.shared_file(database.path).drop()
        with duckdb.connect(str(database.path)) as connection:
            connection.execute(statement)
        library = Library.open(database.path.parent, **KEYWORDS)
        uses: list[Callable[[], object]] = [
            library.papers,
            library.check,
            lambda lib=library: lib.search("x"),
        ]  # type: ignore[misc]
        uses += [library.repair, lambda lib=library: lib.sql("SELECT * FROM pages")]  # type: ignore[misc]
        through += [f"{statement}: {said}" for use in uses if (said := _unlike(use, LibraryUnsafe))]
        library.close()
    plain = Database(folder / "plain" / "library.duckdb")
    plain.create()
    tries = [f"FROM read_text('{secret}')", f"FROM '{secret}'", f"COPY (SELECT 1) TO '{folder}/x.csv'"]
    tries += [
        f"ATTACH '{folder}/x.duckdb'",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
    ]
    tries += ["INSTALL httpfs", "LOAD httpfs", f"EXPORT DATABASE '{folder}/x'", "SET temp_directory = '/tmp'"]
    for sql in tries:
        for use in (plain.reading, plain.writing):
            try:
                with use() as connection:
                    through.append(f"{sql}: {connection.execute(sql).fetchall()}")
            except (duckdb.Error, QuireError):
                continue
    return Outcome(5 * len(statements) + 2 * len(tries), tuple(through))


def ran_out(folder: Path) -> Outcome:
    """A database that outgrows its memory is full, not damaged; no advice moves it away."""
    through = []
    Database(folder / "library.duckdb").create()
    fill = "INSERT INTO pages SELECT uuid(), 1, 1, 1, repeat('x', {}) || range, '', uuid(), '' FROM range({})"
    tries = [(limit, size) for limit in (12, 16, 24, 32) for size in (1000, 4000, 16_000)]
    for limit, size in tries:
        small = Database(
            folder / "library.duckdb",
            config={
                "memory_limit": f"{limit}MB",
                "max_temp_directory_size": "1MB",
                "enable_external_access": "false",
            },
        )

        def work(small: Database = small, size: int = size) -> None:
            with small.writing() as connection:
                connection.execute(fill.format(size, 200_000_000 // size) + " ORDER BY random()")

        if said := _unlike(work, LibraryFull):
            through.append(f"{limit} MB, {size}: {said}")
    with Database(folder / "library.duckdb").reading() as connection:
        if connection.execute("SELECT count(*) FROM pages").fetchall() != [(0,)]:
            through.append("some of it went in")
    return Outcome(len(tries), tuple(through))


def removing_by_a_part(folder: Path) -> Outcome:
    """`quire remove` with a part of a name removes nothing unless it is agreed to; what went comes back."""
    library = small_library(folder)
    with Library.open(library) as opened:
        title = opened.papers()[0].title or "first"
    parts = [word for word in (title.split()[-1], title[:6], "fir", "irst", "rst.p") if word]
    said = commands(library, *(("remove", part) for part in parts), ("status", "--json"))
    through = [
        f"remove {part}: {text}" for part, (code, text, _) in zip(parts, said, strict=False) if code == 0
    ]
    through += [] if '"first.pdf"' in said[-1][1] else ["it is gone"]
    said = commands(
        library, ("remove", "fir", "--yes"), ("restore", "first"), ("status", "--json"), ("check",)
    )
    through += [text for code, text, _ in said if code != 0]
    through += [] if '"first.pdf"' in said[2][1] else ["it did not come back"]
    return Outcome(len(parts) + 4, tuple(through))


def calls(folder: Path) -> Outcome:
    """Every system call by its number, in a closed process: only those on the list may do anything."""
    machine = os.uname().machine
    allowed = {
        number
        for text in (syscalls._ALWAYS, syscalls._SOME)
        for number in syscalls._numbers(text, machine).values()
    }
    # Two that the kernel never filters: they end a process that calls them by itself.
    tried = [number for number in range(1024) if number not in allowed | {335, 336}]
    code = (
        "import ctypes, json, sys\nfrom quire import syscalls\nassert syscalls.close()\n"
        "libc = ctypes.CDLL(None, use_errno=True)\nfor number in json.loads(sys.argv[1]):\n"
        "    done = libc.syscall(number, -1, 0, 0, 0, 0)\n"
        "    if done >= 0 or ctypes.get_errno() not in (1, 38): print(number)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, json.dumps(tried)], capture_output=True, text=True, check=False
    )
    through = [*ran.stdout.split(), *([ran.stderr[-300:]] if ran.returncode else [])]
    return Outcome(len(tried), tuple(through), notes=f"{len(allowed)} allowed")


def spoilt_memory(folder: Path) -> Outcome:
    """A memory that is cut or flipped: 96 commands, none dies of it, all is kept, answers go on."""
    library = small_library(folder)
    memory = library / "memory.sqlite"
    whole, dice, through, worst, tried = memory.read_bytes(), random.Random(1), [], 0.0, 0
    for number in range(12):
        shutil.rmtree(library / "runs", ignore_errors=True)
        for each in library.glob("memory.sqlite*"):
            each.unlink()
        spoilt = bytearray(whole[: dice.randrange(1, len(whole))] if number % 2 else whole)
        for _ in range(0 if number % 2 else 4 ** (number // 2 + 1)):
            spoilt[dice.randrange(len(spoilt))] ^= 1 << dice.randrange(8)
        memory.write_bytes(spoilt)
        said = commands(
            library,
            ("ask", "How many sailors does the First carry?"),
            ("verdict", "wrong", "--answer", "14"),
            ("memory", "list"),
            ("memory", "search", "sailors"),
            ("search", "sailors"),
            ("status",),
            ("memory", "export", "-o", folder / f"{number}.jsonl"),
            ("ask", "How many sailors does the First carry?"),
        )
        tried += len(said)
        worst = max(worst, *(seconds for _, _, seconds in said))
        through += [f"{number}: {code} {text[-200:]}" for code, text, _ in said if bad(code, text)]
        through += [f"{number}: ask failed: {said[at][1][-200:]}" for at in (0, 7) if said[at][0] != 0]
    return Outcome(tried, tuple(through), worst)


def large_library(folder: Path) -> Path:
    """A library of some thousand entries with vectors: the example papers, stored again under new ids."""
    papers = sorted((ROOT / "examples" / "papers").glob("*.pdf"))
    with Library.open(folder / "large", create=True) as library:
        moulds = parsed(library, papers)  # as they were ready
        own = {intake.sha256_of(paper): paper for paper in papers}
        resources = library._resources
        resources.papers.mkdir()
        with WriterLock(library.folder), resources.index.writing() as writer:
            filler = Filler(library, moulds, writer, vectors=False)
            while filler.entries < _ENTRIES:
                filler.add(own[moulds[filler.papers % len(moulds)].copy_sha256])
        assert library.repair().ok  # it encodes what waits: the texts are few
    return folder / "large"


def derived(folder: Path) -> Outcome:
    """Each file of the index of a library with vectors harmed in seven ways, the same for its folders."""
    kept, tally, dice = large_library(folder), Tally(), random.Random(26)
    asked = "How long does a boat float until it sinks?"
    for name in derived_of(kept):
        for harm in HARMS:
            tally.attempt(
                f"{name} {harm}",
                lambda n=name, h=harm: survive(kept, folder / "harmed", n, h, asked, dice),
                slowest=60,
            )
    return tally.outcome()


def walk_of(damage: bool) -> Callable[[Path], Outcome]:
    """A seeded random walk, looked at after every step."""

    def walk(folder: Path) -> Outcome:
        through, worst, dice, walk = [], 0.0, random.Random(25), Walk(folder, damage)
        for number in range(_STEPS):
            started, name = time.monotonic(), "?"
            try:
                name = step(walk, dice)
                wrong = walk.look()
            except Exception as error:  # whatever it is, it is a difference
                wrong = [repr(error)[:300]]
            worst = max(worst, time.monotonic() - started)
            if wrong:
                through.append(f"step {number}, {name}: {wrong}")
                break
        return Outcome(number + 1, tuple(through), worst, notes="ends at the first difference")

    return walk


def kills(folder: Path) -> Outcome:
    """Kill -9 at random moments, while another process asks and searches the same library."""
    walk, dice, through, worst, done = Walk(folder), random.Random(25), [], 0.0, 0
    locked = 0
    walk.add(len(SHIPS))
    walk.open()
    with _neighbour(walk.folder):
        while done < _KILLS and not through:
            act, ship = dice.choice([*_ACTS]), dice.randrange(len(SHIPS))
            if not walk._may(act, ship):
                getattr(walk, {"add": "remove", "restore": "remove"}.get(act, "add"))(ship)
                continue
            done += 1
            try:
                took = walk.kill(act, ship, dice.random() * dice.choice([0.05, 0.5, 1.5]))
                through += [f"{act} {ship}: {each}" for each in walk.look()]
            except LibraryLocked:  # the other process held it for ten seconds: told, nothing lost
                locked += 1
                walk.open()
                continue
            except Exception as error:
                through.append(f"{act} {ship}: {error!r}"[:400])
                continue
            worst = max(worst, took)
            through += [f"{act}: opened after {took:.1f} s"] if took > 5 else []
    return Outcome(done, tuple(through), worst, notes=f"worst: to open; {locked} times locked")


@contextmanager
def _neighbour(library: Path) -> Iterator[None]:
    code = (
        "import sys, time\nfrom quire.build import Library\nfrom quire.errors import QuireError\n"
        "library = Library.open(sys.argv[1], index__encoders=('text_bm25_en',))\n"
        "while True:\n    try:\n        library.search('sailors'); library.ask('Who carries sailors?')\n"
        "    except QuireError: pass\n    time.sleep(1)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, library], stderr=subprocess.PIPE) as process:
        try:
            yield
        finally:
            alive = process.poll() is None
            process.kill()
            assert alive, process.stderr.read()[-2000:] if process.stderr else b""


def full_disk(folder: Path) -> Outcome:
    """A small disk that is full after so many bytes more: typed errors, nothing lost, all well afterwards."""
    library, disk = small_library(folder), folder / "disk"
    disk.mkdir()
    return mounted("store", "at_full_disk", "-t tmpfs -o size=96m none", disk, library, disk)


def at_full_disk(library: str, disk: str) -> None:
    """Within a mount of its own: prints what came of it."""
    second, place, filler = Path(library).parent / "second.pdf", Path(disk) / "library", Path(disk) / "filler"
    through: list[str] = []
    worst, tried = 0.0, 0
    for number in range(_POINTS):
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(library, place)
        room = os.statvfs(disk)
        free = number**2 * 2048  # to 4.9 MB: enough for all
        with filler.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, room.f_bavail * room.f_bsize - free)
        said = commands(
            place,
            ("add", second),
            ("ask", "How many sailors does the First carry?"),
            ("verdict", "right"),
            ("remove", "first.pdf"),
            ("restore", "first.pdf"),
            ("check",),
            ("memory", "list"),
        )
        filler.unlink()
        tried += len(said)
        worst = max(worst, *(seconds for _, _, seconds in said))
        through += [f"{free} free: {code} {text[-300:]}" for code, text, _ in said if bad(code, text)]
        with Library.open(place) as after:
            names = {one.file_name for one in (*after.papers(), *after.removed())}
            health = after.repair()
            if "first.pdf" not in names or not health.ok:
                through.append(f"{free} free: {names}, {health.problems}")
        code, text, _ = commands(place, ("memory", "list"))[0]
        through += [] if code == 0 and "14" in text else [f"{free} free: the verdict is lost: {text}"]
    print(json.dumps({"tried": tried, "through": through, "worst": worst}))


def read_only(folder: Path) -> Outcome:
    """A library that cannot be written is read; what would change it says so."""
    library = small_library(folder)
    # The place stands where "$0" is; `mount -o bind,ro` alone does not make it read-only.
    return mounted("store", "at_read_only", '--bind "$0" "$0" && mount -o remount,ro,bind', library, library)


def at_read_only(library: str) -> None:
    """Within a mount of its own: prints what came of it."""
    second = Path(library).parent / "second.pdf"
    changing = [
        ("add", second),
        ("repair",),
        ("remove", "first.pdf"),
        ("retry",),
        ("refresh",),
        ("restore", "x"),
    ]
    changing += [("verdict", "right"), ("summarize", "--yes")]
    reading = [
        ("ask", "How many sailors does the First carry?"),
        ("search", "sailors"),
        ("status",),
        ("check",),
    ]
    said = commands(Path(library), *changing, *reading)
    through = [f"{code} {text[-300:]}" for code, text, _ in said if bad(code, text)]
    through += [f"it changed: {text}" for code, text, _ in said[: len(changing)] if code == 0]
    through += [f"it was not read: {text}" for code, text, _ in said[len(changing) :] if code != 0]
    print(json.dumps({"tried": len(said), "through": through}))


def bad(code: object, text: str) -> bool:
    """Whether a command died, or called damaged what is not, or gave advice that loses something."""
    wrong = "Traceback" in text or "LibraryDamaged" in text
    return code not in (0, 1) or wrong or re.search(r"\bmove it", text.lower()) is not None


def _unlike(use: Callable[[], object], wanted: type[LibraryError]) -> str:
    """What came of it, where that is not this error; "" where it is."""
    try:
        return f"no error: {use()!r}"[:300]
    except wanted as error:
        return f"{error!r} advises to move it" if "move it" in str(error) else ""
    except (LibraryDamaged, Exception) as error:
        return repr(error)[:300]


ATTACKS = (
    Attack("25.2", "databases that outgrow their memory", ran_out),
    Attack("25.3", "removing by a part of a name", removing_by_a_part),
    Attack("25.13", "links in a stranger's library", links),
    Attack("25.14", "views, macros, triggers; SQL that reaches out", strange_tables),
    Attack("25.16", "system calls by number", calls),
    Attack("25.19", "memories cut and flipped", spoilt_memory),
    Attack("25.20", "a full disk at 50 points", full_disk),
    Attack("25.20", "a read-only folder", read_only),
    Attack("25.1", "derived files of a library with vectors", derived),
    Attack("25.row2", "a walk, derived files emptied", walk_of(False)),
    Attack("25.row2", "a walk, derived files damaged", walk_of(True)),
    Attack("25.row3", "kill -9 of the shell, two processes", kills),
)
