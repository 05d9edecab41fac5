"""Children that read PDFs may die, hang or lie; the others go on."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas

from quire import errors
from quire.errors import DocumentError, DocumentLimit
from quire.library.parse_child import ChildAnswer, Failure, Parsed
from quire.library.parsing import ParseJob, Readers, error_of, page_words, unpickled
from quire.settings import Parsing
from quire.worker import Child, ChildDied, ChildLate
from tests.library.conftest import write_pdf

pytestmark = pytest.mark.usefixtures("own_children")


def test_a_child_that_is_killed_costs_one_file(tmp_path: Path) -> None:
    files = [write_pdf(tmp_path / f"{n}.pdf", f"Paper Number {n}", "Text.") for n in range(3)]
    jobs = [
        ParseJob(file, f"{n:08d}-0000-0000-0000-000000000000", file.name, None)
        for n, file in enumerate(files)
    ]
    with Readers(Parsing(workers=1)) as readers:
        results = []
        running = readers.run(iter(jobs))
        results.append(next(running))
        (child,) = readers._pool._free
        os.kill(child.process.pid, signal.SIGSTOP)  # so that it dies while it reads the second file
        threading.Timer(0.5, os.kill, (child.process.pid, signal.SIGKILL)).start()
        results += list(running)
    kinds = [type(result) for _, result in results]
    assert kinds == [Parsed, DocumentLimit, Parsed]
    assert "SIGKILL" in str(results[1][1])


def test_memory_is_limited(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.pdf"
    canvas = Canvas(str(bomb), pageCompression=1)
    canvas.addLiteral("0 0 m 1 1 l S\n" * 6_000_000)  # 84 MB that are packed into some 80 kB
    canvas.save()
    assert bomb.stat().st_size < 1_000_000
    jobs = [
        ParseJob(bomb, "00000000-0000-0000-0000-000000000000", "bomb.pdf", None),
        ParseJob(
            write_pdf(tmp_path / "good.pdf", "A Paper", "Text."),
            "00000001-0000-0000-0000-000000000000",
            "good.pdf",
            None,
        ),
    ]
    with Readers(Parsing(memory_limit=256, workers=1)) as readers:
        results = dict((job.file_name, result) for job, result in readers.run(jobs))
    assert isinstance(results["bomb.pdf"], DocumentLimit)
    assert "memory" in f"{results['bomb.pdf']} {results['bomb.pdf'].hint}"
    assert isinstance(results["good.pdf"], Parsed)


class Hostile:
    def __reduce__(self) -> tuple[Any, ...]:
        return (os.system, ("true",))


@pytest.mark.parametrize("message", [b"", b"nonsense", pickle.dumps(Hostile()), pickle.dumps({"a": 1})])
def test_an_answer_that_is_none_of_ours_is_refused(message: bytes) -> None:
    with pytest.raises(ChildDied, match="made no sense"):
        unpickled(message)


def test_what_an_answer_may_not_name_is_not_even_looked_up() -> None:
    with pytest.raises(ChildDied, match=r"system is not allowed"):
        unpickled(pickle.dumps(Hostile()))


def test_our_own_answers_are_read() -> None:
    answer = ChildAnswer(Failure("NotAPdf", "It is not a PDF.", ""), 40)
    assert unpickled(pickle.dumps(answer)) == answer


def test_a_silent_child_is_late_and_can_be_ended() -> None:
    child = Child("quire.library.parse_child", [Parsing().model_dump_json()])
    with pytest.raises(ChildLate):
        child.receive(0.01)
    child.close()
    assert child.process.returncode is not None
    with pytest.raises(ChildDied):
        child.send(b"{}")


@pytest.mark.parametrize("kind", [*dir(errors), "no_such_error", ""])
def test_whatever_a_child_calls_its_failure_it_is_told_as_one_of_documents(kind: str) -> None:
    found = error_of(Failure(kind, "It has no pages.", "Try another."))
    assert isinstance(found, DocumentError)
    assert (found.message, found.hint) == ("It has no pages.", "Try another.")
    named = getattr(errors, kind, None)
    if isinstance(named, type) and issubclass(named, DocumentError):
        assert type(found) is named


def test_a_child_serves_until_it_is_worn_out_or_fails(tmp_path: Path) -> None:
    page = write_pdf(tmp_path / "a.pdf", "On Boats", "They float.")
    readers = Readers(Parsing(workers=1), uses=3)
    readers.warm()
    (child,) = readers._pool._free
    assert child.uses == 0
    words = readers.words(page, 1)
    assert [(word.text, word.line) for word in words] == [("On", 0), ("Boats", 0), ("They", 1), ("float.", 1)]
    assert (words[0].x0, words[2].x0) == pytest.approx((50, 50), abs=2)
    assert words[1].x0 > words[0].x0 + words[0].width > words[0].x0
    assert all(0 < word.y0 < 150 and 5 < word.height < 25 for word in words)
    assert readers.render(page, 1, dpi=20).startswith(b"\x89PNG")
    assert readers._pool._free == [child]
    assert child.uses == 2
    readers.words(page, 1)
    assert readers._pool._free == []  # worn out
    assert child.process.poll() is not None
    with pytest.raises(DocumentError):
        readers.words(tmp_path / "gone.pdf", 1)
    assert readers._pool._free == []
    readers.warm()
    (child,) = readers._pool._free
    readers.close()
    assert child.process.poll() is not None
    assert readers._pool._free == []


@pytest.mark.parametrize("answer", [b"", b"7", b"[[1, 2]]", b'[["a", "x", 0, 1, 1, false, 0]]'])
def test_words_that_make_no_sense_are_refused(answer: bytes) -> None:
    with pytest.raises(DocumentError, match="could not be read"):
        page_words(answer)
