"""What the library has already, as adding sees it: papers by id, by content and by the places of files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import duckdb

from quire import pdf
from quire.library import sources
from quire.library.records import Taken


@dataclass(frozen=True, slots=True)
class Known:
    """A paper with its content, or a file that could not be read."""

    paper_id: str
    sha256: str
    file_name: str
    source_path: str
    state: str
    copy_sha256: str = ""
    parser: str = ""  # "" once it is (being) read in this run

    @property
    def old(self) -> bool:
        """Whether an older parser parsed it."""
        return bool(self.parser) and pdf.outdated(self.parser)


class KnownPapers:
    """All of them, kept up to date while files are added."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        found = connection.execute(
            "SELECT paper_id::VARCHAR, sha256, file_name, source_path, state, copy_sha256, parser FROM papers"
        ).fetchall()
        self.by_id = {row[0]: Known(*row) for row in found}
        self.by_content = {k.sha256: k for k in self.by_id.values() if k.state != "failed"}
        self.places = sources.known(connection)  # of sources, to the ids of their papers

    def replaced_by(self, taken: Taken) -> tuple[Known, ...]:
        """The papers that go when a file has other content than before: it was their last source."""
        return () if taken.renews else tuple(self._other(taken))

    def _other(self, taken: Taken) -> Iterator[Known]:
        place = taken.source.place
        for known in self.by_id.values():
            if known.sha256 == taken.sha256:
                continue
            if known.state == "failed":
                gone = known.source_path == place
            else:
                mine = self.places.get(place) == known.paper_id
                gone = mine and sources.orphaned(self.places, place, known.paper_id)
            if gone:
                yield known

    def forget(self, paper_id: str) -> None:
        """The paper is not in any more."""
        if known := self.by_id.pop(paper_id, None):
            self.by_content.pop(known.sha256, None)
