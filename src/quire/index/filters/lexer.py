"""Filter text to tokens. Linear in the length of the text; every token knows its column (from 1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from quire.errors import FilterError

MAX_BYTES = 10_000

_TOKEN = re.compile(
    r"""(?P<blank>\s+)
      | (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
      | (?P<text>"(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*')
      | (?P<name>[^\W\d]\w*)
      | (?P<sign>\*\*|==|!=|<=|>=|<>|&&|\|\||[-+*/%<>=!\[\](),~&|^;:.{}?@$\#])
    """,
    re.VERBOSE | re.DOTALL,
)
_WORDS = {"and", "or", "not", "in", "like", "is", "null", "true", "false"}
_SAME = {"&&": "and", "||": "or", "!": "not"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0"}
_ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)


class Token(NamedTuple):
    """`kind` is number, text, name, end, or the sign or word itself ("and", "==", "[")."""

    kind: str
    text: str
    column: int


def tokens(source: str) -> list[Token]:
    """All tokens, an `end` token last.

    Raises:
        FilterError: a sign that no filter has, an open quote, or a text of more than 10 000 bytes.
    """
    size = len(source.encode("utf-8", "replace"))
    if size > MAX_BYTES:
        raise FilterError(f"The filter has {size} bytes.", hint=f"At most {MAX_BYTES} are read.")
    return [*_scan(source), Token("end", "", len(source) + 1)]


def _scan(source: str) -> Iterator[Token]:
    at = 0
    while at < len(source):
        match = _TOKEN.match(source, at)
        if match is None:
            if source[at] in "'\"":
                raise FilterError(
                    f"The quote at column {at + 1} is never closed.", hint="Close it, or escape it."
                )
            raise FilterError(f"Unexpected `{source[at]}` at column {at + 1} of the filter.")
        kind, text = match.lastgroup or "", match[0]
        if kind == "sign":
            yield Token(_SAME.get(text, text), text, at + 1)
        elif kind == "name" and text.lower() in _WORDS:
            yield Token(text.lower(), text, at + 1)
        elif kind != "blank":
            yield Token(kind, text, at + 1)
        at = match.end()


def unquote(token: Token) -> str:
    """The value of a quoted text."""

    def value(match: re.Match[str]) -> str:
        code = match[1]
        if len(code) > 1:
            return chr(int(code[1:], 16))
        # LIKE patterns are escaped twice in Milvus too; an unknown escape stays as it is.
        return _ESCAPES.get(code, code if code in "\\'\"" else match[0])

    return _ESCAPED.sub(value, token.text[1:-1])


def quote(value: str) -> str:
    """A text as a quoted literal that `unquote` reads back."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    for code, sign in _ESCAPES.items():
        escaped = escaped.replace(sign, f"\\{code}")
    return f'"{escaped}"'
