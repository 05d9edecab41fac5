"""What a model says, without what it thinks aloud in blocks of its own: `<think>...</think>` and the like.

Contract: linear in the text. A block that is opened and not closed reaches to the end; one that is closed and
not opened begins with the text, as some chat templates write the opening tag themselves.
"""

from __future__ import annotations

import re

_MARK = re.compile(r"<(/?)(think|thinking|reasoning|thought_process|scratchpad|analysis)>", re.IGNORECASE)


def spoken_part(text: str) -> str:
    """The text outside of all reasoning blocks."""
    said: list[str] = []
    depth, last = 0, 0
    for mark in _MARK.finditer(text):
        if not mark[1]:
            if depth == 0:
                said.append(text[last : mark.start()])
            depth += 1
            continue
        if depth == 0:
            said.clear()
        depth = max(depth - 1, 0)
        last = mark.end()
    if depth == 0:
        said.append(text[last:])
    return "".join(said)
