"""What the jobs of a server do. Each may be ended at any moment and begun again."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quire.app.server.jobs import Running, Work
from quire.app.server.store import NotFound, below
from quire.app.server.uploads import Uploads
from quire.build import Library
from quire.library import AddReport

LANES: Mapping[str, str] = {
    "add": "library",
    "retry": "library",
    "refresh": "library",
    "restore": "library",
    "quiz": "measure",
    "evaluate": "measure",
}
QUIZZES = ("serve", "quizzes")  # in the library's folder
_QUIZ = re.compile(r"(sent-)?[0-9a-f]{32}")


def works(library: Library, uploads: Uploads) -> Mapping[str, Work]:
    """The work of every kind of job."""

    def add(task: Running) -> Any:
        report = library.add(uploads.files(task.spec["batch"]), progress=task.report)
        uploads.taken(file.path for file in report.files if file.outcome != "failed")
        return report_document(report)

    def retry(task: Running) -> Any:
        """What failed in the library, and what was sent to jobs that failed as a whole."""
        again = report_document(library.retry(progress=task.report))
        sent = [file for batch in task.ids("add", "failed") for file in uploads.files(batch)]
        if not sent:
            return again
        report = library.add(sent, progress=task.report)
        uploads.taken(file.path for file in report.files if file.outcome != "failed")
        return {name: again[name] + value for name, value in report_document(report).items()}

    def refresh(task: Running) -> Any:
        return report_document(library.refresh(task.spec.get("papers", ()), progress=task.report))

    def restore(task: Running) -> Any:
        wanted = [one.id for one in library.removed() if one.id == task.spec["paper"]]  # else it is in
        return report_document(library.restore(wanted, progress=task.report))

    def quiz(task: Running) -> Any:
        from quire.eval.quiz import make_quiz

        asked = task.spec
        rows = [
            question.as_row()
            for question in make_quiz(library, asked["papers"], each=asked["each"], seed=asked["seed"])
        ]
        file = below(library.folder, *QUIZZES, f"{task.job.id}.jsonl")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return {"quiz": task.job.id, "questions": len(rows)}

    def evaluate(task: Running) -> Any:
        from quire.eval.report.summary import summarise

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
    if _QUIZ.fullmatch(quiz) and (file := below(library.folder, *QUIZZES, f"{quiz}.jsonl")).is_file():
        return file
    raise NotFound(f"There is no quiz `{quiz[:80]}`.", hint="POST /api/v1/quiz makes one.")


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
