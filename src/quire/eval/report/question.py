"""One question of a report: its outcome in a line, and behind it everything that led there."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quire.eval.record import Case, Record
from quire.eval.report.summary import score
from quire.types import Box

if TYPE_CHECKING:
    from quire.library import Library

_DPI = 80.0
_AROUND = 48.0  # points around the evidence, so that a single cell is seen in its table


def pictures_of(library: Library) -> Picture:
    """A picture of each piece of evidence with its surroundings, the evidence marked."""

    def picture(paper: str, page: int, box: Box | None) -> bytes | None:
        if page < 1:
            return None  # metadata stands on no page
        if box is None:
            return library.render(paper, page, dpi=_DPI)
        x0, y0 = max(0.0, box.x0 - _AROUND), max(0.0, box.y0 - _AROUND)
        part = Box.from_edges(x0, y0, box.x1 + _AROUND, box.y1 + _AROUND)
        return library.render(paper, page, box=part, marks=(box,), dpi=_DPI)

    return picture


Picture = Callable[[str, int, Box | None], bytes | None]

_PNG = b"\x89PNG\r\n\x1a\n"
_LONGEST = 6000  # characters of one observation that are shown


@dataclass
class Pictures:
    """Where pictures come from, and how many bytes of them may still be taken."""

    source: Picture | None
    left: int

    def take(self, evidence: Mapping[str, Any]) -> dict[str, str]:
        """The picture of a piece of evidence: its `data`, or a `note` why there is none."""
        if self.source is None:
            return _picture()
        if self.left <= 0:
            return _picture(note="Its picture is left out: the page would grow too large.")
        box = Box(*evidence["bbox"]) if evidence.get("bbox") else None
        try:
            found = self.source(str(evidence["paper_id"]), int(evidence["page"]), box)
        except Exception as error:  # a paper that was removed since must not cost the report
            return _picture(note=f"There is no picture: {error}")
        if not found or not found.startswith(_PNG):
            return _picture()
        self.left -= len(found)
        where = f"Page {evidence['page']} of {evidence.get('paper_title') or evidence['paper_id']}"
        return _picture(data=base64.b64encode(found).decode(), told=where)


def _picture(data: str = "", told: str = "", note: str = "") -> dict[str, str]:
    return {"data": data, "told": told, "note": note}


def describe_question(record: Record, pictures: Pictures) -> dict[str, Any]:
    """What the page shows of a question: closed, and opened answer, gold, score, evidence and every step."""
    case = record.case or Case("")
    steps: Sequence[Mapping[str, Any]] = (case.trajectory or {}).get("steps", [])
    return {
        "status": record.status,
        "kinds": case.tags,
        "asked": case.question[:400],
        "shown": "" if case.answer is None else f" \u2192 {_json(case.answer)[:120]}",
        "facts": [(name, value) for name, value in _facts(record, case).items() if value],
        "heading": "Closest passages" if record.attempt.abstained else "Evidence",
        "evidence": [
            _evidence(each, pictures.take(each) if number == 0 else _picture())
            for number, each in enumerate(case.evidence)
        ],
        "steps": [_step(step) for step in steps],
    }


def _facts(record: Record, case: Case) -> dict[str, str]:
    value, usage = score(record), record.usage
    told = "none" if value is None else f"{value:g}"
    tokens = f"{usage.prompt_tokens} + {usage.completion_tokens} tokens, ${usage.cost:.4f}"
    took = f"{case.turns} turns, {record.attempt.seconds:.2f} s, {tokens}"
    return {
        "Question": case.question,
        "Form asked": case.answer_format,
        "Answer": "" if case.answer is None else _json(case.answer),
        "Gold": _gold(case.gold),
        "Score": f"{told}. {case.reason}",
        "Note": case.note if case.note != case.reason else "",
        "Confidence": f"{case.confidence:.2f}" if case.trajectory else "",
        "Took": took if case.trajectory else "",
        "Kinds": ", ".join(case.tags),
        "Id": record.instance,
    }


def _evidence(each: Mapping[str, Any], picture: Mapping[str, str]) -> dict[str, Any]:
    checked = "found on that page" if each.get("verified") else "not found on that page"
    where = f"{each.get('paper_title') or each.get('paper_id')}, page {each.get('page')}, quote {checked}"
    return {"where": where, "quote": str(each.get("quote", ""))[:2000], "picture": picture, "of": each}


def _step(step: Mapping[str, Any]) -> dict[str, Any]:
    call, seen = step.get("call"), step.get("observation")
    texts = []
    if call:
        arguments = ", ".join(f"{key}={_json(value)}" for key, value in call["arguments"].items())
        texts.append(f"{call['name']}({arguments})")
    elif step.get("reply"):
        texts.append(str(step["reply"])[:_LONGEST])
    if seen:
        text = str(seen.get("text", ""))
        cut = f"\n\u2026 {len(text) - _LONGEST} more characters" if len(text) > _LONGEST else ""
        texts.append(text[:_LONGEST] + cut)
    return {"thought": step.get("thought") or "", "texts": texts}


def _gold(parameters: Mapping[str, Any] | None) -> str:
    """The gold, and in brackets how it is compared."""
    given = dict(parameters or {})
    for name in ("gold", "reference_answer", "formulas", "scoring_points"):
        if name in given:
            gold = _json(given.pop(name))
            how = ", ".join(f"{key} {_json(value)}" for key, value in given.items())
            return f"{gold} ({how})" if how else gold
    return _json(given)


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
