"""A personal memory as JSON Lines, for another library or another person, and back.

Only what is in use and right goes out. What comes in is somebody else's: it is kept beside the library's own
items under its author's name, can be shown as an example, and is never offered as a remembered answer.

Contract: an import is read whole and checked before anything is kept, and kept in one transaction; it adds
items and changes none; what was forgotten here stays forgotten.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from quire import jsontext
from quire.errors import MemoryStoreError
from quire.memory.items import JudgedAnswer, evidence_of
from quire.memory.verdicts import Ruling, Verdicts

_LONGEST_LINE = 200_000  # characters
_MOST = 200_000  # items
_TEXTS = ("question", "form", "author", "model", "created", "run")


def export_items(verdicts: Verdicts) -> Iterator[str]:
    """One line for every item that is in use and right, the oldest first."""
    for item in reversed(verdicts.listed()):
        if item.label == "right":
            values = {**asdict(item), "papers": dict(item.papers)}
            for inner in ("id", "label", "retired", "origin"):
                del values[inner]
            yield json.dumps({"type": "quire memory", **values}, ensure_ascii=False, default=str)


def import_items(verdicts: Verdicts, lines: Iterable[str]) -> int:
    """Take in what `export_items` wrote; how many items were new.

    Raises:
        MemoryStoreError: a line is not such an item; nothing is kept then.
    """
    items = [_item(line, number) for number, line in enumerate(lines, 1) if line.strip()]
    with verdicts.store.transaction():
        return sum(verdicts.take(item, Ruling(item.author, "right")) for item in items)


def _item(line: str, number: int) -> JudgedAnswer:
    if number > _MOST or len(line) > _LONGEST_LINE:
        raise MemoryStoreError(f"Line {number} is too long, or one of too many.")
    try:
        return _read_values(jsontext.loads(line))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise MemoryStoreError(
            f"Line {number} is not an item of a memory: {error!r:.200}.",
            hint="Nothing was imported. `quire memory export` writes such files.",
        ) from error


def _read_values(values: Any) -> JudgedAnswer:
    texts: dict[str, str] = {}
    for name in _TEXTS:
        if not isinstance(values[name], str):
            raise TypeError(f"`{name}` is no text")
        texts[name] = values[name]
    if not texts["question"].strip() or not texts["author"].strip():
        raise ValueError("question or author is empty")
    if values["type"] != "quire memory" or values["kind"] not in ("answer", "correction"):
        raise ValueError("it is of another type")
    return JudgedAnswer(
        question=texts["question"],
        form=texts["form"],
        author=texts["author"],
        model=texts["model"],
        created=texts["created"],
        run=texts["run"],
        scope=tuple(map(str, values["scope"])),
        answer=values["answer"],
        evidence=tuple(evidence_of(one) for one in values["evidence"]),
        actions=tuple((str(name), dict(arguments)) for name, arguments in values["actions"]),
        papers={str(paper): str(sha) for paper, sha in values["papers"].items()},
        kind=values["kind"],
        origin=texts["author"],
    )
