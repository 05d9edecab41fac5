"""The ONNX graph of a model's folder: an exported one if it is there, else drawn once and kept.

Drawn graphs lie in `$QUIRE_HOME/cache/graphs`, named by what they were drawn from and by a checksum; they can
be deleted at any time, and a damaged one is drawn again. A graph appears there whole or not at all, also when
several processes draw it at once; what nobody opened for 30 days goes when another is kept.
"""

from __future__ import annotations

import errno
import hashlib
import os
import platform
import shutil
import tempfile
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from quire.errors import EncoderUnavailable
from quire.settings import home

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quire.search.encoders import Precision
    from quire.search.encoders.bert import Drawn

_GRAPH = "graph.onnx"
_WEIGHTS = "weights"  # as the graph names it
_FILES = ("model.safetensors", "model8.safetensors")
_STEP = ".step"
_UNUSED = 30 * 24 * 3600.0  # seconds
_VERSION = 7  # raise it when graphs are drawn differently
Draw = Callable[[Mapping[str, Any]], "Drawn"]
T = TypeVar("T")
R = TypeVar("R")


def exported(folder: Path) -> Path | None:
    """`model.onnx` of the folder, where exports put it."""
    return next((f for f in (folder / "model.onnx", folder / "onnx" / "model.onnx") if f.is_file()), None)


def drawn(folder: Path, part: str, draw: Draw, *besides: Path) -> Path:
    """The kept graph of a part ("text", "image") of the model, drawn by `draw(weights)` if need be.

    `besides` are folders of other models whose weights it takes, too.

    Raises:
        EncoderUnavailable: a folder has no `model.safetensors`, or the cache cannot be written.
    """
    prints = "-".join(_fingerprint(_weights_of(one)) for one in (folder, *besides))
    cache, name = home() / "cache" / "graphs", f"{folder.name}-{part}-{prints}"
    for kept in cache.glob(f"{name}-*"):
        if kept.name == f"{name}-{_checksum(kept)}":
            with suppress(OSError):  # of a cache that may only be read
                os.utime(kept)
            return kept / _GRAPH
    return _put(cache, name, draw(loaded(folder))) / _GRAPH


def loaded(folder: Path, ending: str = "") -> dict[str, NDArray[Any]]:
    """The tensors of a folder whose names end so; matrices in eight bits (`NAME.step`: of a row) as float32.

    Raises:
        EncoderUnavailable: the folder has no `model.safetensors`.
    """
    import numpy as np
    from safetensors import safe_open

    found: dict[str, NDArray[Any]] = {}
    with safe_open(_weights_of(folder), framework="numpy") as file:
        names = set(file.keys())
        for name in sorted(each for each in names if each.endswith(ending) and not each.endswith(_STEP)):
            found[name] = file.get_tensor(name)
            if name + _STEP in names:
                found[name] = found[name].astype(np.float32) * file.get_tensor(name + _STEP)
    return found


def _weights_of(folder: Path) -> Path:
    weights = next((folder / name for name in _FILES if (folder / name).is_file()), None)
    if weights is None:
        raise EncoderUnavailable(
            f"{folder} has neither `model.onnx` nor `model.safetensors`.", hint="Download the model again."
        )
    return weights


def side_by_side(run: Callable[[T], R], batches: Sequence[T]) -> list[R]:
    """What `run` gives for each batch, as many at a time as there are cores, for sessions of one thread each.

    That keeps all cores busy; several threads for one small batch do not.
    """
    if len(batches) < 2:
        return [run(batch) for batch in batches]
    with ThreadPoolExecutor(threads(), "quire-encode") as pool:
        return list(pool.map(run, batches))


def threads() -> int:
    """The threads that an encoder may use: all cores that are this process's, or what a Ray task is told."""
    told = os.environ.get("OMP_NUM_THREADS", "")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, int(told)) if told.isdigit() else cores


def session(graph: Path | Drawn, each: int = 0) -> Any:
    """An onnxruntime session on the CPU that gives memory of odd batch shapes back.

    `each` are the threads of one run, 0 for all that there are.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.enable_mem_pattern = False  # shapes differ from batch to batch
    # Waiting threads sleep: spinning takes as much processor time again as a short question's encoding.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.intra_op_num_threads = each or threads()  # else it pins threads to all cores of the machine
    if not isinstance(graph, Path) or graph.name == _GRAPH:  # drawn as it is to run
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    source: str | bytes = str(graph)
    if not isinstance(graph, Path):
        source, content = graph
        options.add_external_initializers_from_files_in_memory([_WEIGHTS], [content], [len(content)])
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def _fingerprint(weights: Path) -> str:
    config = (weights.parent / "config.json").read_bytes()
    stat = weights.stat()
    facts = f"{_VERSION} {weights.resolve()} {stat.st_size} {stat.st_mtime_ns}"
    return hashlib.sha256(facts.encode() + config).hexdigest()[:16]


def _checksum(kept: Path) -> str:
    """What the name of a kept graph ends with if it is whole."""
    try:
        checksum = zlib.crc32((kept / _GRAPH).read_bytes())
        with (kept / _WEIGHTS).open("rb") as file:
            while piece := file.read(1 << 20):
                checksum = zlib.crc32(piece, checksum)
    except OSError:  # one of them is missing
        return ""
    return f"{checksum:08x}"


def _put(cache: Path, name: str, made: Drawn) -> Path:
    """Keep a graph: its folder appears whole or not at all."""
    try:
        cache.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(dir=cache, prefix=".draft-"))
        try:
            (draft / _GRAPH).write_bytes(made.graph)
            (draft / _WEIGHTS).write_bytes(made.weights)
            target = cache / f"{name}-{_checksum(draft)}"
            _tidy(cache, name)
            if not target.exists():
                draft.rename(target)
            return target
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    except OSError as error:
        if error.errno == errno.ENOTEMPTY:  # another process was a moment faster
            return target
        raise EncoderUnavailable(
            f"The model's graph cannot be kept in {cache}: {error.strerror}.",
            hint="Set QUIRE_HOME to a folder that can be written.",
        ) from error


def _tidy(cache: Path, name: str) -> None:
    """Remove graphs of this name that are damaged, and of any name that nobody opened for a month.

    Whole ones stay: another process may have kept this one meanwhile, and be opening it.
    """
    for kept in cache.iterdir():
        damaged = kept.name.startswith(f"{name}-") and kept.name != f"{name}-{_checksum(kept)}"
        with suppress(FileNotFoundError):  # another process removes it, too
            if damaged or time.time() - kept.stat().st_mtime > _UNUSED:
                shutil.rmtree(kept, ignore_errors=True)


def precision_of(wanted: Precision, *, kept: bool = True) -> str:
    """The precision of a drawn graph: what is wanted, or what is fastest on this processor.

    What is `kept` (vectors) is exact unless eight bits are much faster; what is not takes them on any x86,
    where they save a third without VNNI, too.
    """
    fast = has_vnni() or (not kept and platform.machine().lower() in ("x86_64", "amd64"))
    return "int8" if wanted == "int8" or (wanted == "auto" and fast) else "float32"


def has_vnni(cpu: Path = Path("/proc/cpuinfo")) -> bool:
    """Whether the processor says that it adds products of eight bits four at a time (VNNI)."""
    try:
        with cpu.open(encoding="utf-8", errors="replace") as lines:
            flags = next((line.split() for line in lines if line.startswith("flags")), [])
    except OSError:
        return False
    return bool({"avx512_vnni", "avx_vnni"} & set(flags))
