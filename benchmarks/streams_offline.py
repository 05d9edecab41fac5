"""All methods without a language model, five orders, on real requests and synthetic patients: a simulation.

`python benchmarks/streams_offline.py --data DIR --out DIR [--orders 5] [--tasks ddxplus,toolbench]`
runs what is missing, prints the tables, and writes the report (HTML, JSON, SVG, PNG) into --out. DDXPlus
patients are synthetic unless DIR has the official ones.
"""

import argparse
from pathlib import Path

from quire_streams.methods import PAPER_METHODS
from quire_streams.report import gold_labels, report
from quire_streams.runs.sweep import ThreadEngine, expand, sweep

FOLDERS = {"ddxplus": "ddxplus", "toolbench": "toolbench_ste"}
MORE = ("mem_prompt_only_right", "mem_prompt_only_wrong", "zero_shot_round_robin", "mam_thompson", "playbook")
MODELS = ("offline:a", "offline:b", "offline:c")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--orders", type=int, default=5)
    parser.add_argument("--tasks", default=",".join(FOLDERS))
    parser.add_argument("--encoder", default="hash-512")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--methods", default=",".join((*PAPER_METHODS, *MORE)))
    arguments = parser.parse_args()
    runs = []
    for task in arguments.tasks.split(","):
        runs += run_task(task, arguments)
    labels = {
        str(arguments.data / FOLDERS["ddxplus"]): gold_labels("ddxplus", arguments.data / FOLDERS["ddxplus"])
    }
    made = report(runs, gold=labels)
    print(made.text())
    made.write(arguments.out / "report")


def run_task(task: str, arguments: argparse.Namespace):
    data = arguments.data / FOLDERS[task]
    shared = {"task": task, "data": str(data), "seeds": arguments.orders, "encoder": arguments.encoder}
    specs = expand({**shared, "methods": arguments.methods.split(","), "models": MODELS})
    # The paper's Table 9: the memory of each model in turn.
    for first in MODELS:
        team = (first, *(model for model in MODELS if model != first))
        specs += expand({**shared, "methods": ["mam_one_author"], "models": team})
    outcomes = sweep(specs, arguments.out / "runs", engine=ThreadEngine(arguments.workers))
    for outcome in outcomes:
        if outcome.error:
            print("FAILED", outcome.spec.name, outcome.error)
    return [outcome.run for outcome in outcomes if outcome.run]


if __name__ == "__main__":
    main()
