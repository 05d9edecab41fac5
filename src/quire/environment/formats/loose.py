r"""Reading arguments out of text that no parser accepts: nested quotes, raw line breaks, no closing bracket.

    sql='SELECT x FROM t WHERE y = 'a' AND z IN ('b')'        the quotes inside are text
    query="what is "RAG"?", limit=4                           so are these

An argument's value reaches from its name to the name of the next argument that the actions know, so
quotes inside need no escape.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from quire.environment.formats.base import python_value

_QUOTES = ('"""', "'''", '"', "'")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "'": "'", '"': '"', "\\": "\\", "/": "/"}


def loose_arguments(text: str, names: Sequence[str], *, separator: str, closers: str) -> dict[str, Any]:
    """The arguments in `text`.

    `names` are the parameters to look for, `separator` the character between a name and its value ("="
    or ":"), `closers` the brackets that may end the text.
    """
    choices = "|".join(re.escape(name) for name in names)
    key = re.compile(rf"(?:^|[,{{(\n])\s*[\"']?({choices})[\"']?\s*{separator}(?!=)\s*")
    matches = list(key.finditer(text))
    found: dict[str, Any] = {}
    for number, match in enumerate(matches):
        last = number + 1 == len(matches)
        end = len(text) if last else matches[number + 1].start()
        if match[1] not in found:
            found[match[1]] = loose_value(text[match.end() : end], closers if last else "")
    return found


def loose_value(text: str, closers: str) -> Any:
    """One value: quoted text, a literal, or bare text; what follows its end is dropped."""
    text = text.strip().rstrip(",").rstrip()
    for quote in _QUOTES:
        if text.startswith(quote):
            return _quoted(text, quote, closers)
    return _bare(text, closers)


def _quoted(text: str, quote: str, closers: str) -> str:
    body = text[len(quote) :]
    end = -1
    if closers:
        ends = [m.start() for m in re.finditer(rf"{quote}\s*[{re.escape(closers)}]", body)]
        at_line_end = [
            m.start() for m in re.finditer(rf"{quote}\s*[{re.escape(closers)}]+[ \t;`]*(?:$|\n)", body)
        ]
        end = (at_line_end or ends or [-1])[-1]
    if end < 0:
        end = body.rfind(quote)
    body = body if end < 0 else body[:end]
    try:
        value = python_value(quote + body + quote)
    except ValueError:
        value = None
    return value if isinstance(value, str) else _unescape(body)


def _unescape(text: str) -> str:
    return re.sub(r"\\([ntr'\"\\/])", lambda match: _ESCAPES[match[1]], text)


def _bare(text: str, closers: str) -> Any:
    candidates = [text]
    for closer in closers:
        candidates += [text[: m.start()] for m in list(re.finditer(re.escape(closer), text))[:5]]
    for candidate in candidates:
        try:
            return python_value(candidate)
        except ValueError:
            continue
    first = text.split("\n", 1)[0].strip() if closers else text
    return first.rstrip("".join(set(closers)) + "; \t`") if closers else first
