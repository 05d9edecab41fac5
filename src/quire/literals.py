r"""Read an answer that was written as a Python or JSON literal, without running any of it.

Contract: `read(text)` gives a JSON value (None, bool, int, float, str, list, dict with text keys). Both
spellings are read, mixed too: `True`/`true`, `None`/`null`, single, double and triple quotes, tuples and
sets (as lists), trailing commas, a literal inside one Markdown code fence. Time is linear in the text.

Limits: `MAX_CHARS` characters, `MAX_DEPTH` levels, numbers of at most 400 digits. No names, calls,
operators, bytes, NaN or infinity: none of these is a JSON value. An unknown escape such as `\alpha` keeps
its backslash, as Python does.

`spoken=True` reads what a language model writes without thinking of escapes: `'\bshark'` is a word border of
a regular expression and `'\frac'` a fraction, never a backspace or a form feed; `\nabla`, `\theta` and other
commands of LaTeX keep their backslash, while `\n`, `\t` and `\r` before anything else are what Python says.
Strings that stand side by side are one. `speak` turns text of escapes so that this reading gives it back.

    >>> read("('Italian', {'layers': 12, 'tied': True},)")
    ['Italian', {'layers': 12, 'tied': True}]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

MAX_CHARS = 100_000
MAX_DEPTH = 50

_SPACE = re.compile(r"\s*")
_NUMBER = re.compile(r"[+-]?(?:\d[\d_]{0,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,4})?(?![\w.])")
_WORD = re.compile(r"(?:true|True|false|False|null|None)(?!\w)")
_STRING = re.compile(
    r"""(?P<raw>[rR]?)(?:
        '''(?P<a>(?:[^\\]|\\.)*?)''' | \"""(?P<b>(?:[^\\]|\\.)*?)\"""
      | '(?P<c>(?:[^'\\\n]|\\.)*)'   | "(?P<d>(?:[^"\\]|\\.)*)"
    )""",
    re.VERBOSE | re.DOTALL,
)
_FENCE = re.compile(r"\A```[\w+-]*[ \t]*\n(?P<body>.*?)\n?```\Z", re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|\n|.)", re.DOTALL)
_ESCAPED_CHARACTER = re.compile(r"\\(.)", re.DOTALL)
_LATEX = re.compile(
    r"(?:n(?:abla|u|eq?|eg|ot|otin|mid|parallel|ormalsize|ewline|ewcommand|exists|leq|geq)"
    r"|t(?:heta|au|imes|ext[a-z]*|ilde|op|o|an|anh|riangle[a-z]*|frac|iny|ag|herefore)"
    r"|r(?:ho|ight[a-z]*|angle|ceil|floor|m|vert))(?![A-Za-z.])"
)
_ESCAPED = {
    "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f",
    "\\": "\\", "'": "'", '"': '"', "/": "/", "\n": "", "0": "\0",
}  # fmt: skip
_ALWAYS = {key: _ESCAPED[key] for key in "\\'\"/\n"}
_BLANKS = {key: _ESCAPED[key] for key in "ntr"}
_WORDS = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None}
_CLOSING = {"[": "]", "(": ")", "{": "}"}


class NotALiteral(ValueError):
    """The text is no literal within the limits; the message says where and why."""


def read(text: str, *, spoken: bool = False) -> Any:
    """The value that `text` spells.

    Raises:
        NotALiteral: it spells none, or is longer or deeper than the limits.
    """
    if len(text) > MAX_CHARS:
        raise NotALiteral(f"longer than {MAX_CHARS} characters")
    whole = unfence(text)
    value, end = read_at(whole, 0, spoken=spoken)
    if end < len(whole):
        raise NotALiteral(f"more text after the value, at character {end}")
    return value


def read_at(text: str, start: int, *, spoken: bool = False) -> tuple[Any, int]:
    """The value that begins at `start`, and the offset after it and the blanks that follow.

    Raises:
        NotALiteral: no value begins there.
    """
    reader = _LiteralReader(text, start, spoken)
    value = reader.value(0)
    reader.skip()
    return value, reader.at


def find_excess(value: Any, refuse: Callable[[Any], str]) -> str:
    """Why an answer is too long or too deep to be read, or what `refuse` says of a part; "" if nothing."""
    level, size = [value], 0
    for _ in range(MAX_DEPTH + 1):
        if reason := next(filter(None, map(refuse, level)), ""):
            return reason
        size += sum(len(part) if isinstance(part, str) else 1 for part in level)
        if size > MAX_CHARS:
            return f"The answer is longer than {MAX_CHARS} characters."
        level = [inner for part in level for inner in _parts(part)]
        if not level:
            return ""
    return f"The answer is nested deeper than {MAX_DEPTH} levels."


def _parts(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    return list(value) if isinstance(value, list | tuple | set | frozenset) else []


def unescape(body: str) -> str:
    """The inside of a quoted string as a model means it."""
    return _unescape(body, spoken=True)


def speak(text: str) -> str:
    """Text with JSON's or Python's escapes, written so that `spoken=True` reads what they mean."""

    def plain(match: re.Match[str]) -> str:
        code = match[1]
        if code in "bf" or (code in _BLANKS and _LATEX.match(text, match.start(1))):
            return f"\\u{ord(_ESCAPED[code]):04x}"
        return match[0]

    return _ESCAPED_CHARACTER.sub(plain, text)


def unfence(text: str) -> str:
    """The text without outer blanks and without one Markdown code fence around it."""
    text = text.strip()
    fenced = _FENCE.match(text)
    return fenced["body"].strip() if fenced else text


class _LiteralReader:
    """A recursive descent whose depth is bounded by MAX_DEPTH."""

    def __init__(self, text: str, at: int, spoken: bool) -> None:
        self.text = text
        self.at = at
        self.spoken = spoken

    def skip(self) -> None:
        self.at = _SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]  # matches anywhere

    def value(self, depth: int) -> Any:
        self.skip()
        if self.text[self.at : self.at + 1] in _CLOSING:
            return self.group(depth)
        if found := _STRING.match(self.text, self.at):
            return self.string(found)
        if found := _WORD.match(self.text, self.at):
            self.at = found.end()
            return _WORDS[found[0]]
        if found := _NUMBER.match(self.text, self.at):
            self.at = found.end()
            return _number(found[0])
        raise NotALiteral(f"no value at character {self.at}")

    def string(self, found: re.Match[str]) -> str:
        parts: list[str] = []
        following: re.Match[str] | None = found
        while following:
            self.at = following.end()
            body = next(following[name] for name in "abcd" if following[name] is not None)
            parts.append(body if following["raw"] else _unescape(body, self.spoken))
            if not self.spoken:
                break
            self.skip()
            following = _STRING.match(self.text, self.at)
        return "".join(parts)

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


def _unescape(body: str, spoken: bool) -> str:
    def replace(match: re.Match[str]) -> str:
        code = match[1]
        if len(code) > 1:
            number = int(code[1:], 16)
            return chr(number) if number < 0x110000 else match[0]
        if not spoken:
            return _ESCAPED.get(code, match[0])
        if code in _BLANKS and not _LATEX.match(body, match.start(1)):
            return _BLANKS[code]
        return _ALWAYS.get(code, match[0])

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
