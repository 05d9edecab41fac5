"""Vectors that lie in a Milvus which may be away: nothing stops for that, and all is made up afterwards."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

import numpy as np
import pytest
from numpy.typing import NDArray
from pymilvus import MilvusClient

from quire.errors import VectorsAway
from quire.library import Library
from quire.search import BM25, MINILM, signals
from quire.search.view import RANKED
from tests.library.conftest import write_pdf

SERVER = os.environ.get("QUIRE_MILVUS", "")
SUBJECTS = ("Boats", "Bread", "Seeds")
PROGRAM = os.environ.get("QUIRE_MILVUS_PROGRAM", "")  # `milvus-server` of the package `milvus` 2.3.5
needs_program = [pytest.mark.slow, pytest.mark.skipif(not PROGRAM, reason="no server to start")]
needs_server = [pytest.mark.slow, pytest.mark.skipif(not SERVER, reason="no server")]


AWAY = [pytest.param("server", marks=needs_server), pytest.param("program", marks=needs_program)]


class Letters:
    """An encoder that counts letters; `before` is called with the number of texts that it has read."""

    name, dim, max_tokens, precision = MINILM, 8, 100, "float32"

    def __init__(self) -> None:
        self.read = 0
        self.before: Callable[[int], None] = lambda _: None

    def encode(self, items: Sequence[str | bytes]) -> NDArray[np.float32]:
        self.before(self.read)
        self.read += len(items)
        texts = [str(item) for item in items]
        rows = np.asarray([[text.count(c) for c in "abdeinos"] for text in texts], dtype=np.float32)
        unit: NDArray[np.float32] = (rows + 0.1) / np.linalg.norm(rows + 0.1, axis=1, keepdims=True)
        return unit

    def encode_query(self, text: str) -> NDArray[np.float32]:
        row: NDArray[np.float32] = self.encode([text])[0]
        return row


class Place(Protocol):
    uri: str

    def cut(self) -> None: ...
    def mend(self) -> None: ...


class LiteFile:
    """Milvus Lite, which is always there."""

    def __init__(self, folder: Path, words: str = "") -> None:
        self.uri = f"milvus:{folder / 'vectors.db'}{words}"

    def cut(self) -> None: ...

    def mend(self) -> None: ...


class Wire:
    """A real server behind a wire that can be cut."""

    def __init__(self, server: str) -> None:
        place = urlsplit(server)
        self._target = (str(place.hostname), place.port or 19530)
        self._port = 0
        self._ends: list[socket.socket] = []
        self.mend()
        self.uri = f"milvus+http://127.0.0.1:{self._port}"

    def mend(self) -> None:
        self.cut()
        listening = socket.create_server(("127.0.0.1", self._port))
        self._port = listening.getsockname()[1]
        self._ends = [listening]
        threading.Thread(target=self._serve, args=(listening,), daemon=True).start()

    def cut(self) -> None:
        for end in self._ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self._ends = []

    def _serve(self, listening: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = listening.accept()
                try:
                    far = socket.create_connection(self._target)
                except OSError:
                    near.close()
                    continue
                self._ends += [near, far]
                threading.Thread(target=self._carry, args=(near, far), daemon=True).start()

    def _carry(self, near: socket.socket, far: socket.socket) -> None:
        other = {near: far, far: near}
        with contextlib.suppress(OSError, ValueError), near, far:
            while True:
                for end in select.select([near, far], [], [])[0]:
                    if not (said := end.recv(65536)):
                        return
                    other[end].sendall(said)


class Program(Wire):
    """A server of our own, which is killed and started again; its own port changes, the wire's does not."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        super().__init__("")

    def mend(self) -> None:
        super().mend()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._target = free.getsockname()
        command = [PROGRAM, "--data", str(self._folder), "--proxy-port", str(self._target[1])]
        self._process = subprocess.Popen(
            command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while not self._answers():
            assert self._process.poll() is None

    def cut(self) -> None:
        super().cut()
        if self._process:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def _answers(self) -> bool:
        from pymilvus import MilvusException

        try:
            MilvusClient("http://{}:{}".format(*self._target), timeout=2).list_collections()
        except MilvusException:
            return False
        return True


class Remote:
    """A library whose vectors lie there."""

    def __init__(self, folder: Path, place: Place) -> None:
        self.folder, self.place = folder, place
        self.library = Library.open(folder / "library", index__vectors=place.uri)
        self.encoder = Letters()
        self.library._resources._encoders[MINILM] = self.encoder

    def files(self, *subjects: str) -> list[Path]:
        return [
            write_pdf(self.folder / f"{name}.pdf", f"On {name} and Their Makers", f"{name} are made by hand.")
            for name in subjects
        ]

    def away(self) -> None:
        self.library._resources.index.close()
        self.place.cut()

    def back(self) -> None:
        self.place.mend()
        self.library._resources.index.close()  # so that the next call does not wait before it tries again

    def whole(self) -> None:
        """Every entry has its vector there, and no vector is left over."""
        assert self.library.check().problems == ()
        resources = self.library._resources
        assert resources.index.words.counted == resources.index.words_elsewhere()
        with resources.database.reading() as connection:
            ((wanted,),) = connection.execute("SELECT count(*) FROM entries WHERE bbox IS NULL").fetchall()
            end = resources.index.view(connection).slots.state.end
        assert int(resources.index.vectors(MINILM).held(end + 100).sum()) == wanted

    def found(self, subject: str) -> set[str]:
        names = {paper.id: paper.file_name for paper in self.library.papers()}
        return {names[hit.paper_id] for hit in self.library.search(subject, limit=50)}


PLACES: dict[str, Callable[[Path], Place]] = {
    "lite": LiteFile,
    "lite?words": lambda folder: LiteFile(folder, "?words"),
    "server": lambda _: Wire(SERVER),
    "program": lambda folder: Program(folder / "server"),
}


@pytest.fixture(params=["lite", "lite?words", pytest.param("server", marks=needs_server)])
def remote(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Remote]:
    made = Remote(tmp_path, PLACES[request.param](tmp_path))
    yield made
    made.back()
    made.library._resources.index.vectors(MINILM).drop()
    made.library.close()
    made.place.cut()


@pytest.mark.parametrize("remote", [pytest.param("server", marks=needs_server)], indirect=True)
def test_while_it_is_away_papers_go_in_and_words_are_searched(remote: Remote) -> None:
    remote.library.add(remote.files("Boats"))
    remote.whole()
    remote.away()
    report = remote.library.add(remote.files("Bread", "Seeds"))
    assert [file.outcome for file in report.files] == ["added", "added"]
    told = [note for note in report.notes if "Milvus" in note]
    assert len(told) == 1
    assert "Until then search goes by keywords" in told[0]
    hits = remote.library.search("seeds made by hand")
    assert remote.library.paper(hits[0].paper_id).file_name == "Seeds.pdf"
    assert "went by words alone" in " ".join(hits.notes)
    assert remote.library.search("seeds", table="sentences", column="sentence_content").notes
    with pytest.raises(VectorsAway):
        remote.library.search("seeds", table="sentences", column="sentence_content", collection=MINILM)
    assert {problem.waiting for problem in remote.library.check().problems} == {True}
    assert any("Milvus" in told for told in remote.library.status().unavailable)
    remote.library.remove("Boats.pdf")
    assert "Boats.pdf" not in remote.found("boats")
    remote.back()
    assert remote.library.add([]).encoded > 0
    remote.whole()
    assert not remote.library.search("seeds made by hand").notes
    assert {paper.state for paper in remote.library.papers()} == {"encoded"}


def test_what_is_removed_is_forgotten_there_at_once(remote: Remote) -> None:
    remote.library.add(remote.files(*SUBJECTS))
    remote.library.remove("Bread.pdf")
    remote.whole()
    assert remote.found("bread") == {"Boats.pdf", "Seeds.pdf"}


def test_a_paper_that_is_read_again_keeps_its_new_vectors_alone(remote: Remote) -> None:
    remote.library.add(remote.files(*SUBJECTS))
    with remote.library._resources.database.writing() as connection:
        connection.execute("UPDATE papers SET parser = 'pdfium-1'")
    read = remote.encoder.read
    assert len(remote.library.refresh().files) == 3
    assert remote.encoder.read == read, "the same texts need no new vectors"
    remote.whole()


@pytest.mark.parametrize("remote", AWAY, indirect=True)
def test_a_server_that_goes_away_in_the_middle_is_made_up_for(remote: Remote) -> None:
    remote.library.add(remote.files("Boats"))
    remote.encoder.before = lambda _: remote.place.cut()
    report = remote.library.add(remote.files("Bread"))
    assert [file.outcome for file in report.files] == ["added"]
    assert len([note for note in report.notes if "Milvus" in note]) == 1
    remote.encoder.before = lambda _: None
    report = remote.library.add(remote.files("Seeds"))
    assert [file.outcome for file in report.files] == ["added"]
    assert any("cannot be used" in note for note in report.notes), "it is still away"
    hits = remote.library.search("seeds made by hand")
    assert remote.library.paper(hits[0].paper_id).file_name == "Seeds.pdf"
    assert "went by words alone" in " ".join(hits.notes)
    assert {paper.state for paper in remote.library.papers()} == {"encoded", "parsed"}
    remote.back()
    report = remote.library.add([])
    assert report.encoded > 0
    assert not [note for note in report.notes if "Milvus" in note]
    remote.whole()
    assert {paper.state for paper in remote.library.papers()} == {"encoded"}
    assert not remote.library.search("seeds made by hand").notes


def test_vectors_that_were_lost_there_are_made_again(remote: Remote) -> None:
    remote.library.add(remote.files(*SUBJECTS))
    remote.library._resources.index.vectors(MINILM).drop()
    assert {problem.kind for problem in remote.library.check().problems} == {"waiting"}
    remote.library.repair()
    remote.whole()


def opened(folder: Path) -> Library:
    library = Library.open(folder / "library")
    library._resources._encoders[MINILM] = Letters()
    return library


def found(library: Library) -> list[tuple[str, int]]:
    """The best of a search of the whole library with a mistyped word, and all of a column by words."""
    hits = library.search("seeds that flaot")
    assert [note for note in hits.notes if "float" in note] == list(hits.notes) != []
    column = library.search("seeds float", table="sentences", column="sentence_content", collection=BM25)
    assert column.notes == ()
    return [(hit.key, hit.page) for hit in (hits[0], *column)]


def postings(library: Library) -> int:
    """How many entries say a word, as the index of words here knows."""
    return len(library._resources.index.words.search(("float",), RANKED, (), 100))


def test_moving_from_place_to_place_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signals, "_FEW", 0)  # no library is small
    with opened(tmp_path) as library:
        library.add([write_pdf(tmp_path / f"{n}.pdf", f"On {n}", f"{n} float.") for n in SUBJECTS])
        before = found(library)
        assert postings(library) > 0
    papers, aside = tmp_path / "library" / "papers", tmp_path / "aside"
    files = [tmp_path / name for name in ("a.db", "b.db", "c.db")]
    for uri in (f"milvus:{files[0]}?words", f"milvus:{files[1]}", f"milvus:{files[2]}?words", "files"):
        papers.rename(aside)  # no PDF is read
        with opened(tmp_path) as library:
            library.move_vectors(uri)
        aside.rename(papers)
        with opened(tmp_path) as library:
            assert found(library) == before
            assert library.check().problems == ()
            assert library.status().waiting == {MINILM: 0}
            assert (postings(library) == 0) == uri.endswith("?words")
        if uri == f"milvus:{files[0]}?words":  # a setting that wants words no more
            with Library.open(tmp_path / "library", index__vectors=uri.removesuffix("?words")) as library:
                library._resources._encoders[MINILM] = Letters()
                library.add([])
                assert found(library) == before
                assert postings(library) > 0
    for file in files:
        assert MilvusClient(str(file)).list_collections() == []
    folder = library._resources.index.folder / "vectors" / MINILM
    assert {file.name for file in folder.iterdir()} == {"about.json", "codes", "scales"}


_KILLED = """
import os, signal, sys
from pathlib import Path
from quire.search.words import WordWriter
from tests.library.test_remote_vectors import opened
library = opened(Path(sys.argv[1]))
WordWriter.commit = lambda _: os.kill(os.getpid(), signal.SIGKILL)
library.move_vectors(sys.argv[2])
"""


@pytest.mark.parametrize("there", [True, False])
def test_a_move_that_is_killed_before_its_words_have_moved(
    tmp_path: Path, there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signals, "_FEW", 0)
    uri = f"milvus:{tmp_path / 'a.db'}?words"
    with opened(tmp_path) as library:
        library.add([write_pdf(tmp_path / f"{n}.pdf", f"On {n}", f"{n} float.") for n in SUBJECTS[:2]])
        before = found(library)
        if not there:
            library.move_vectors(uri)
    script = [sys.executable, "-c", _KILLED, str(tmp_path), uri if there else "files"]
    done = subprocess.run(script, check=False, cwd=Path(__file__).parents[2], capture_output=True, timeout=60)
    assert done.returncode == -9, done.stderr
    with opened(tmp_path) as library:
        assert (postings(library) > 0) == there, "words are where they were"
        assert found(library) == before
        assert library.add(write_pdf(tmp_path / "c.pdf", "On Seeds", "Seeds sink.")).notes == ()
        assert library.check().problems == ()
        assert (postings(library) == 0) == there
