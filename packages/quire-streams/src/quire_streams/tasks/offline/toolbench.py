"""API calls without a model: the API by shared words and recalled calls, the arguments by pattern.

The API is the one whose description shares most rare words with the request; a recalled call votes for its
API by its similarity, a wrong one against. The arguments follow the best recalled right call to that API:
a value that stood in its request is replaced by what stands in the same place here, a value that did not
(a constant) is kept. Without such a call, they follow the API's own parameter list. The variants read a
request differently: (a) by its names, numbers and quotes, (b) by the words after a preposition, (c) by the
rest of the request after its opening words.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from quire.types import Attempt, Instance, Shot
from quire_streams.tasks.offline import usual
from quire_streams.tasks.toolbench import ApiCall, read_call

_WORD = re.compile(r"[^\W_]+")
_NUMBERS = re.compile(r"\d[\d.,-]*\d|\d")
_OPENING = re.compile(
    r"^(?:hi!|hello!|please|can you|could you|tell me|show me|give me|provide|what|which|who|how|is|are"
    r"|me|the|a|an|some|with|for|about|do|does|there|any|were|was)\s+",
    re.IGNORECASE,
)
_PARAMETER = re.compile(
    r'"name": "(\w+)", "type": "(\w+)"(?:, "description": "[^"]*", "default": "([^"]*)")?'
)
_CASE = 0.4  # weight of an equal request against the best match of words
_COMMON = frozenset(
    "the and for are can you your give provide what which who how this that with from all any there have does"
    " name description type string default required optional parameters parameter input action api json"
    " dict pay attention should trigger".split()
)
_SCHEMA = re.compile(r'"(\w+)"\s*:\s*(string|integer|number|float)')


class CallByPattern:
    """One caller of APIs."""

    def __init__(self, name: str, variant: str, data: Path) -> None:
        self.name = name
        self._value, self._keeps = _READERS[variant]

    def solve(self, instance: Instance, shots: tuple[Shot, ...]) -> Attempt:
        """The best-supported API with arguments after the closest right example."""
        query = instance.fields["query"]
        catalogue = _catalogue(instance.fields["documents"])
        support = catalogue.support(query)
        for action, vote in _votes(shots).items():
            if action in support:
                support[action] += vote
        action = min(support, key=lambda api: (-support[api], api))
        arguments = self._arguments(query, action, catalogue.descriptions[action], shots)
        output = ApiCall(action, arguments).written()
        return Attempt(output, output, model=self.name, shots=tuple(s.experience.id for s in shots))

    def _arguments(
        self, query: str, action: str, description: str, shots: tuple[Shot, ...]
    ) -> Mapping[str, Any]:
        for shot in reversed(shots):
            call = read_call(shot.experience.output)
            if call and call.action == action and shot.experience.verdict.label == "right":
                pattern = shot.experience.prompt_fields.get("shot", "").removeprefix("Request: ")
                return {name: self._like(value, pattern, query) for name, value in call.arguments.items()}
        return {name: self._filled(kind, default, query) for name, kind, default in _parameters(description)}

    def _like(self, value: Any, example: str, query: str) -> Any:
        written = str(value)
        if not written or written.lower() not in example.lower():
            return value
        numbers = _NUMBERS.findall(query)
        if re.fullmatch(r"[\d.,-]+", written):
            return type(value)(numbers[0]) if numbers and _fits(value, numbers[0]) else value
        return _between(written, example, query) or self._value(query)

    def _filled(self, kind: str, default: str, query: str) -> Any:
        number = next(iter(_NUMBERS.findall(query)), "")
        if kind.lower() in ("number", "integer", "float"):
            return int(number) if number.isdigit() else (default or 0)
        if number and re.fullmatch(r"[\d.,-]+", default):
            return number
        return default if default and len(default) <= self._keeps else self._value(query)


def _votes(shots: tuple[Shot, ...]) -> dict[str, float]:
    """What recalled calls say: an API's closest right call speaks for it, its closest wrong one against."""
    calls = [(call.action, shot) for shot in shots if (call := read_call(shot.experience.output))]
    votes: dict[str, float] = defaultdict(float)
    for action in {action for action, _ in calls}:
        same = [shot for said, shot in calls if said == action]
        others = [shot.similarity for said, shot in calls if said != action]
        votes[action] += _CASE * max(_closest(same, "right") - usual(others), 0.0)
        votes[action] -= _CASE / 2 * _closest(same, "wrong")
    return votes


def _closest(shots: Sequence[Shot], label: str) -> float:
    """The largest similarity among those of that verdict, 0 where there is none."""
    return max((shot.similarity for shot in shots if shot.experience.verdict.label == label), default=0.0)


class _Catalogue:
    """The APIs of a prompt and the words that tell them apart (BM25; words of the name count three times)."""

    _K1, _B, _NAME_WEIGHT = 1.2, 0.9, 3

    def __init__(self, documents: str) -> None:
        entries = [part for part in documents.split("API_name: ") if part.strip()]
        self.descriptions = {part.split("\n", 1)[0].strip(): part for part in entries}
        counts = {api: Counter(_words(part)) for api, part in self.descriptions.items()}
        for api, words in counts.items():
            for word in _words(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", api.replace("_", " "))):
                words[word] += self._NAME_WEIGHT
        seen = Counter(word for words in counts.values() for word in words)
        mean = sum(words.total() for words in counts.values()) / max(len(counts), 1)
        self._weights = {
            api: {
                word: math.log(1 + len(counts) / seen[word])
                * times
                / (times + self._K1 * (1 - self._B + self._B * words.total() / mean))
                for word, times in words.items()
            }
            for api, words in counts.items()
        }

    def support(self, query: str) -> dict[str, float]:
        """From 0 to 1, the best API 1."""
        asked = set(_words(query))
        scores = {api: sum(weight.get(word, 0.0) for word in asked) for api, weight in self._weights.items()}
        best = max(scores.values(), default=0.0) or 1.0
        return {api: score / best for api, score in scores.items()}


_catalogue = lru_cache(maxsize=4)(_Catalogue)


def _words(text: str) -> list[str]:
    words = (word for word in _WORD.findall(text.lower()) if len(word) > 2 and word not in _COMMON)
    return [word[:-1] if word.endswith("s") and not word.endswith("ss") else word for word in words]


def _parameters(description: str) -> list[tuple[str, str, str]]:
    required = description.partition('"optional_parameters"')[0]
    listed = [(name, kind, default or "") for name, kind, default in _PARAMETER.findall(required)]
    return listed or [(name, kind, "") for name, kind in _SCHEMA.findall(description)]


def _fits(value: Any, number: str) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, int):
        return number.isdigit()
    if isinstance(value, float):
        return bool(re.fullmatch(r"-?\d+(\.\d+)?", number))
    return True


def _between(value: str, example: str, query: str) -> str:
    """What stands between the same neighbouring words in `query` as `value` does in `example`."""
    at = example.lower().find(value.lower())
    before = _WORD.findall(example[:at])[-1:]
    after = _WORD.findall(example[at + len(value) :])[:1]
    if not before:
        return ""
    tail = rf"(?=\s+{re.escape(after[0])}\b|[?.!,]|$)" if after else r"(?=[?.!]|$)"
    found = re.search(rf"\b{re.escape(before[0])}\s+(.+?){tail}", query, re.IGNORECASE)
    return found[1].strip() if found else ""


def _by_name(query: str) -> str:
    quoted = re.search(r'["“]([^"”]+)["”]', query) or re.search(
        r"\S{1,100}@\S{1,200}\w|www\.\S{1,200}\w", query
    )
    if quoted:
        return quoted[quoted.re.groups]
    names = re.findall(r"(?<=[a-z,] )[A-Z][\w'-]+(?: (?:of |de )?[A-Z][\w'-]+)*", query)
    return str(names[0]) if names else _by_rest(query)


def _by_preposition(query: str) -> str:
    found = re.search(r"\b(?:in|for|about|of|on|called|named)\s+(?:the\s+)?(.+?)[?.!]?$", query)
    return found[1].strip() if found else _by_rest(query)


def _by_rest(query: str) -> str:
    text, before = query.strip().rstrip("?.!"), ""
    while text != before:
        before, text = text, _OPENING.sub("", text)
    return text


# How a value is read off a request, and up to how many characters a default is taken for a code to keep.
_READERS: Mapping[str, tuple[Callable[[str], str], int]] = {
    "a": (_by_name, 3),
    "b": (_by_preposition, 0),
    "c": (_by_rest, 99),
}
