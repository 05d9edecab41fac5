r"""Read an answer that was written as a Python or JSON literal, without running any of it.

Contract: `read(text)` gives a JSON value (None, bool, int, float, str, list, dict with text keys). Both
spellings are read, mixed too: `True`/`true`, `None`/`null`, single, double and triple quotes, tuples and
sets (as lists), trailing commas, a literal inside one Markdown code fence. Time is linear in the text.

Limits: `MAX_CHARS` characters, `MAX_DEPTH` levels, numbers of at most 400 digits. No names, calls,
operators, bytes, NaN or infinity: none of these is a JSON value. An unknown escape such as `\alpha` keeps
its backslash, as Python does.

    >>> read("('Italian', {'layers': 12, 'tied': True},)")
    ['Italian', {'layers': 12, 'tied': True}]
"""

from __future__ import annotations

import re
from typing import Any

MAX_CHARS = 100_000
MAX_DEPTH = 50

_SPACE = re.compile(r"\s*")
_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?(?![\w.])")
_WORD = re.compile(r"(?:true|True|false|False|null|None)(?!\w)")
_STRING = re.compile(
    r"""(?P<raw>[rR]?)(?:
        '''(?P<a>(?:[^\\]|\\.)*?)''' | \"""(?P<b>(?:[^\\]|\\.)*?)\"""
      | '(?P<c>(?:[^'\\\n]|\\.)*)'   | "(?P<d>(?:[^"\\]|\\.)*)"
    )""",
    re.VERBOSE | re.DOTALL,
)
_FENCE = re.compile(r"\A```[\w+-]*[ \t]*\n(?P<body>.*?)\n?```\Z", re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\n|.)", re.DOTALL)
_ESCAPED = {
    "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f",
    "\\": "\\", "'": "'", '"': '"', "/": "/", "\n": "", "0": "\0",
}  # fmt: skip
_WORDS = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None}
_CLOSING = {"[": "]", "(": ")", "{": "}"}


class NotALiteral(ValueError):
    """The text is no literal within the limits; the message says where and why."""


def read(text: str) -> Any:
    """The value that `text` spells.

    Raises:
        NotALiteral: it spells none, or is longer or deeper than the limits.
    """
    if len(text) > MAX_CHARS:
        raise NotALiteral(f"longer than {MAX_CHARS} characters")
    reader = _Reader(unfence(text))
    value = reader.value(0)
    reader.skip()
    if reader.at < len(reader.text):
        raise NotALiteral(f"more text after the value, at character {reader.at}")
    return value


def unfence(text: str) -> str:
    """The text without outer blanks and without one Markdown code fence around it."""
    text = text.strip()
    fenced = _FENCE.match(text)
    return fenced["body"].strip() if fenced else text


class _Reader:
    """A recursive descent whose depth is bounded by MAX_DEPTH."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def skip(self) -> None:
        self.at = _SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]  # matches anywhere

    def value(self, depth: int) -> Any:
        self.skip()
        if self.text[self.at : self.at + 1] in _CLOSING:
            return self.group(depth)
        if found := _STRING.match(self.text, self.at):
            self.at = found.end()
            body = next(found[name] for name in "abcd" if found[name] is not None)
            return body if found["raw"] else _unescape(body)
        if found := _WORD.match(self.text, self.at):
            self.at = found.end()
            return _WORDS[found[0]]
        if found := _NUMBER.match(self.text, self.at):
            self.at = found.end()
            return _number(found[0])
        raise NotALiteral(f"no value at character {self.at}")

    def group(self, depth: int) -> Any:
        if depth >= MAX_DEPTH:
            raise NotALiteral(f"nested deeper than {MAX_DEPTH} levels")
        opening = self.text[self.at]
        self.at += 1
        items: list[Any] = []
        pairs: dict[str, Any] = {}
        comma = False
        while not self.take(_CLOSING[opening]):
            if (items or pairs) and not comma:
                raise NotALiteral(f"a comma is missing at character {self.at}")
            item = self.value(depth + 1)
            if opening == "{" and not items and self.take(":"):
                pairs[_key(item)] = self.value(depth + 1)
            elif pairs:
                raise NotALiteral(f"a key without a value at character {self.at}")
            else:
                items.append(item)
            comma = self.take(",")
        if opening == "{" and not items:
            return pairs
        # Brackets around one value are only brackets: ("a") is "a", ("a",) a list.
        return items[0] if opening == "(" and len(items) == 1 and not comma else items

    def take(self, mark: str) -> bool:
        self.skip()
        found = self.text.startswith(mark, self.at)
        self.at += found
        return found


def _unescape(body: str) -> str:
    def replace(match: re.Match[str]) -> str:
        code = match[1]
        if len(code) > 1:
            return chr(int(code[1:], 16))
        return _ESCAPED.get(code, match[0])

    return _ESCAPE.sub(replace, body).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _number(text: str) -> int | float:
    if len(text) > 400:
        raise NotALiteral("a number of more than 400 digits")
    plain = text.replace("_", "")
    if re.fullmatch(r"[+-]?\d+", plain):
        return int(plain)
    value = float(plain)
    if value in (float("inf"), float("-inf")):
        raise NotALiteral(f"the number {plain[:20]} is too large")
    return value


def _key(item: Any) -> str:
    if isinstance(item, str):
        return item
    if isinstance(item, (list, dict)):
        raise NotALiteral("a list or mapping as a key")
    return str(item)
