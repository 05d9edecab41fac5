"""Reading and encoding PDFs on a Ray cluster (extra `[ray]`): `parsing.workers = "ray://HOST:PORT"`.

    with readers(resources) as reading:             # children of this process, or a cluster
        for job, result in reading.run(jobs):       # job.vectors: what was encoded where it was read
            ...

A task gets one PDF, its id and its file name: no path, password or key. A process of the cluster parses it in
the same limited child as here, encodes its texts, and sends the child's answer, which is looked at here with
the same suspicion, and vectors. The cluster itself is trusted, as Ray trusts it: who runs a node of it can
run programs here. What needs a password is read here. A paper whose node is lost is sent again.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import json
import os
import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any, Self

import numpy as np

from quire.errors import (
    DocumentError,
    DocumentLimit,
    EncoderUnavailable,
    LibraryError,
    OfflineError,
    PasswordRequired,
    SettingsError,
)
from quire.library.parse_child import ChildAnswer, Failure, Parsed
from quire.library.parsing import ParseJob, Readers, error_of, unpickled
from quire.library.resources import Resources
from quire.pdf.version import VERSION
from quire.search import ENCODABLE, load
from quire.search.batch import Batch, checked
from quire.search.cells import encodable_text
from quire.search.dense import Encoded
from quire.search.search import modality
from quire.search.slots import Ids
from quire.search.vectors import About
from quire.settings import Parsing, Settings
from quire.worker import ChildDied

_AHEAD = 2  # papers on their way for each core, so that none waits for the next
_TRIES = 4  # of a paper, each on another worker
# Requests that nobody asked for, a warning, and a cluster of its own in place of one that went away.
_OFF = ("RAY_USAGE_STATS_ENABLED", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "RAY_ENABLE_AUTO_CONNECT")
_OBJECTS = 256 << 20  # bytes of a local cluster's object store
_PROBE = "The same sentence must have the same vector on every machine."
_ALIKE = 0.999
_TEXTUAL = np.asarray([pair.modality == "text" for pair in ENCODABLE])
Sent = tuple[bytes, dict[str, bytes]]  # a pickled Answer, and vectors as little-endian float32


def readers(resources: Resources) -> Readers | ClusterReaders:
    """Whoever reads PDFs for this library, as the setting `parsing.workers` says."""
    settings = resources.settings.parsing
    return Readers(settings) if isinstance(settings.workers, int) else ClusterReaders(resources)


def require(settings: Settings) -> None:
    """See that what `parsing.workers` names can be used, before anything is begun.

    Raises:
        OfflineError: it is elsewhere, and quire runs offline.
        SettingsError: Ray is not installed.
    """
    address = settings.parsing.workers
    if isinstance(address, int):
        return
    if settings.offline and address != "ray":
        raise OfflineError(f"The cluster {address} was not asked: quire runs offline.")
    if importlib.util.find_spec("ray") is None:
        raise SettingsError("Ray is not installed.", hint="pip install 'quire[ray]'")


def signature() -> str:
    """What must be the same here and on every node: rows depend on it."""
    return f"quire {metadata.version('quire')} (parser {VERSION})"


# ---------------------------------------------------------------------- here


class ClusterReaders:
    """Reads on a cluster, which is connected to with the first job."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._settings = resources.settings.parsing
        self._collections: dict[str, About] = {}
        self._running: dict[Any, tuple[ParseJob, int]] = {}
        self._ours = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        ray = self.__dict__.get("_ray")
        if ray is None:
            return
        if self._ours:
            ray.shutdown()  # which ends what still runs
        else:
            for task in self._running:
                ray.cancel(task, force=True)

    def run(self, jobs: Iterable[ParseJob]) -> Iterator[tuple[ParseJob, Parsed | DocumentError]]:
        """Read every job; results come as they are ready. Jobs are drawn as the cluster has cores.

        Raises:
            OfflineError: the settings say so.
            SettingsError: Ray is not installed, there is no cluster, or its nodes have not what is here.
            LibraryError: the cluster went away.
        """
        waiting = iter(jobs)
        more = True
        while True:
            while more and (not self._running or len(self._running) < self._room()):
                job = next(waiting, None)
                more = job is not None
                if job is not None:
                    self._send(job, 1)
            if not self._running:
                return
            with self._connected():
                done, _ = self._ray.wait(list(self._running))
            for task in done:
                job, tries = self._running.pop(task)
                sent = self._received(task, job, tries)
                if sent is not None:
                    yield self._read(job, sent)

    @functools.cached_property
    def _ray(self) -> Any:
        """Ray, connected."""
        require(self._resources.settings)
        ray, self._ours = connect(str(self._settings.workers), here="ray")
        return ray

    @functools.cached_property
    def _task(self) -> Any:
        return self._ray.remote(num_cpus=1, max_retries=0)(_to_send())

    @functools.cached_property
    def _spec(self) -> Any:
        """What every task is told, as the cluster holds it."""
        return self._ray.put(json.dumps(self._told()))

    def _told(self) -> dict[str, Any]:
        """What nodes must know: limits, and the encoders with a proof of each."""
        index, there = self._resources.settings.index, self._resources.available()[0]
        wanted = {name: encoder for name, encoder in there.items() if modality(name) == "text"}
        abouts = {name: self._resources.about(name, encoder) for name, encoder in wanted.items()}
        self._collections = abouts
        proofs = [
            [name, abouts[name].precision, abouts[name].pooled, encoder.encode([_PROBE])[0].tolist()]
            for name, encoder in wanted.items()
        ]
        return {
            "parsing": self._settings.model_copy(update={"workers": 1}).model_dump(mode="json"),
            "models": str(index.models) if index.models else None,
            "batch_tokens": index.batch_tokens,
            "encoders": proofs,
        }

    def _room(self) -> int:
        with self._connected():
            return max(1, int(_AHEAD * self._ray.cluster_resources().get("CPU", 0)))

    def _send(self, job: ParseJob, tries: int) -> None:
        told = {"paper_id": job.paper_id, "file_name": job.file_name, "parser": job.parser}
        with self._connected():
            pdf = self._ray.put(job.path.read_bytes())
            task = self._task.remote(signature(), self._spec, told, pdf)
        self._running[task] = job, tries

    def _received(self, task: Any, job: ParseJob, tries: int) -> Sent | None:
        """What a task sent; None if it goes on elsewhere."""
        errors = self._ray.exceptions
        try:
            with self._connected():
                sent: Sent | str = self._ray.get(task)
        except errors.RayTaskError as error:  # a bug met by one file must not stop the others
            return _failure(DocumentError(f"It could not be read on the cluster: {_last(error)}"))
        except errors.RayError as error:
            if tries < _TRIES:
                self._send(job, tries + 1)
                return None
            told = f"The cluster lost the worker that read it {tries} times ({type(error).__name__})."
            return _failure(DocumentLimit(told, hint="`quire retry` reads it once more."))
        if isinstance(sent, str):
            raise SettingsError(sent, hint="Install the same quire and models on every node.")
        return sent

    def _read(self, job: ParseJob, sent: Sent) -> tuple[ParseJob, Parsed | DocumentError]:
        try:
            result = unpickled(sent[0]).result
            if isinstance(result, Parsed):
                batch = checked(result.batch)
                made = [self._vectors(name, batch, sent[1]) for name in self._collections]
                return replace(job, vectors=tuple(made)), result
        except ChildDied as error:
            return job, DocumentError(f"It could not be read on the cluster: {error}.")
        except (TypeError, ValueError, LookupError):
            return job, DocumentError("What was read of it does not fit together.")
        except DocumentError as error:
            return job, error
        failed = error_of(result)
        if isinstance(failed, PasswordRequired) and job.password is not None:
            with Readers(self._settings) as here:
                return next(here.run([job]))
        return job, failed

    def _vectors(self, name: str, batch: Batch, sent: Mapping[str, bytes]) -> Encoded:
        about = self._collections[name]
        at = _encoded(batch, about.pooled)
        rows = np.frombuffer(sent[name], dtype="<f4").reshape(len(at), about.dim)
        if not np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-3):
            raise ValueError("vectors are of length 1")
        return Encoded(name, at, rows)

    @contextlib.contextmanager
    def _connected(self) -> Iterator[None]:
        try:
            yield
        except (ConnectionError, RuntimeError) as error:
            if isinstance(error, self._ray.exceptions.RayError):  # of one task, whatever it is besides
                raise
            raise LibraryError(
                f"The Ray cluster went away: {_last(error)}",
                hint="What is in stays; the same command goes on when it is back.",
            ) from error


def connect(address: str, here: str, **new: Any) -> tuple[Any, bool]:
    """Ray, connected, and whether by us: `here` is the address that means a `new` cluster on this machine.

    Raises:
        SettingsError: Ray is not installed, or there is no cluster at that address.
    """
    for name in _OFF:
        os.environ.setdefault(name, "0")
    try:
        import ray
    except ImportError as error:
        raise SettingsError("Ray is not installed.", hint="pip install 'quire[ray]'") from error
    local = address == here
    if (local or address == "auto") and ray.is_initialized():  # by the program that this runs in
        return ray, False
    new = {"address": "local", "object_store_memory": _OBJECTS, "include_dashboard": False, **new}
    how = {"log_to_driver": False, "logging_level": "error", **(new if local else {"address": address})}
    # Of a head's processes for new guests, some die as they start (seen with Ray 2.60).
    for last in (False, False, True):
        try:
            ray.init(**how)
            break
        except (ConnectionError, ValueError, RuntimeError) as error:
            if isinstance(error, ConnectionAbortedError) and not last:
                continue
            raise SettingsError(
                f"There is no Ray cluster at `{address}`: {_last(error)}",
                hint=f"Start one with `ray start --head`, or give `{here}` for one on this machine alone.",
            ) from error
    return ray, True


def _to_send() -> Callable[..., Sent | str]:
    """What the cluster runs. It travels by value, because a node may have another quire, or none."""

    def read_paper(ours: str, spec: str, told: Any, pdf: bytes) -> Any:
        import socket

        try:
            from quire.errors import EncoderUnavailable, UnknownNameError
            from quire.library import cluster

            theirs = cluster.signature()
        except (ImportError, AttributeError) as error:
            theirs = f"no quire that fits ({error})"
        if theirs != ours:
            return f"The node {socket.gethostname()} has {theirs}, here is {ours}."
        try:
            return cluster.desk(spec).read(told, pdf)
        except (EncoderUnavailable, UnknownNameError) as error:
            return f"The node {socket.gethostname()} cannot encode. {error}"

    return read_paper


def _failure(error: DocumentError) -> Sent:
    failure = Failure(type(error).__name__, error.message, error.hint)
    return pickle.dumps(ChildAnswer(failure, 0), protocol=5), {}


def _last(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[-1].strip() if lines else type(error).__name__


def _encoded(batch: Batch, pooled: bool) -> Ids:
    """The units that are encoded as they are; the vectors of the others are means of these."""
    return np.flatnonzero(batch.hashes != 0 if pooled else _TEXTUAL[batch.pairs])


# ---------------------------------------------------------------------- on a node


class NodeTools:
    """A child that parses, and the encoders."""

    def __init__(self, spec: str) -> None:
        """Load the encoders.

        Raises:
            EncoderUnavailable: one is not on this machine, or is another than where the library is.
        """
        told = json.loads(spec)
        models = Path(told["models"]) if told["models"] else None
        self._readers = Readers(Parsing.model_validate(told["parsing"]))
        self._encoders = []
        for name, precision, pooled, proof in told["encoders"]:
            encoder = load(name, models=models, batch_tokens=told["batch_tokens"], precision=precision)
            if float(encoder.encode([_PROBE])[0] @ np.asarray(proof, dtype=np.float32)) < _ALIKE:
                raise EncoderUnavailable(f"Its model of {name} is not the one that is here.")
            self._encoders.append((encoder, bool(pooled)))

    def read(self, told: Mapping[str, str], pdf: bytes) -> Sent:
        """Parse a PDF in a child with the limits of the settings, and encode its texts."""
        with tempfile.TemporaryDirectory(prefix="quire-") as folder:
            path = Path(folder) / "paper.pdf"
            path.write_bytes(pdf)
            job = ParseJob(path, told["paper_id"], told["file_name"], None, parser=told["parser"])
            _, result = next(self._readers.run([job]))
        if isinstance(result, DocumentError):
            return _failure(result)
        vectors = {}
        for encoder, pooled in self._encoders:
            texts = _texts(result, _encoded(checked(result.batch), pooled))
            vectors[encoder.name] = encoder.encode(texts).astype("<f4").tobytes()
        return pickle.dumps(ChildAnswer(result, 0), protocol=5), vectors


desk = functools.cache(NodeTools)
"""What a process of the cluster keeps from paper to paper."""


def _texts(parsed: Parsed, at: Ids) -> list[str]:
    """What an encoder reads of these units."""
    said = {
        (pair.number, getattr(row, pair.key)): getattr(row, pair.column) or ""
        for pair in ENCODABLE
        for row in parsed.rows
        if row.TABLE == pair.table
    }
    pairs, keys = parsed.batch.pairs, parsed.batch.keys
    return [encodable_text(ENCODABLE[pairs[n]], said[int(pairs[n]), keys[n]]) for n in at]
