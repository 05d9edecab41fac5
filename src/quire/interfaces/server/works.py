"""What the jobs of a server do. Each may be ended at any moment and begun again."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quire.build import Library
from quire.interfaces.server.jobs import Running, Work
from quire.interfaces.server.store import NotFound
from quire.interfaces.server.uploads import Uploads
from quire.library import AddReport

LANES: Mapping[str, str] = {
    "add": "library",
    "retry": "library",
    "refresh": "library",
    "restore": "library",
    "quiz": "measure",
    "evaluate": "measure",
}
QUIZZES = Path("serve") / "quizzes"  # in the library's folder
_QUIZ = re.compile(r"(sent-)?[0-9a-f]{32}")


def works(library: Library, uploads: Uploads) -> Mapping[str, Work]:
    """The work of every kind of job."""

    def add(task: Running) -> Any:
        report = library.add(uploads.files(task.spec["batch"]), progress=task.report)
        uploads.taken(file.path for file in report.files if file.outcome != "failed")
        return report_document(report)

    def retry(task: Running) -> Any:
        return report_document(library.retry(progress=task.report))

    def refresh(task: Running) -> Any:
        return report_document(library.refresh(task.spec.get("papers", ()), progress=task.report))

    def restore(task: Running) -> Any:
        paper = task.spec["paper"]
        report = library.add([uploads.kept(paper)], progress=task.report)
        if not report.failed:
            uploads.forget(paper)
        return report_document(report)

    def quiz(task: Running) -> Any:
        from quire.tasks.quiz import make_quiz

        asked = task.spec
        rows = [
            question.as_row()
            for question in make_quiz(library, asked["papers"], each=asked["each"], seed=asked["seed"])
        ]
        file = library.folder / QUIZZES / f"{task.job.id}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return {"quiz": task.job.id, "questions": len(rows)}

    def evaluate(task: Running) -> Any:
        from quire.streams.report.summary import summarise

        file = quiz_file(library, task.spec["quiz"])
        run, folder = library.evaluate(file, limit=task.spec["limit"], resume=True, progress=task.report)
        return {"evaluation": folder.name, **summarise(run.records).as_json()}

    return {
        "add": add,
        "retry": retry,
        "refresh": refresh,
        "restore": restore,
        "quiz": quiz,
        "evaluate": evaluate,
    }


def quiz_file(library: Library, quiz: str) -> Path:
    """Where a quiz is.

    Raises:
        NotFound: there is none of that id.
    """
    file = library.folder / QUIZZES / f"{quiz}.jsonl"
    if not _QUIZ.fullmatch(quiz) or not file.is_file():
        raise NotFound(f"There is no quiz `{quiz[:80]}`.", hint="POST /api/v1/quiz makes one.")
    return file


def report_document(report: AddReport) -> dict[str, Any]:
    """What became of all files, without the server's own paths."""
    files = [
        {
            "file_name": file.path.name,
            "outcome": file.outcome,
            "paper": file.paper_id,
            "title": file.title,
            "pages": file.pages,
            "error": file.reason,
            "remarks": file.notes,
        }
        for file in report.files
    ]
    return {"files": files, "encoded": report.encoded, "notes": report.notes, "seconds": report.seconds}


def waiting_files(library: Library) -> list[Path]:
    """Where the files of failed papers are, which a retry will read."""
    return [Path(paper.source_path) for paper in library.papers() if paper.state == "failed"]
