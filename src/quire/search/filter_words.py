"""The words of the filter language: its tokens, its fields, and what was probably meant by other names.

Linear in the length of the text; every token knows its column (from 1).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from quire.errors import FilterError

Kind = Literal["number", "text", "array"]

FIELDS: dict[str, Kind] = {
    "id": "number",
    "pdf_id": "text",
    "page_number": "number",
    "table_name": "text",
    "column_name": "text",
    "primary_key": "text",
    "bbox": "array",
}

_MEANT = {
    "pdf_id": "paper_id ref_paper_id pdf paper paper_uuid pdf_uuid document_id doc_id document file_id",
    "page_number": "page page_id ref_page_id page_no page_num page_numbers pages pagenumber page_index",
    "table_name": "table tablename source_table",
    "column_name": "column columnname col col_name",
    "primary_key": "key pk row_id chunk_id section_id image_id table_id equation_id reference_id uuid",
    "bbox": "bounding_box box boundingbox boundary",
}
_ALIASES = {alias: field for field, aliases in _MEANT.items() for alias in aliases.split()}
_NOTES = {
    "page_id": "It is the page's number, an integer, not its UUID.",
    "ref_page_id": "It is the page's number, an integer, not its UUID.",
    "vector": "A vector cannot be filtered: put the words into the query.",
    "text": "Texts cannot be filtered: put the words into the query.",
    "text_content": "Texts cannot be filtered: put the words into the query.",
    "title": "Titles are in the table `metadata`: find the `pdf_id` by SQL first.",
}

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


class FilterWord(NamedTuple):
    """`kind` is number, text, name, end, or the sign or word itself ("and", "==", "[")."""

    kind: str
    text: str
    column: int


def tokens(source: str) -> list[FilterWord]:
    """All tokens, an `end` token last.

    Raises:
        FilterError: a sign that no filter has, an open quote, or a text of more than 10 000 bytes.
    """
    size = len(source.encode("utf-8", "replace"))
    if size > MAX_BYTES:
        raise FilterError(f"The filter has {size} bytes.", hint=f"At most {MAX_BYTES} are read.")
    return [*_scan(source), FilterWord("end", "", len(source) + 1)]


def _scan(source: str) -> Iterator[FilterWord]:
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
            yield FilterWord(_SAME.get(text, text), text, at + 1)
        elif kind == "name" and text.lower() in _WORDS:
            yield FilterWord(text.lower(), text, at + 1)
        elif kind != "blank":
            yield FilterWord(kind, text, at + 1)
        at = match.end()


def unquote(token: FilterWord) -> str:
    """The value of a quoted text."""

    def value(match: re.Match[str]) -> str:
        code = match[1]
        if len(code) > 1:
            return chr(int(code[1:], 16))
        # LIKE patterns are escaped twice in Milvus too; an unknown escape stays as it is.
        return _ESCAPES.get(code, code if code in "\\'\"" else match[0])

    return _ESCAPED.sub(value, token.text[1:-1])


def number_of(token: FilterWord) -> int | float:
    """The value of a number, which fits 64 bits."""
    value: int | float = float(token.text)
    if token.text.isdigit() and len(token.text) < 20:
        value = int(token.text)
    if value == float("inf") or (token.text.isdigit() and value >= 2**63):
        raise FilterError(f"The number at column {token.column} is too large.")
    return value


def advice(name: str) -> str:
    """What to write instead of an unknown field."""
    lower = name.lower()
    meant = lower if lower in FIELDS else _ALIASES.get(lower)
    if meant is None and lower not in _NOTES:
        near = difflib.get_close_matches(lower, [*FIELDS, *_ALIASES], n=1, cutoff=0.75)
        meant = _ALIASES.get(near[0], near[0]) if near else None
    parts = [f"Did you mean `{meant}`?" if meant else "", _NOTES.get(lower, "")]
    if not any(parts):
        parts = [f"A text stands in quotes: '{name}'."]
    return " ".join([*filter(None, parts), f"Fields are: {', '.join(FIELDS)}."])
