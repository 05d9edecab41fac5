"""Reading arguments out of text that no parser accepts: nested quotes, raw line breaks, no closing bracket.

    sql='SELECT x FROM t WHERE y = 'a' AND z IN ('b')'        the quotes inside are text
    query="what is "RAG"?", limit=4                           so are these

An argument's value reaches from its name to the name of the next argument that the actions know, so quotes
inside need no escape.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from quire.literals import read, unescape

_MOST_QUOTES = 1000
_LOOK_AHEAD = 200  # characters after a quote that tell whether it ends the value
_MOST_CLOSERS = 5
_QUOTES = ('"""', "'''", '"', "'")


def lenient_arguments(text: str, names: Sequence[str], *, separator: str, closers: str) -> dict[str, Any]:
    """The arguments in `text`.

    `names` are the parameters to look for, `separator` the character between a name and its value ("="
    or ":"), `closers` the brackets that may end the text.
    """
    choices = "|".join(re.escape(name) for name in names)
    key = re.compile(rf"(?:^|[,{{(\n])\s{{0,99}}[\"']?({choices})[\"']?\s{{0,9}}{separator}(?!=)\s{{0,99}}")
    matches = list(key.finditer(text))
    found: dict[str, Any] = {}
    for number, match in enumerate(matches):
        last = number + 1 == len(matches)
        end = len(text) if last else matches[number + 1].start()
        if match[1] not in found:
            found[match[1]] = lenient_value(text[match.end() : end], closers if last else "")
    return found


def lenient_value(text: str, closers: str) -> Any:
    """One value: quoted text, a literal, or bare text; what follows its end is dropped."""
    text = text.strip().rstrip(",").rstrip()
    for quote in _QUOTES:
        if text.startswith(quote):
            return _quoted(text, quote, closers)
    return _bare(text, closers)


def _quoted(text: str, quote: str, closers: str) -> str:
    body = text[len(quote) :]
    end = _last_closed(body, quote, closers) if closers else -1
    if end < 0:
        end = body.rfind(quote)
    return unescape(body if end < 0 else body[:end])


def _last_closed(body: str, quote: str, closers: str) -> int:
    """The last quote with a closing bracket after it, rather one that ends its line; -1 if there is none."""
    at_bracket = -1
    end = body.rfind(quote)
    for _ in range(_MOST_QUOTES):
        if end < 0:
            break
        after = body[end + len(quote) : end + len(quote) + _LOOK_AHEAD].lstrip()
        if after[:1] and after[0] in closers:
            if not after.split("\n", 1)[0].lstrip(closers).strip(" \t;`"):
                return end
            at_bracket = at_bracket if at_bracket >= 0 else end
        end = body.rfind(quote, 0, end)
    return at_bracket


def _bare(text: str, closers: str) -> Any:
    candidates = [text]
    for closer in closers:
        candidates += [text[:place] for place in _places(text, closer)]
    for candidate in candidates:
        try:
            return read(candidate, spoken=True)
        except ValueError:
            continue
    first = text.split("\n", 1)[0].strip() if closers else text
    return first.rstrip("".join(set(closers)) + "; \t`") if closers else first


def _places(text: str, closer: str) -> list[int]:
    places: list[int] = []
    while len(places) < _MOST_CLOSERS and (place := text.find(closer, places[-1] + 1 if places else 0)) >= 0:
        places.append(place)
    return places
