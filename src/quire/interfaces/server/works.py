"""What the jobs of a server do. Each may be ended at any moment and begun again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quire.build import Library
from quire.interfaces.server.jobs import Task, Work
from quire.interfaces.server.uploads import Uploads
from quire.library import AddReport

LANES: Mapping[str, str] = {
    "add": "library",
    "retry": "library",
    "refresh": "library",
    "restore": "library",
}


def works(library: Library, uploads: Uploads) -> Mapping[str, Work]:
    """The work of every kind of job."""

    def add(task: Task) -> Any:
        report = library.add(uploads.files(task.spec["batch"]), progress=task.report)
        return report_document(report)

    def retry(task: Task) -> Any:
        return report_document(library.retry(progress=task.report))

    def refresh(task: Task) -> Any:
        return report_document(library.refresh(task.spec.get("papers", ()), progress=task.report))

    def restore(task: Task) -> Any:
        paper = task.spec["paper"]
        report = library.add([uploads.kept(paper)], progress=task.report)
        if not report.failed:
            uploads.forget(paper)
        return report_document(report)

    return {"add": add, "retry": retry, "refresh": refresh, "restore": restore}


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
