"""All methods without a language model, five orders, on real requests and synthetic patients: a simulation.

    python benchmarks/streams_offline.py --data DIR --out DIR [--orders 5] [--tasks ddxplus,toolbench]
    python benchmarks/streams_offline.py --data DIR --out DIR --feedback noisy:0.1 delayed:50 sparse:0.2

Runs what is missing, prints the tables, and writes the report (HTML, JSON, SVG, PNG) into --out. DDXPlus
patients are synthetic unless DIR has the official ones. The second form (show 3) tells how feedback that is
wrong, late or rare changes what is learnt.
"""

import argparse
from pathlib import Path

from quire_streams.methods import PAPER_METHODS
from quire_streams.report import gold_labels, report
from quire_streams.runs.sweep import ThreadEngine, expand, sweep

FOLDERS = {"ddxplus": "ddxplus", "toolbench": "toolbench_ste"}
MORE = ("mem_prompt_only_right", "mem_prompt_only_wrong", "zero_shot_round_robin", "mam_thompson", "playbook")
MODELS = ("offline:a", "offline:b", "offline:c")
# Of feedback that is not exact: a method without a memory is told by exact feedback already.
TEAMS = {("self_stream_icl", "mem_prompt"): MODELS[:1], ("mam_stream_icl",): MODELS}
ALONE = {("zero_shot",): MODELS[:1], ("zero_shot_round_robin",): MODELS}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--orders", type=int, default=5)
    parser.add_argument("--tasks", default=",".join(FOLDERS))
    parser.add_argument("--encoder", default="hash-512")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--methods", default=",".join((*PAPER_METHODS, *MORE)))
    parser.add_argument("--feedback", nargs="+", default=[], help="beside exact feedback, of a few methods")
    arguments = parser.parse_args()
    specs = []
    for task in arguments.tasks.split(","):
        data = str(arguments.data / FOLDERS[task])
        shared = {"task": task, "data": data, "seeds": arguments.orders, "encoder": arguments.encoder}
        specs += fed(shared, arguments.feedback) if arguments.feedback else every(shared, arguments.methods)
    outcomes = sweep(specs, arguments.out / "runs", engine=ThreadEngine(arguments.workers))
    for outcome in outcomes:
        if outcome.error:
            print("FAILED", outcome.spec.name, outcome.error)
    patients = arguments.data / FOLDERS["ddxplus"]
    labels = {str(patients): gold_labels("ddxplus", patients)}
    made = report([outcome.run for outcome in outcomes if outcome.run], gold=labels)
    print(made.text())
    made.write(arguments.out / "report")


def every(shared: dict, methods: str) -> list:
    """All methods with each model, and the paper's Table 9: the memory of each model in turn."""
    specs = expand({**shared, "methods": methods.split(","), "models": MODELS})
    for first in MODELS:
        team = (first, *(model for model in MODELS if model != first))
        specs += expand({**shared, "methods": ["mam_one_author"], "models": team})
    return specs


def fed(shared: dict, feedback: list[str]) -> list:
    """A few methods under each kind of feedback."""
    given = [(kind, TEAMS) for kind in ("exact", *feedback)] + [("exact", ALONE)]
    return [
        spec
        for kind, teams in given
        for methods, models in teams.items()
        for spec in expand({**shared, "methods": methods, "models": models, "feedback": kind})
    ]


if __name__ == "__main__":
    main()
