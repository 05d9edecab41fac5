"""What the memory had to do with a run, for whoever shows it.

The record of a run names items by their ids alone: of what was forgotten since, the id is all that is left.
No run is lost for a memory that cannot be read.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import suppress
from typing import Any

from quire.agents.personal import hinted, suggestion, taken
from quire.build import Library
from quire.errors import MemoryStoreError
from quire.interfaces.links import link
from quire.interfaces.plain import plain
from quire.memory.items import Item
from quire.types import Trajectory


def used(library: Library, run: Trajectory) -> dict[str, Item | None]:
    """The items that took part in a run, by their ids."""
    ids, known = list(taken(run)), dict[str, Item]()
    if ids:
        with suppress(MemoryStoreError, sqlite3.Error):
            known = library.memory.verdicts.found(ids)
    return {one: known.get(one) for one in ids}


def suggested(library: Library, run: Trajectory) -> Item | None:
    """What was judged right for a question that may be the same, shown beside an abstention."""
    if hinted(run):
        with suppress(MemoryStoreError, sqlite3.Error):
            return suggestion(library.memory.verdicts, run, library)
    return None


def in_words(item: Item) -> str:
    """The answer of an item, in words."""
    if item.absent:
        return "the papers do not say it"
    return item.answer if isinstance(item.answer, str) else json.dumps(item.answer, ensure_ascii=False)


def suggestion_document(item: Item) -> dict[str, Any]:
    """A suggestion as JSON: the earlier question and its answer, who judged it, and where it stands."""
    return {
        "id": item.id,
        "question": item.question,
        "answer": plain(item.answer),
        "absent": item.absent,
        "author": item.author,
        "created": item.created,
        "evidence": [
            {**plain(each), "link": link(each.paper_id, each.page, each.bbox)} for each in item.evidence
        ],
    }
