"""Show 3: how feedback that is wrong, late or rare changes what is learnt.

`python benchmarks/streams_noise.py --data DIR --out DIR [--orders 5] [--task ddxplus]`
Verdicts flipped with probability 0, 0.1, 0.2, 0.3; 50 steps late; 20% of them only.
"""

import argparse
from pathlib import Path

from quire_streams.report import report
from quire_streams.runs.sweep import ThreadEngine, expand, sweep

FEEDBACK = ("exact", "noisy:0.1", "noisy:0.2", "noisy:0.3", "delayed:50", "sparse:0.2")
TEAMS = {
    ("zero_shot", "self_stream_icl", "mem_prompt"): ("offline:a",),
    ("zero_shot_round_robin", "mam_stream_icl"): ("offline:a", "offline:b", "offline:c"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the task")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--orders", type=int, default=5)
    parser.add_argument("--task", default="ddxplus")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--feedback", nargs="+", default=FEEDBACK)
    arguments = parser.parse_args()
    specs = []
    for methods, models in TEAMS.items():
        for kind in arguments.feedback:
            settings = {"task": arguments.task, "data": str(arguments.data), "seeds": arguments.orders}
            # Without a memory nothing is learnt, so one kind of feedback tells all.
            names = methods if kind == "exact" else methods[1:]
            specs += expand({**settings, "methods": names, "models": models, "feedback": kind})
    outcomes = sweep(specs, arguments.out / "runs", engine=ThreadEngine(arguments.workers))
    made = report([outcome.run for outcome in outcomes if outcome.run])
    print(made.text())
    made.write(arguments.out / "report")


if __name__ == "__main__":
    main()
