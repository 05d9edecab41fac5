"""ToolBench, the 50 APIs of STE: write the call that answers a request. Accuracy of name and arguments.

Qin et al. 2023 (ToolLLM); selection of Wang et al. 2024, https://github.com/microsoft/simulated-trial-and-error
(MIT). Layouts read: `ft_datasets/tool_test.json` (or that file alone), API -> list of records; and the
configuration `toolbench` of the StreamBench set on Hugging Face (query, api_name, api_input), which has no
API documents: those are taken from the first source's `tool_metadata/API_descriptions.json`.

A record: {"query": "What is the date 90 days from 2022-10-14?", "action": "add_date",
           "action_input": "{...}", "api_descriptions": "API_name: add_date ..."}

Arguments of 31 APIs must be equal but for case and blanks, as the paper's code has it; those of the other 19
are free text and go to a judge: True, False or None, that it could not tell. None makes the attempt's verdict
unknown: a judge's failure is never a right answer. Extra arguments do not count against a call; part
`no_extra` tells them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz, utils

from quire.errors import ENDS_A_RUN, ModelError, TaskError
from quire.eval import files
from quire.eval.result import Result
from quire.llm import Model, user
from quire.types import Experience, Instance
from quire_streams.tasks.protocol import Sample, WordedTask, first_object, hand_written, records


@dataclass(frozen=True, slots=True)
class ApiCall:
    """A call."""

    action: str
    arguments: Mapping[str, Any]

    def written(self) -> str:
        """The canonical form."""
        return json.dumps({"action": self.action, "action_input": dict(self.arguments)}, ensure_ascii=False)


_ENOUGH = 70.0  # percent of words that are shared


@dataclass(frozen=True, slots=True)
class CallDifference:
    """How a call's arguments differ from the gold's."""

    missing: tuple[str, ...]
    extra: tuple[str, ...]
    unequal: tuple[str, ...]


def read_call(reply: str) -> ApiCall | None:
    """The first call in a reply; arguments may be an object, a text that holds one, or nothing."""
    found = first_object(reply)
    if not found or not isinstance(found.get("action"), str):
        return None
    return ApiCall(found["action"], read_arguments(found.get("action_input")))


def read_arguments(value: Any) -> Mapping[str, Any]:
    """Arguments as an object; whatever else was given stands under the empty name."""
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip() else {}
        except json.JSONDecodeError:
            return {"": value}
    if value is None:
        return {}
    return value if isinstance(value, dict) else {"": value}


def compare(said: Mapping[str, Any], gold: Mapping[str, Any]) -> CallDifference:
    """Values are equal if they are the same text without outer blanks and case."""
    missing = tuple(name for name in gold if name not in said)
    extra = tuple(name for name in said if name not in gold)
    unequal = tuple(name for name in gold if name in said and _folded(said[name]) != _folded(gold[name]))
    return CallDifference(missing, extra, unequal)


def _folded(value: Any) -> str:
    return str(value).strip().lower()


def same_words(said: ApiCall, gold: ApiCall) -> bool:
    """Without a model: whether every gold argument is there and shares most of its words (in any order)."""
    difference = compare(said.arguments, gold.arguments)
    return not difference.missing and all(
        fuzz.token_sort_ratio(
            str(said.arguments[name]), str(gold.arguments[name]), processor=utils.default_process
        )
        >= _ENOUGH
        for name in difference.unequal
    )


def same_by_model(model: Any, said: ApiCall, gold: ApiCall) -> bool | None:
    """Asks a language model (the paper used gpt-3.5-turbo-0125 at temperature 0); None: it could not tell.

    Equal calls need no judge.
    """
    difference = compare(said.arguments, gold.arguments)
    if not (difference.missing or difference.unequal):
        return True
    prompt = (
        "Two calls to the same API were written for the same request. The first is known to be right. "
        "Would the second do the same job, with no important detail lost?\n\n"
        f"Right: {gold.written()}\nTo judge: {said.written()}\n\nReply with one word, yes or no."
    )
    try:
        reply = model.complete([user(prompt)], temperature=0, max_tokens=5).text
    except ENDS_A_RUN:  # the set-up's fault: every other call would go unjudged too
        raise
    except ModelError:
        return None
    words = re.findall(r"[a-z]+", reply.lower())
    return {"yes": True, "no": False}.get(words[0]) if words else None


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


class ToolBench(WordedTask):
    """Requests and API calls."""

    name = "toolbench"
    shots = 16
    metric = "accuracy"

    def __init__(self, judge: Model | None = None) -> None:
        """`judge` judges arguments in free text."""
        super().__init__()
        self._judge = judge

    @classmethod
    def with_model(cls, model: Model) -> ToolBench:
        """With a language model as the judge of free text."""
        return cls(model)

    def load(self, data: Path) -> Sequence[Sample]:
        """All requests, API by API."""
        found = files.find(data, *files.hub("toolbench", "test"))
        asked = list(_hub_requests(data, found) if found else _ste_requests(data))
        described = {one.call.action: one.description for one in asked}
        documents = "\n\n".join(described[api] for api in sorted(described))
        names = ", ".join(sorted(described))
        samples = []
        for number, one in enumerate(asked):
            fields = {"query": one.query, "documents": documents}
            shown = self.instance(f"{number:04d}", one.query, fields, **fields, names=names)
            samples.append(Sample(shown, one.call, one.call.written()))
        return samples

    def examples(self, data: Path) -> Sequence[Experience]:
        """Sixteen hand-written pairs."""
        return hand_written(self.name, self.name, "Request: ")

    def parse(self, reply: str, instance: Instance) -> str:
        """The first call in the reply, in canonical form."""
        call = read_call(reply)
        return call.written() if call else ""

    def score(self, sample: Sample, output: str) -> Result:
        """Name and arguments; the judge decides where arguments are free text."""
        gold: ApiCall = sample.gold
        said = read_call(output)
        reason = f"gold: {gold.written()}"
        if said is None or said.action != gold.action:
            return Result(0.0, {"api": 0.0}, reason)
        difference = compare(said.arguments, gold.arguments)
        parts = {"api": 1.0, "no_extra": float(not difference.extra)}
        if gold.action not in FREE_TEXT:
            return Result(float(not (difference.missing or difference.unequal)), parts, reason)
        judge = self._judge
        same = same_by_model(judge, said, gold) if judge else same_words(said, gold)
        who = judge.name if judge else "lexical"
        return Result(None if same is None else float(same), parts, f"{reason} ({who} judge)")


@dataclass(frozen=True, slots=True)
class _ToolRequest:
    query: str
    call: ApiCall
    description: str  # of its API


def _ste_requests(data: Path) -> Iterator[_ToolRequest]:
    path = files.need(data, "ft_datasets/tool_test.json", "tool_test.json")
    for api, own in files.mapping(path).items():
        where = f"{path}, {api}"
        if not own:
            raise TaskError(f"{where} has no records.")
        document = files.text(own[0], "api_descriptions", where).strip()
        for row in own:
            query, action = (files.text(row, field, where) for field in ("query", "action"))
            call = ApiCall(action, _arguments(row.get("action_input"), where))
            yield _ToolRequest(query.strip(), call, document)


def _hub_requests(data: Path, path: Path) -> Iterator[_ToolRequest]:
    places = ("tool_metadata/API_descriptions.json", "API_descriptions.json")
    beside = files.find(data, *places, *(f"toolbench/{place}" for place in places))
    if beside is None:
        raise TaskError(
            f"{path} does not describe its APIs.",
            hint=f"Put API_descriptions.json of microsoft/simulated-trial-and-error into {data}, "
            "or get it with `quire tasks fetch toolbench`.",
        )
    known = files.read_json(beside)
    for one in records(path):
        query, api = one.text("query"), one.text("api_name")
        if api not in known:
            raise TaskError(f"{one.where}: {beside} does not describe the API `{api}`.")
        document = f"API_name: {api}\nDescription: {known[api]}".strip()
        call = ApiCall(api, _arguments(one.row.get("api_input"), one.where))
        yield _ToolRequest(query.strip(), call, document)


def _arguments(value: object, where: str) -> Mapping[str, Any]:
    """Arguments as JSON text, or as a record, whose empty fields belong to the other rows of its column."""
    read = read_arguments(value)
    if isinstance(value, str) and read == {"": value}:
        raise TaskError(f"{where}: the arguments are not JSON: {value[:80]}.")
    return {name: each for name, each in read.items() if each is not None}
