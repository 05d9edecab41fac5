"""Papers that are read on a Ray cluster: as by local workers, whatever becomes of nodes and workers."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray
from reportlab.lib.pagesizes import A5
from reportlab.pdfgen.canvas import Canvas

from quire.errors import DocumentError, LibraryError, OfflineError, SettingsError
from quire.library import Library, cluster
from quire.library.parse_child import ChildAnswer, Parsed
from quire.library.parsing import ParseJob, Readers, unpickled
from quire.library.report import Progress
from quire.search import MINILM
from quire.settings import Parsing
from tests.library.conftest import KEYWORDS, write_pdf
from tests.library.test_kill_add import rows
from tests.library.test_parsing import Hostile

RAY = importlib.util.find_spec("ray") is not None
Test = TypeVar("Test", bound=Callable[..., None])
ID = "00000000-0000-0000-0000-000000000000"
_OURS = f"cluster-of-{os.getpid()}"
SUBJECTS = ("Boats", "Bread", "Seeds", "Stones", "Wool", "Glass")


def on_ray(test: Test) -> Test:
    """A test that wants Ray, which leaves files open and warns of itself."""
    kinds = "ResourceWarning", "pytest.PytestUnraisableExceptionWarning", "FutureWarning", "UserWarning"
    loose = [f"ignore::{kind}" for kind in kinds]
    needs = pytest.mark.skipif(not RAY, reason="Ray is not installed")
    marked: Test = pytest.mark.slow(needs(pytest.mark.filterwarnings(*loose)(test)))
    return marked


def paper(folder: Path, subject: str, pages: int = 12) -> Path:
    """A PDF of some pages that take a moment to read."""
    folder.mkdir(exist_ok=True)
    canvas = Canvas(str(folder / f"{subject}.pdf"), pagesize=A5, invariant=1)
    for page in range(pages):
        canvas.setFont("Helvetica", 16 if page == 0 else 10)
        canvas.drawString(50, 540, f"On {subject} and Their Makers" if page == 0 else f"{page} More of Them")
        canvas.setFont("Helvetica", 10)
        for line in range(20):
            said = f"Of {subject.lower()}, lot {page} has {line * 7 + page} makers who work by hand."
            canvas.drawString(50, 500 - 20 * line, said)
        canvas.showPage()
    canvas.save()
    return folder / f"{subject}.pdf"


def vectors(library: Library) -> dict[str, NDArray[np.float32]]:
    """The vectors of all entries by what they are of."""
    resources = library._resources
    with resources.database.reading() as connection:
        entries = connection.execute(
            "SELECT table_name || column_name || primary_key, id FROM entries WHERE bbox IS NULL"
        ).fetchall()
    held = resources.index.vectors(MINILM).rows(np.asarray([id for _, id in entries], dtype=np.int64))
    return {key: row for (key, _), row in zip(entries, held, strict=True)}


def same(one: Library, other: Library) -> None:
    """Two libraries hold the same rows and, as far as encoding repeats itself, vectors."""
    assert rows(one) == rows(other)
    ours, theirs = vectors(one), vectors(other)
    assert ours.keys() == theirs.keys()
    for key, row in ours.items():  # eight bits a number: not quite of length 1
        assert row @ theirs[key] > 0.999 * np.linalg.norm(row) * np.linalg.norm(theirs[key])
    assert one.check().problems == ()


# ---------------------------------------------------------------------- without Ray


def test_offline_no_cluster_is_asked(tmp_path: Path) -> None:
    remote: dict[str, Any] = {"parsing__workers": "ray://127.0.0.1:1", "offline": True}
    with Library.open(tmp_path / "library", **remote, **KEYWORDS) as library:
        with pytest.raises(OfflineError, match="ray://127.0.0.1:1"):
            library.add(write_pdf(tmp_path / "a.pdf", "A Paper", "Text."))


@pytest.mark.skipif(RAY, reason="Ray is installed")
def test_ray_is_asked_for_by_name(tmp_path: Path) -> None:
    with (
        Library.open(tmp_path / "library", parsing__workers="ray", **KEYWORDS) as library,
        pytest.raises(SettingsError, match=r"quire\[ray\]"),
    ):
        library.add(write_pdf(tmp_path / "a.pdf", "A Paper", "Text."))


def test_a_node_reads_and_encodes_what_a_local_worker_does(tmp_path: Path) -> None:
    file = paper(tmp_path, "Boats", 2)
    with Readers(Parsing(workers=1)) as readers:
        _, wanted = next(readers.run([ParseJob(file, ID, file.name, None)]))
    assert isinstance(wanted, Parsed)
    with Library.open(tmp_path / "library", parsing__workers="ray") as library:
        told = {"paper_id": ID, "file_name": file.name, "parser": ""}
        reading = cluster.ClusterReaders(library._resources)
        sent = cluster.NodeTools(json.dumps(reading._told())).read(told, file.read_bytes())
        job, result = reading._read(ParseJob(file, ID, file.name, None), sent)
        assert isinstance(result, Parsed)
        assert result.rows == wanted.rows
        ((name, at, made),) = job.vectors
        encoder = library._resources.encoder(MINILM)
    units = [json.loads(packed)[1] for packed in wanted.batch.packed]
    assert name == MINILM
    assert list(at) == list(np.flatnonzero(wanted.batch.hashes))
    assert np.allclose(made, encoder.encode([units[n] for n in at]), atol=1e-5)


def test_what_a_node_sends_is_looked_at_as_a_childs_answer_is(tmp_path: Path) -> None:
    file = paper(tmp_path, "Boats", 1)
    with Library.open(tmp_path / "library", parsing__workers="ray") as library:
        reading = cluster.ClusterReaders(library._resources)
        desk = cluster.NodeTools(json.dumps(reading._told()))
        answer, made = desk.read({"paper_id": ID, "file_name": "a.pdf", "parser": ""}, file.read_bytes())
        parsed = unpickled(answer).result
        assert isinstance(parsed, Parsed)
        torn = pickle.dumps(ChildAnswer(replace(parsed, batch=replace(parsed.batch, keys=())), 0))
        wrong = np.full(len(made[MINILM]) // 4, np.nan, dtype="<f4").tobytes()
        for sent in (
            (pickle.dumps(Hostile()), made),
            (b"nonsense", made),
            (torn, made),
            (answer, {}),
            (answer, {MINILM: made[MINILM][:-4]}),
            (answer, {MINILM: wrong}),
        ):
            job, result = reading._read(ParseJob(file, ID, "a.pdf", None), sent)
            assert isinstance(result, DocumentError)
            assert job.vectors == ()


def test_a_node_says_what_it_lacks(tmp_path: Path) -> None:
    read = cluster._to_send()
    assert "has quire" in str(read("quire 0.0 (parser 1)", "", {}, b""))
    with Library.open(tmp_path / "library", parsing__workers="ray") as library:
        spec = cluster.ClusterReaders(library._resources)._told()
    other = spec | {"encoders": [[MINILM, "float32", True, [0.05] * 384]]}
    assert "cannot encode" in str(read(cluster.signature(), json.dumps(other), {}, b""))
    unknown = spec | {"encoders": [["text_sentence_transformers_mine", "float32", True, []]]}
    assert "cannot encode" in str(read(cluster.signature(), json.dumps(unknown), {}, b""))


def test_a_file_that_cannot_be_read_is_told_as_here(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library", parsing__workers="ray", **KEYWORDS) as library:
        reading = cluster.ClusterReaders(library._resources)
        desk = cluster.NodeTools(json.dumps(reading._told()))
        sent = desk.read({"paper_id": ID, "file_name": "mine.pdf", "parser": ""}, b"no PDF")
        _, result = reading._read(ParseJob(tmp_path, ID, "mine.pdf", None), sent)
    with Readers(Parsing(workers=1)) as readers:
        (tmp_path / "mine.pdf").write_bytes(b"no PDF")
        _, wanted = next(readers.run([ParseJob(tmp_path / "mine.pdf", ID, "mine.pdf", None)]))
    assert (type(result), str(result)) == (type(wanted), str(wanted))


# ---------------------------------------------------------------------- with Ray


class Nodes:
    """A head without cores and two nodes of one core each."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        os.environ.update(RAY_USAGE_STATS_ENABLED="0", TEST_CLUSTER_OF=_OURS)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"ray://127.0.0.1:{port}"
        head = {"num_cpus": 0, "ray_client_server_port": port, "include_dashboard": False}
        self._cluster = Cluster(initialize_head=True, head_node_args=head | self._small)
        self.nodes = [self.start(), self.start()]

    _small: dict[str, Any] = {"object_store_memory": 100 << 20}

    def start(self) -> Any:
        return self._cluster.add_node(num_cpus=1, **self._small)

    def kill(self) -> None:
        """End a node as a power cut does."""
        self._cluster.remove_node(self.nodes.pop(), allow_graceful=False)

    def end(self) -> None:
        self._cluster.shutdown()


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    made = Nodes()
    yield made
    made.end()


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("papers")
    for subject in SUBJECTS:
        paper(folder, subject)
    return folder


@pytest.fixture(scope="module")
def local(papers: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """A library of these papers by local workers."""
    with Library.open(tmp_path_factory.mktemp("local") / "library") as library:
        assert not library.add(papers).failed
        yield library


def workers() -> list[int]:
    """The processes of the cluster that read a paper now."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            reads = place.joinpath("cmdline").read_bytes().startswith(b"ray::read_paper")
            if reads and _OURS.encode() in place.joinpath("environ").read_bytes():
                found.append(int(place.name))
        except OSError:
            continue
    return found


@on_ray
def test_a_node_that_is_killed_costs_nothing(
    nodes: Nodes, papers: Path, local: Library, tmp_path: Path
) -> None:
    killed = threading.Event()

    def kill(step: Progress) -> None:
        if step.stage == "parse" and not killed.is_set():  # the other papers are on their way
            killed.set()
            nodes.kill()

    with Library.open(tmp_path / "library", parsing__workers=nodes.address) as library:
        report = library.add(papers, progress=kill)
        assert killed.is_set()
        assert {file.outcome for file in report.files} == {"added"}
        assert report.encoded == len(vectors(library))
        assert {file.outcome for file in library.add(papers).files} == {"unchanged"}
        same(library, local)
    nodes.nodes.append(nodes.start())


@on_ray
def test_a_paper_that_its_workers_do_not_survive_is_told(nodes: Nodes, papers: Path, tmp_path: Path) -> None:
    over = threading.Event()

    def kill() -> None:
        while not over.wait(0.02):
            for process in workers():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    with Library.open(tmp_path / "library", parsing__workers=nodes.address, **KEYWORDS) as library:
        try:
            (failed,) = library.add(papers / "Boats.pdf").files
        finally:
            over.set()
            killer.join()
        assert (failed.outcome, failed.kind) == ("failed", "DocumentLimit")
        assert "lost the worker that read it 4 times" in failed.reason
        (again,) = library.retry().files
        assert again.outcome == "added"


@on_ray
def test_a_killed_add_goes_on(nodes: Nodes, papers: Path, local: Library, tmp_path: Path) -> None:
    script = (
        "import sys; from quire.library import Library, adding; adding._GATHER_PAPERS = 1;"
        " Library.open(sys.argv[1], parsing__workers=sys.argv[2]).add("
        "sys.argv[3], progress=lambda step: print(step.stage, flush=True))"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "library"), nodes.address, str(papers)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as adding:
        assert adding.stdout is not None
        done = 0
        while done < 2:
            done += adding.stdout.readline() == "parse\n"
        adding.send_signal(signal.SIGKILL)
    with Library.open(tmp_path / "library", parsing__workers=nodes.address) as library:
        report = library.add(papers)
        assert {file.outcome for file in report.files} == {"unchanged", "added"}
        same(library, local)


@on_ray
def test_what_needs_a_password_is_read_here(nodes: Nodes, tmp_path: Path) -> None:
    locked = write_pdf(tmp_path / "locked.pdf", "A Locked Paper", "Text.", encrypt="geheim")
    with Library.open(tmp_path / "library", parsing__workers=nodes.address, **KEYWORDS) as library:
        (failed,) = library.add(locked).files
        assert failed.kind == "PasswordRequired"
        (read,) = library.add(locked, password="geheim").files
        assert (read.outcome, read.title) == ("added", "A Locked Paper")


@on_ray
def test_ctrl_c_ends_what_runs_there(nodes: Nodes, papers: Path, tmp_path: Path) -> None:
    script = (
        "import sys; from quire.library import Library;"
        " Library.open(sys.argv[1], parsing__workers=sys.argv[2], index__encoders=('text_bm25_en',)).add("
        "sys.argv[3], progress=lambda step: print(step.stage, flush=True))"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "library"), nodes.address, str(papers)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as adding:
        assert adding.stdout is not None
        while adding.stdout.readline() != "parse\n":
            pass
        adding.send_signal(signal.SIGINT)
        _, errors = adding.communicate(timeout=120)
    assert "KeyboardInterrupt" in errors
    while workers():
        time.sleep(0.1)
    with Library.open(tmp_path / "library", **KEYWORDS) as library:
        assert not library.add(papers).failed


@on_ray
def test_where_no_cluster_is_nothing_is_added(papers: Path, tmp_path: Path) -> None:
    with Library.open(tmp_path / "library", parsing__workers="ray://127.0.0.1:1") as library:
        with pytest.raises(SettingsError, match="no Ray cluster"):
            library.add(papers)
        assert library.papers() == []


@on_ray
def test_a_cluster_that_goes_away_is_told(papers: Path, tmp_path: Path) -> None:
    nodes = Nodes()
    ended = threading.Event()

    def end(step: Progress) -> None:
        if step.stage == "parse" and not ended.is_set():
            ended.set()
            nodes.end()

    with Library.open(tmp_path / "library", parsing__workers=nodes.address, **KEYWORDS) as library:
        with pytest.raises(LibraryError, match="went away"):
            library.add(papers, progress=end)
    with Library.open(tmp_path / "library", **KEYWORDS) as library:
        assert not library.add(papers).failed
