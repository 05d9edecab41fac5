"""One judged answer as a library remembers it, and its row in the store."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from quire import jsontext
from quire.types import Box, Evidence

WHOLE = "*"  # stands among an item's papers for all papers of the library, with their fingerprint

_WORD = re.compile(r"[^\W_]+")

FIELDS = (
    "id, origin, author, kind, run, question, form, scope, answer, evidence, actions, model, created, retired"
)


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


def as_row(item: JudgedAnswer) -> tuple[str, ...]:
    """The values of `FIELDS`."""
    evidence = [asdict(one) for one in item.evidence]
    texts = (item.id, item.origin, item.author, item.kind, item.run, item.question, item.form)
    values = (scope_text(item.scope), _json(item.answer), _json(evidence), _json(item.actions))
    return (*texts, *values, item.model, item.created, item.retired)


def of_row(row: Sequence[Any], papers: Mapping[str, str], label: Any) -> JudgedAnswer:
    """The item of a row of `FIELDS`.

    Raises:
        ValueError, KeyError, TypeError: the row is not one of an item.
    """
    known = dict(zip(FIELDS.split(", "), row, strict=True))
    scope, evidence = jsontext.loads(known.pop("scope")), jsontext.loads(known.pop("evidence"))
    actions, answer = jsontext.loads(known.pop("actions")), jsontext.loads(known.pop("answer"))
    return JudgedAnswer(
        **known,
        scope=tuple(scope),
        answer=answer,
        evidence=tuple(evidence_of(one) for one in evidence),
        actions=tuple((str(name), dict(arguments)) for name, arguments in actions),
        papers=papers,
        label=label,
    )


def evidence_of(values: Mapping[str, Any]) -> Evidence:
    """Evidence from its JSON form; whether it stands on the page is for others to check."""
    box = values.get("bbox")
    return Evidence(
        str(values["paper_id"]),
        int(values["page"]),
        Box(*(float(edge) for edge in box)) if box else None,
        str(values["quote"]),
        False,
        str(values.get("page_label") or ""),
        str(values.get("paper_title") or ""),
        str(values.get("table") or ""),
        str(values.get("key") or ""),
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
