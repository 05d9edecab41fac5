"""ToolBench, the 50 APIs of STE: write the call that answers a request. Accuracy of name and arguments.

Qin et al. 2023 (ToolLLM); selection of Wang et al. 2024, https://github.com/microsoft/simulated-trial-and-error
(MIT). Layouts read: `ft_datasets/tool_test.json` (or that file alone), API -> list of records.

A record: {"query": "What is the date 90 days from 2022-10-14?", "action": "add_date",
           "action_input": "{...}", "api_descriptions": "API_name: add_date ..."}

Arguments of 31 APIs must be equal but for case and blanks, as the paper's code has it; those of the other 19
are free text and go to a judge. Extra arguments do not count against a call; part `no_extra` tells them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from quire.errors import TaskError
from quire.tasks import reading
from quire.tasks.call_judges import CallJudge, LexicalJudge, ModelJudge
from quire.tasks.calls import ToolCall, compare, read_arguments, read_call
from quire.tasks.protocol import Result, Sample
from quire.tasks.toolbench_examples import EXAMPLES
from quire.types import Experience, Instance, Verdict

# The published scorer compares the arguments of all other APIs exactly.
FREE_TEXT = frozenset(
    {
        "CatchLoc%%[Group Management] API access for modifying group information",
        "English Talking%%Get an answer",
        "Fake Brightcove%%Temp Upload URLs",
        "GamerPower%%Filter & Group Giveaways",
        "GamerPower%%Live giveaways by type",
        "Grup Terbuka%%Kirim Pesan",
        "Handball Data%%Daily Match List-Live",
        "Marvel Vs Capcom 2%%Show Character",
        "PTL%%update",
        "Stadia Maps Time Zone API%%TZ Lookup by Location",
        "Weather_dataSet%%Weather_dataSet",
        "disambiguation",
        "getWolframAlphaResults",
        "get_arxiv_article_information",
        "get_weather_today",
        "search",
        "search_general",
        "search_places",
        "siteDomain%%industry list",
    }
)


class ToolBench:
    """Requests and API calls."""

    name = "toolbench"
    shots = 16
    metric = "accuracy"

    def __init__(self, judge: CallJudge | None = None) -> None:
        self.judge: CallJudge = judge or LexicalJudge()

    @classmethod
    def with_model(cls, name: str, model: Any) -> ToolBench:
        """With a language model as the judge of free text."""
        return cls(ModelJudge(name, model))

    def load(self, data: Path) -> Sequence[Sample]:
        """All requests, API by API."""
        path = reading.need(data, "ft_datasets/tool_test.json", "tool_test.json")
        records = reading.read_json(path)
        if not isinstance(records, dict):
            raise TaskError(f"{path} must map each API to its list of records.")
        descriptions = {api: _description(rows, f"{path}, {api}") for api, rows in records.items()}
        documents = "\n\n".join(descriptions[api] for api in sorted(descriptions))
        samples: list[Sample] = []
        for api, rows in records.items():
            for row in rows:
                samples.append(_sample(row, documents, f"{path}, {api}", len(samples)))
        return samples

    def examples(self, data: Path) -> Sequence[Experience]:
        """Sixteen hand-written pairs."""
        return [
            Experience(
                query, self.name, f"example-{n}", {"shot": f"Request: {query}"},
                ToolCall(action, arguments).written(), Verdict("right", source="metric"), -1, "gold", "",
            )
            for n, (query, action, arguments) in enumerate(EXAMPLES)
        ]  # fmt: skip

    def parse(self, reply: str, instance: Instance) -> str:
        """The first call in the reply, in canonical form."""
        call = read_call(reply)
        return call.written() if call else ""

    def score(self, sample: Sample, output: str) -> Result:
        """Name and arguments; the judge decides where arguments are free text."""
        gold: ToolCall = sample.gold
        said = read_call(output)
        reason = f"gold: {gold.written()}"
        if said is None or said.action != gold.action:
            return Result(0.0, {"api": 0.0}, reason)
        difference = compare(said.arguments, gold.arguments)
        parts = {"api": 1.0, "no_extra": float(not difference.extra)}
        if gold.action not in FREE_TEXT:
            return Result(float(not (difference.missing or difference.unequal)), parts, reason)
        same = self.judge.same(said, gold)
        return Result(None if same is None else float(same), parts, f"{reason} ({self.judge.name} judge)")

    def gold(self, sample: Sample) -> str:
        """The call."""
        call: ToolCall = sample.gold
        return call.written()


def _description(rows: Sequence[reading.Row], where: str) -> str:
    if not rows:
        raise TaskError(f"{where} has no records.")
    return reading.text(rows[0], "api_descriptions", where).strip()


def _sample(row: reading.Row, documents: str, where: str, number: int) -> Sample:
    query = reading.text(row, "query", where).strip()
    instance = Instance(
        task="toolbench",
        id=f"{number:04d}",
        key=query,
        instruction="Answer a user's request with one call to one of these APIs.\n\n" + documents,
        input=f"Request: {query}",
        shot=f"Request: {query}",
        answer_format='Write it as JSON: {"action": "<API_name>", "action_input": {"<argument>": <value>}}',
        fields={"query": query, "documents": documents},
    )
    try:
        arguments = read_arguments(json.loads(reading.text(row, "action_input", where)))
    except json.JSONDecodeError as error:
        raise TaskError(f"{where}: field `action_input` is not JSON: {error}.") from error
    return Sample(instance, ToolCall(reading.text(row, "action", where), arguments))
