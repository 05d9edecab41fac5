"""Parsing and encoding on a Ray cluster of this machine: two nodes of one core over one node of one core.

    python benchmarks/add_ray.py --data DIR_OF_PDFS [--limit 12]

The head has no core, each node is pinned to a core of its own, and the first paper, which starts children and
loads encoders on every node, is not counted. What is timed is what `quire add` waits for: papers go to the
cluster, rows and vectors come back and are checked here. Wanted: 1.8. Wants two idle cores, of which the
driver takes a little; the load of the machine is told.
"""

from __future__ import annotations

import argparse
import os
import socket
import tempfile
import time
import uuid
from collections.abc import Sequence
from pathlib import Path

from ray.cluster_utils import Cluster

from quire.library import Library, cluster
from quire.library.parse_child import Parsed
from quire.library.parsing import ParseJob


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=12)
    options = parser.parse_args()
    pdfs = sorted(options.data.glob("*.pdf"))[: options.limit]
    print(f"{len(pdfs)} PDFs, {os.cpu_count()} cores, load before {os.getloadavg()[0]:.1f}", flush=True)
    one, two = (seconds(count, pdfs) for count in (1, 2))
    print(f"one node {one:.1f} s, two nodes {two:.1f} s, load after {os.getloadavg()[0]:.1f}")
    print(f"{one / two:.2f} times as fast on two nodes (wanted: 1.8)")


def seconds(count: int, pdfs: Sequence[Path]) -> float:
    """How long so many nodes take for these papers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    here = os.sched_getaffinity(0)
    small = {"object_store_memory": 256 << 20}
    head = {"num_cpus": 0, "ray_client_server_port": port, "include_dashboard": False}
    started = Cluster(initialize_head=True, head_node_args=head | small)
    try:
        for core in sorted(here)[:count]:
            os.sched_setaffinity(0, {core})  # which the node and its workers inherit
            started.add_node(num_cpus=1, **small)
        os.sched_setaffinity(0, here)
        return read(f"ray://127.0.0.1:{port}", count, pdfs)
    finally:
        started.shutdown()


def read(address: str, nodes: int, pdfs: Sequence[Path]) -> float:
    """Read all of them, with vectors; seconds without the start."""
    with tempfile.TemporaryDirectory() as folder, Library.open(folder, parsing__workers=address) as library:
        with cluster.readers(library._resources) as reading:
            list(reading.run(job(pdfs[0]) for _ in range(2 * nodes)))
            started = time.perf_counter()
            results = list(reading.run(map(job, pdfs)))
            passed = time.perf_counter() - started
    units = sum(len(each.rows) for done, _ in results for each in done.vectors)
    parsed = sum(isinstance(result, Parsed) for _, result in results)
    print(f"{nodes} nodes: {parsed} of {len(pdfs)} parsed, {units} vectors, {passed:.1f} s", flush=True)
    return passed


def job(path: Path) -> ParseJob:
    """A job as `quire add` has it."""
    return ParseJob(path, str(uuid.uuid5(uuid.NAMESPACE_DNS, path.name)), path.name, None)


if __name__ == "__main__":
    main()
