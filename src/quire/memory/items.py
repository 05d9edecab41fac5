"""One judged answer as a library remembers it, its row in the store, and its line in a file for others.

What comes in from a file is somebody else's: it is kept under its author's name and never offered as a
remembered answer. Whether evidence stands on its page is for others to check.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from quire import jsontext
from quire.errors import MemoryStoreError
from quire.types import Evidence

WHOLE = "*"  # stands among an item's papers for all papers of the library, with their fingerprint

_WORD = re.compile(r"[^\W_]+")
_LONGEST_LINE = 200_000  # characters
_MOST = 200_000  # lines

COLUMNS = (
    "id", "origin", "author", "kind", "run", "question", "form", "scope", "answer", "evidence", "actions",
    "model", "created", "retired", "label",
)  # fmt: skip
"""Of the table `items`."""
_JSON = ("scope", "answer", "evidence", "actions")  # are kept as JSON
_TYPE = "quire memory"
_OWN = ("id", "label", "retired", "origin")  # do not travel


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """A question, the answer that was judged, and what it rests on.

    `kind` is "answer" for what a run said and "correction" for the user's own word. `scope` holds the ids of
    the papers that were asked about (none: the whole library), `papers` those that the answer rests on, each
    with the SHA-256 of its file; what rests on the whole library names `WHOLE`. `actions` are (name,
    arguments) of the look-ups that led there. `label` is what the verdicts come to: "unknown" where people
    disagree or the item is retired.
    """

    question: str
    form: str
    scope: tuple[str, ...]
    answer: Any
    evidence: tuple[Evidence, ...]
    actions: tuple[tuple[str, Mapping[str, Any]], ...]
    papers: Mapping[str, str]
    author: str
    run: str
    model: str
    created: str  # ISO 8601, UTC
    kind: Literal["answer", "correction"] = "answer"
    origin: str = ""
    retired: str = ""
    label: Literal["right", "wrong", "unknown"] = "unknown"
    id: str = ""

    @property
    def absent(self) -> bool:
        """Whether it says that the papers do not say it, and nobody judged that wrong."""
        return self.empty and self.label != "wrong"

    @property
    def empty(self) -> bool:
        """Whether it has neither an answer nor evidence that would be one."""
        return self.answer is None and not self.evidence

    @property
    def said(self) -> Any:
        """Its answer; in place of one, the sentence that its user named."""
        return self.evidence[0].quote if self.answer is None and self.evidence else self.answer

    @property
    def own_word(self) -> bool:
        """Whether it is a person's own answer, found on no page."""
        return self.kind == "correction" and self.answer is not None and not self.evidence

    def identified(self) -> JudgedAnswer:
        """The same with its id, a hash of where it is from, what was asked and what was said."""
        parts = [self.origin, self.question, self.form, _json(self.scope), _json(self.answer)]
        parts += ["absent"] * self.empty
        text = "\x1f".join(parts).encode("utf-8", "surrogatepass")
        return replace(self, id=hashlib.sha256(text).hexdigest()[:32])


def fingerprint(present: Mapping[str, str]) -> str:
    """All papers of a library, id to SHA-256, as one hash: another paper makes it another one."""
    text = "\n".join(f"{paper} {sha}" for paper, sha in sorted(present.items()))
    return hashlib.sha256(text.encode()).hexdigest()


def folded(question: str) -> str:
    """A question without case, signs and blanks between words."""
    return " ".join(_WORD.findall(question.lower()))


def scope_text(scope: Sequence[str]) -> str:
    """Papers asked about, as they are stored."""
    return _json(sorted(scope))


def as_row(item: JudgedAnswer) -> dict[str, str]:
    """The values of `COLUMNS`."""
    values = {**jsontext.as_json(item), "scope": sorted(item.scope)}
    return {name: _json(values[name]) if name in _JSON else values[name] for name in COLUMNS}


def of_row(row: Sequence[Any], papers: Mapping[str, str]) -> JudgedAnswer:
    """The item of a row of `COLUMNS`.

    Raises:
        ValueError, TypeError: the row is not one of an item.
    """
    known = dict(zip(COLUMNS, row, strict=True))
    read = {name: jsontext.loads(known[name]) for name in _JSON}
    return _item({**known, **read, "papers": papers})


def as_line(item: JudgedAnswer) -> str:
    """The item as JSON for another library."""
    values = {name: value for name, value in jsontext.as_json(item).items() if name not in _OWN}
    return _json({"type": _TYPE, **values})


def of_line(line: str, number: int) -> JudgedAnswer:
    """The item that `as_line` wrote, as somebody else's.

    Raises:
        MemoryStoreError: the line of that number is not such an item, too long, or one of too many.
    """
    if number > _MOST or len(line) > _LONGEST_LINE:
        raise MemoryStoreError(f"Line {number} is too long, or one of too many.")
    try:
        values = jsontext.loads(line)
        item = _item({**{name: each for name, each in values.items() if name not in _OWN}, "origin": "*"})
        if values["type"] != _TYPE or not item.question.strip() or not item.author.strip():
            raise ValueError("it is of another type, or without question or author")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise MemoryStoreError(
            f"Line {number} is not an item of a memory: {error!r:.200}.",
            hint="Nothing was imported. `quire memory export` writes such files.",
        ) from error
    return replace(item, origin=item.author)


def _item(values: Mapping[str, Any]) -> JudgedAnswer:
    item = jsontext.of_json(JudgedAnswer, values)
    unproven = (replace(each, verified=False, how="quoted", mark=0) for each in item.evidence)
    return replace(item, evidence=tuple(unproven))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
