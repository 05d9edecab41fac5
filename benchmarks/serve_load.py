"""Users at once on one server: how long asking, searching and page pictures take.

    python benchmarks/serve_load.py --library my-papers             # a copy of it is served
    python benchmarks/serve_load.py --data papers --adding more     # made of these; others come in meanwhile

Each user asks, searches and looks at pages in turn (or, with `--asking 4`, all search and four more ask),
and thinks `--think` seconds between two requests (0: none, which measures how much the machine can do, not
how long people wait). A page is a new one each time, as long as there are pages. Questions are answered
offline.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from pathlib import Path

import httpx

QUIRE = str(Path(sys.executable).parent / "quire")
ABOUT = (
    "how many participants took part",
    "limitations of the study",
    "what data was the model trained on",
    "statistical test for the difference between groups",
    "accuracy on the test set",
    "future work",
    "which software was used for the analysis",
    "table of results",
)
IN = "methods results patients samples cells plants models rats genes surveys trials schools rivers".split()
QUERIES = tuple(f"{what} {of} {where}" for what in ABOUT for of in IN for where in IN)  # few come twice
QUESTIONS = (
    "How many pages does the paper have?",
    "Who are the authors?",
    "How many references does the paper have?",
    "What is the caption of Figure 1?",
    "What are the limitations of the study?",
)


def main() -> None:
    arguments = _arguments()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "library"
        environment = {**os.environ, "QUIRE_HOME": str(Path(scratch) / "home")}
        if arguments.library:
            shutil.copytree(arguments.library, folder)
        else:
            subprocess.run(
                ["quire", "add", "--library", folder, arguments.data], check=False, env=environment
            )
        command = [QUIRE, "serve", "--library", str(folder), "--port", "0", "--offline"]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
        ) as server:
            try:
                assert server.stdout is not None
                found = re.search(r"(http://\S+)/", server.stdout.readline())
                assert found, "the server did not start"
                _measure(found[1] + "/api/v1", arguments, server.pid)
            finally:
                server.terminate()


def _resident(pid: int) -> float:
    """Megabytes of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6


def _measure(api: str, arguments: argparse.Namespace, pid: int) -> None:
    with httpx.Client(base_url=api, timeout=60) as web:
        papers = web.get("/papers", params={"limit": 1000}).json()["papers"]
        pages = [(paper["id"], number) for paper in papers for number in range(1, paper["pages"] + 1)]
        random.Random(0).shuffle(pages)
        for query in QUERIES[:2]:  # the first search loads the models and the index
            web.get("/search", params={"q": query})
    print(
        f"{len(papers)} papers, {len(pages)} pages, {arguments.users} users, {arguments.think:g} s of thought"
    )
    taken: dict[str, list[float]] = defaultdict(list)
    errors: list[str] = []
    fresh = itertools.cycle(pages)
    end = time.monotonic() + arguments.seconds
    kinds = [("search", "picture", "ask")] * arguments.users
    if arguments.asking:
        kinds = [("search",)] * arguments.users + [("ask",)] * arguments.asking
    users = [
        threading.Thread(target=_user, args=(api, n, end, arguments.think, its, papers, fresh, taken, errors))
        for n, its in enumerate(kinds)
    ]
    for user in users:
        user.start()
    job = _add(api, arguments.adding) if arguments.adding else ""
    memory = []
    while any(user.is_alive() for user in users):
        memory.append(_resident(pid))
        time.sleep(1)
    told = f"{memory[0]:.0f} MB at first, {memory[len(memory) // 2]:.0f} after half, {memory[-1]:.0f} last"
    print(f"memory: {told}, {max(memory):.0f} at most; the machine's load: {os.getloadavg()}")
    for kind in sorted(taken):
        _tell(kind, taken[kind])
    print(f"errors: {len(errors)}", *errors[:5], sep="\n  ")
    if job:
        state = httpx.get(f"{api}/jobs/{job}").json()
        print(f"adding meanwhile: {state['state']}, {state['progress']}")


def _user(
    api: str,
    number: int,
    end: float,
    think: float,
    kinds: tuple[str, ...],
    papers: list[dict[str, str]],
    fresh: itertools.cycle[tuple[str, int]],
    taken: dict[str, list[float]],
    errors: list[str],
) -> None:
    drawn = random.Random(number)
    time.sleep(drawn.random() * think)
    with httpx.Client(base_url=api, timeout=60) as web:
        while time.monotonic() < end:
            for kind in kinds:
                begun = time.perf_counter()
                try:
                    _request(web, kind, drawn, papers, fresh).raise_for_status()
                except httpx.HTTPError as error:
                    errors.append(f"{kind}: {error!r}")
                taken[kind].append(time.perf_counter() - begun)
                time.sleep(think * (0.5 + drawn.random()))


def _request(
    web: httpx.Client,
    kind: str,
    drawn: random.Random,
    papers: list[dict[str, str]],
    fresh: itertools.cycle[tuple[str, int]],
) -> httpx.Response:
    if kind == "search":
        return web.get("/search", params={"q": drawn.choice(QUERIES)})
    if kind == "picture":
        paper, page = next(fresh)
        return web.get(f"/papers/{paper}/pages/{page}.png")
    asked = {"question": drawn.choice(QUESTIONS), "papers": [drawn.choice(papers)["id"]]}
    return web.post("/ask", json=asked)


def _add(api: str, folder: Path) -> str:
    files = [("files", (file.name, file.read_bytes())) for file in sorted(folder.glob("*.pdf"))]
    return str(httpx.post(f"{api}/papers", files=files, timeout=60).json()["job"]["id"])


def _tell(kind: str, seconds: list[float]) -> None:
    steps = statistics.quantiles(seconds, n=20) if len(seconds) > 1 else seconds * 20
    told = ", ".join(
        f"{name} {1000 * value:.0f} ms"
        for name, value in (("p50", statistics.median(seconds)), ("p95", steps[18]), ("worst", max(seconds)))
    )
    print(f"{kind:8} {len(seconds):5} requests: {told}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--library", type=Path)
    source.add_argument("--data", type=Path, help="folder of PDFs")
    parser.add_argument("--adding", type=Path, help="folder of PDFs that are uploaded meanwhile")
    parser.add_argument("--users", type=int, default=10)
    parser.add_argument("--asking", type=int, default=0, help="users besides who ask; the others search")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--think", type=float, default=1.0, help="seconds between two requests of a user")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
