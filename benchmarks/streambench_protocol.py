"""Does the protocol `streambench` ask and score as published? Every prompt of 200 steps is looked at.

`python benchmarks/streambench_protocol.py --data DIR [--steps 200]`: DIR has `toolbench_ste` and `hotpotqa`.
A scripted model that knows the gold of two in three answers them; Self-StreamICL with the task's own k. Each
step is checked for the parts of the prompt, how many shots and which (only right answers, the most similar
last), the order of the stream, and the metric against one computed here.
"""

import argparse
import json
import re
import string
import tempfile
from collections import Counter
from pathlib import Path

from quire.eval.run import RunSpec
from quire.llm import Completion, Model
from quire.memory import HashEncoder
from quire.types import Usage
from quire_streams.runs.opening import open_setup
from quire_streams.runs.runner import ordered, run
from quire_streams.tasks.judging import LocalJudge
from quire_streams.tasks.protocol import open_task, spec_over
from quire_streams.tasks.toolbench import FREE_TEXT

FOLDERS = {"toolbench": "toolbench_ste", "hotpotqa": "hotpotqa"}


class Scripted:
    """Writes down each prompt; right for two in three."""

    def __init__(self, task, samples):
        self.golds = {one.instance.input: one.reply for one in samples}
        self.prompts = []

    def complete(self, messages, **params):
        """Answer the case that stands last."""
        prompt = messages[-1].text
        self.prompts.append(prompt)
        asked = max(self.golds, key=prompt.rfind)
        gold = self.golds[asked]
        text = gold if len(self.prompts) % 3 else "I cannot say"
        return Completion(text, usage=Usage(calls=1))


def bare(text):
    """SQuAD's normal form, written anew."""
    text = "".join(char for char in text.lower() if char not in string.punctuation)
    return " ".join(word for word in text.split() if word not in ("a", "an", "the"))


def hotpotqa_score(sample, output):
    return float(bare(output) == bare(sample.gold))


def toolbench_score(sample, output):
    try:
        said = json.loads(output)
    except ValueError:
        return 0.0
    arguments = said["action_input"]
    same = all(
        str(arguments.get(key, "")).strip().lower() == str(value).strip().lower()
        for key, value in sample.gold.arguments.items()
    )
    return float(said["action"] == sample.gold.action and (same or sample.gold.action in FREE_TEXT))


SCORES = {"toolbench": toolbench_score, "hotpotqa": hotpotqa_score}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=200)
    arguments = parser.parse_args()
    for name, folder in FOLDERS.items():
        counts = looked_at(name, arguments.data / folder, arguments.steps)
        print(name, ", ".join(f"{what} {count}" for what, count in counts.items()))


def looked_at(name: str, data: Path, steps: int) -> Counter:
    spec = spec_over(
        RunSpec(name, "self_stream_icl", ("scripted",), "", limit=steps, protocol="streambench"), data
    )
    task = open_task(name, protocol="streambench")
    samples = {one.instance.id: one for one in task.load(data)}
    model, encoder = Scripted(task, list(samples.values())), HashEncoder()
    setup = open_setup(
        spec, judge=LocalJudge(task, data), encoder=encoder, models=lambda role, one: Model(one, model)
    )
    with tempfile.TemporaryDirectory() as folder:
        done = run(spec, setup, Path(folder))
    stream = ordered([one.instance for one in samples.values()], 0, limit=steps, order=spec.order)
    counts: Counter = Counter(protocol=sum(one.protocol == "streambench" for one in done.records))
    right: list[str] = []  # shots that memory may show so far
    for record, prompt, instance in zip(done.records, model.prompts, stream, strict=True):
        sample = samples[record.instance]
        outputs = [one for one in right if one in prompt]
        counts["order"] += record.instance == instance.id
        counts["parts"] += prompt.startswith(instance.instruction) and prompt.endswith(instance.answer_format)
        counts["question last"] += instance.input in prompt.rpartition("The case to work on now:")[2]
        counts["k shots"] += len(record.attempt.shots) == min(task.shots, len(right))
        counts["only right ones"] += len(outputs) >= len(record.attempt.shots)
        counts["most similar last"] += likeness_rises(prompt, instance, encoder)
        counts["metric"] += record.value == SCORES[name](sample, record.attempt.output)
        if record.verdict.label == "right":
            right.append(instance.shot)
    counts["of"] = len(done.records)
    return counts


def likeness_rises(prompt, instance, encoder) -> bool:
    """Whether the questions of the shots stand in order of their likeness to this one."""
    head, found, _ = prompt.partition("End of the earlier cases.")
    if not found:
        return True
    asked = re.findall(r"^(?:Request|Question): (.*)$", head.partition("closest one last:")[2], re.MULTILINE)
    rows = encoder.encode([*asked, instance.key])
    likeness = rows[:-1] @ rows[-1]
    return all(a <= b + 1e-5 for a, b in zip(likeness, likeness[1:], strict=False))


if __name__ == "__main__":
    main()
