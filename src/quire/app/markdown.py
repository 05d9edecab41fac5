r"""What a model writes, as HTML that is safe to show (tables, code, formulas, evidence), and as a Word file.

    to_html("It rose by **3 points** [1].", {1: MarkLink(1, "/read/5fe5.../2?box=72,90,300,12")})
    Path("talk.docx").write_bytes(to_word("## Why?\n\nBecause **so**."))

The text is foreign. Nothing of it becomes markup that Markdown itself did not make: HTML is shown as text,
pictures as their words (they could be fetched), and links lead to http(s) alone. Formulas between dollars or
in `\(...\)` and `\[...\]` stay TeX in an element of class `math`, which the page sets. A mark such as
[1] or [2, 3] is a link where there is such a piece of evidence, else text. A Word document (.docx, ECMA-376)
has headings, paragraphs, lists, quotes, tables and code; signs that XML cannot hold are left out, and the
same text gives the same bytes.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import takewhile
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markupsafe import Markup, escape

LONGEST = 60_000  # characters that are read as Markdown; a longer text is shown as it is
_LONGEST_FORMULA = 4000
MARKS = re.compile(r"\[(\d{1,3}(?:\s{0,2}[,;–-]\s{0,2}\d{1,3}){0,20})\]")
_PAIRS = (("$$", "$$", True), ("\\[", "\\]", True), ("\\(", "\\)", False), ("$", "$", False))


class MarkLink(NamedTuple):
    """A piece of evidence that a mark leads to: its number from 1, and its address."""

    number: int
    address: str


def to_html(
    text: str, places: Mapping[int, MarkLink] = MappingProxyType({}), *, whole: bool = False, lowered: int = 2
) -> Markup:
    """The text as HTML; `places` are what its marks stand for.

    Of a `whole` text those that it does not name are named at its end. Headings are `lowered`.
    """
    if len(text) > LONGEST:
        return Markup("<pre>{}</pre>").format(text)
    return Markup(_reader().render(text, {"places": places, "whole": whole, "lowered": lowered}))


def numbers(told: str) -> list[int]:
    """The numbers in a mark (`MARKS`); a range names all that lie in it."""
    found: list[int] = []
    for part in re.split(r"[,;]", told):
        first, *rest = (int(number) for number in re.split(r"[–-]", part.strip()))
        found += range(first, min(rest[-1], first + 20) + 1) if rest and rest[-1] > first else [first, *rest]
    return [number for number in found if number > 0]


@cache
def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    reader.disable("reference")  # `[1]: address` would turn a mark into a link
    reader.inline.ruler.before("escape", "math", _inline_math)
    reader.block.ruler.before(
        "fence", "math", _block_math, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )
    reader.core.ruler.push("marks", _mark)
    reader.validateLink = _leads  # type: ignore[method-assign, assignment]
    rules: dict[str, Callable[..., str]] = {
        "image": _image,
        "link_open": _link,
        "mark": _cite,
        "math_inline": _formula,
        "math_block": _formula,
        "table_open": lambda *_: '<div class="scroll"><table class="told">\n',
        "table_close": lambda *_: "</table></div>\n",
    }
    for name, rule in rules.items():
        reader.add_render_rule(name, rule)
    reader.core.ruler.push("headings", _fitted)
    return reader


def _fitted(state: StateCore) -> None:
    """Headings of an answer stand below the page's own; no style is inline."""
    for token in state.tokens:
        if token.type.startswith("heading_"):
            token.tag = f"h{min(6, int(token.tag[1]) + state.env['lowered'])}"
        if "right" in str(token.attrs.pop("style", "")):  # how a cell is aligned
            token.attrs["class"] = "number"


def _leads(address: str) -> bool:
    return address.startswith(("https://", "http://"))


def _link(self: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    address = escape(str(tokens[at].attrs.get("href", "")))
    return f'<a href="{address}" target="_blank" rel="noopener noreferrer nofollow">'


def _image(self: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    return str(escape(tokens[at].content))


def _cite(self: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    number, address = tokens[at].meta["place"]
    address = escape(address)
    place = f'href="{address}" data-evidence="{number - 1}"'
    return f'<a class="cite" {place} aria-label="Evidence {number}">{number}</a>'


def _formula(self: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    shown = tokens[at].meta["shown"]
    tag = "div" if tokens[at].type == "math_block" else "span"
    return f'<{tag} class="math{" shown" * shown}">{escape(tokens[at].content)}</{tag}>'


def _mark(state: StateCore) -> None:
    """Put links where marks of evidence stand in running text."""
    places = state.env["places"]
    blocks = [block for block in state.tokens if block.type == "inline" and block.children]
    for block in blocks:
        block.children = [made for token in block.children or () for made in _marked(token, places)]
    said = {each.meta["place"] for block in blocks for each in block.children or () if each.type == "mark"}
    if state.env["whole"] and blocks and blocks[-1].children:
        blocks[-1].children += [_cited(place) for place in places.values() if place not in said]


def _cited(place: MarkLink) -> Token:
    return Token("mark", "", 0, meta={"place": place})


def _marked(token: Token, places: Mapping[int, MarkLink]) -> list[Token]:
    if token.type != "text":
        return [token]
    made, at = [], 0
    for found in MARKS.finditer(token.content):
        named = numbers(found[1])
        if not named or any(number not in places for number in named):
            continue
        made.append(_text(token.content[at : found.start()].rstrip(" ")))
        made += [_cited(places[number]) for number in named]
        at = found.end()
    return [*made, _text(token.content[at:])] if made else [token]


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _inline_math(state: StateInline, silent: bool) -> bool:
    for opening, closing, shown in _PAIRS:
        if state.src.startswith(opening, state.pos):
            return _formula_ends(state, opening, closing, shown, silent)
    return False


def _formula_ends(state: StateInline, opening: str, closing: str, shown: bool, silent: bool) -> bool:
    start = state.pos + len(opening)
    end = state.src.find(closing, start, start + _LONGEST_FORMULA)
    content = state.src[start:end] if end > 0 else ""
    if not content.strip() or end + len(closing) > state.posMax:
        return False
    # A dollar may be money: pandoc's rule, no blank inside and no digit behind.
    after = state.src[end + 1 : end + 2]
    if opening == "$" and (
        content[0].isspace() or content[-1].isspace() or after.isdigit() or "\n\n" in content
    ):
        return False
    if not silent:
        token = state.push("math_inline", "", 0)
        token.content, token.meta = content.strip(), {"shown": shown}
    state.pos = end + len(closing)
    return True


def _block_math(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A formula in lines of its own, from one that begins with a sign to one that ends with its pair."""
    line = state.getLines(start, start + 1, state.blkIndent, False).strip()
    closing = {"$$": "$$", "\\[": "\\]"}.get(line[:2])
    if closing is None or state.is_code_block(start):
        return False
    content, at = line[2:], start + 1
    while not content.rstrip().endswith(closing) and at < end and len(content) < _LONGEST_FORMULA:
        content += "\n" + state.getLines(at, at + 1, state.blkIndent, False)
        at += 1
    told = content.rstrip()
    if not told.endswith(closing) or not told[:-2].strip() or closing in told[:-2]:
        return False
    if not silent:
        token = state.push("math_block", "", 0)
        token.content, token.meta, token.map = told[:-2].strip(), {"shown": True}, [start, at]
    state.line = at
    return True


# ------------------------------------------------------------------ for Word

_SKELETON = Path(__file__).parent / "word"  # the parts of a document, whose body is empty
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_word(text: str) -> bytes:
    """The text as the bytes of a Word document."""
    body = "".join(_blocks(_reader().parse(text, {"places": {}, "whole": False, "lowered": 0})))
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as file:
        for part in sorted(_SKELETON.rglob("*.*")):
            name = part.relative_to(_SKELETON).as_posix()
            told = part.read_text(encoding="utf-8").replace("<w:body/>", f"<w:body>{body}</w:body>")
            file.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), told.encode())
    return held.getvalue()


def _blocks(stream: Sequence[Token]) -> Iterator[str]:
    """Paragraphs and tables. Lists are paragraphs that begin with their sign."""
    heading, quoted, signs, first = 0, 0, list[int](), False
    for at, token in enumerate(stream):
        kind = token.type
        if kind == "heading_open":
            heading = int(token.tag[1])
        elif kind == "heading_close":
            heading = 0
        elif kind in ("blockquote_open", "blockquote_close"):
            quoted += token.nesting
        elif kind in ("bullet_list_open", "ordered_list_open"):
            signs.append(0 if kind == "bullet_list_open" else int(token.attrs.get("start", 1)))
        elif kind in ("bullet_list_close", "ordered_list_close"):
            signs.pop()
        elif kind == "list_item_open":
            first = True
        elif kind == "list_item_close":
            signs[-1] += bool(signs[-1])
        elif kind in _TABLE:
            yield _TABLE[kind] + (_grid(stream[at:]) if kind == "table_open" else "")
        elif kind in ("fence", "code_block", "math_block"):
            yield from (
                _paragraph(_word_run(line, code=True)) for line in token.content.rstrip("\n").split("\n")
            )
        elif kind == "inline":
            sign = (f"{signs[-1]}. " if signs[-1] else "• ") if signs and first else ""
            first = False
            style = f"Heading{heading}" if heading else "Quote" if quoted else ""
            yield _paragraph(
                (_word_run(sign) if sign else "") + "".join(_runs(token.children or [])), style, len(signs)
            )


def _grid(table: Sequence[Token]) -> str:
    """The columns of a table, which the schema (CT_Tbl) wants to be told before its rows."""
    head = takewhile(lambda each: each.type != "tr_close", table)
    return f"<w:tblGrid>{'<w:gridCol/>' * sum(each.type == 'th_open' for each in head)}</w:tblGrid>"


_TABLE = {
    "table_open": "<w:tbl><w:tblPr><w:tblBorders>"
    + "".join(
        f'<w:{side} w:val="single" w:sz="4"/>'
        for side in ("top", "left", "bottom", "right", "insideH", "insideV")
    )
    + "</w:tblBorders></w:tblPr>",
    "table_close": "</w:tbl><w:p/>",
    "tr_open": "<w:tr>",
    "tr_close": "</w:tr>",
    "th_open": "<w:tc>",
    "td_open": "<w:tc>",
    "th_close": "</w:tc>",
    "td_close": "</w:tc>",
}


def _paragraph(runs: str, style: str = "", depth: int = 0) -> str:
    said = f'<w:pStyle w:val="{style}"/>' if style else ""
    said += f'<w:ind w:left="{360 * depth}"/>' if depth else ""
    return f"<w:p>{f'<w:pPr>{said}</w:pPr>' if said else ''}{runs}</w:p>"


def _runs(stream: Sequence[Token]) -> Iterator[str]:
    bold, slanted = 0, 0
    for token in stream:
        if token.type in ("strong_open", "strong_close"):
            bold += token.nesting
        elif token.type in ("em_open", "em_close"):
            slanted += token.nesting
        elif token.type in ("softbreak", "hardbreak"):
            yield "<w:r><w:br/></w:r>"
        elif token.content:
            yield _word_run(
                token.content,
                bold=bold > 0,
                slanted=slanted > 0,
                code=token.type in ("code_inline", "math_inline"),
            )


def _word_run(text: str, *, bold: bool = False, slanted: bool = False, code: bool = False) -> str:
    # In the order of the schema (CT_RPr), which strict readers insist on.
    how = '<w:rFonts w:ascii="Consolas" w:hAnsi="Consolas"/>' * code + "<w:b/>" * bold + "<w:i/>" * slanted
    said = escape(_NO_XML.sub("", text))
    return f'<w:r>{f"<w:rPr>{how}</w:rPr>" if how else ""}<w:t xml:space="preserve">{said}</w:t></w:r>'
