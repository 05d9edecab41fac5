r"""Markdown as a Word document (.docx, ECMA-376): headings, paragraphs, lists, quotes, tables, code.

    Path("talk.docx").write_bytes(document("## Why?\n\nBecause **so**."))

The text is foreign: signs that XML cannot hold are left out, and nothing is linked or fetched. The same text
gives the same bytes.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Sequence

from markdown_it.token import Token
from markupsafe import escape

from quire.app.markdown import tokens

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PARTS = {
    "[Content_Types].xml": _HEAD
    + '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>'
    '<Override PartName="/word/styles.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/></Types>',
    "_rels/.rels": _HEAD
    + '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>',
    "word/_rels/document.xml.rels": _HEAD
    + '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/>'
    "</Relationships>",
}


def document(markdown: str) -> bytes:
    """The bytes of the file."""
    body = "".join(_blocks(tokens(markdown)))
    parts = _PARTS | {
        "word/styles.xml": _HEAD + f"<w:styles {_W}>{''.join(_styles())}</w:styles>",
        "word/document.xml": _HEAD + f"<w:document {_W}><w:body>{body}</w:body></w:document>",
    }
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in parts.items():
            file.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), text.encode())
    return held.getvalue()


def _styles() -> Iterator[str]:
    for level in range(1, 7):
        size = 36 - 4 * level
        yield (
            f'<w:style w:type="paragraph" w:styleId="Heading{level}"><w:name w:val="heading {level}"/>'
            "<w:pPr>"
            f'<w:keepNext/><w:spacing w:before="240"/><w:outlineLvl w:val="{level - 1}"/></w:pPr>'
            f'<w:rPr><w:b/><w:sz w:val="{size}"/></w:rPr></w:style>'
        )
    yield (
        '<w:style w:type="paragraph" w:styleId="Quote"><w:name w:val="Quote"/>'
        '<w:pPr><w:ind w:left="567"/></w:pPr>'
        "<w:rPr><w:i/></w:rPr></w:style>"
    )


def _blocks(stream: Sequence[Token]) -> Iterator[str]:
    """Paragraphs and tables. Lists are paragraphs that begin with their sign."""
    heading, quoted, signs, first = 0, 0, list[int](), False
    for token in stream:
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
        elif kind in (
            "table_open",
            "table_close",
            "tr_open",
            "tr_close",
            "th_open",
            "td_open",
            "th_close",
            "td_close",
        ):
            yield _TABLE[kind]
        elif kind in ("fence", "code_block", "math_block"):
            yield from (_paragraph(_run(line, code=True)) for line in token.content.rstrip("\n").split("\n"))
        elif kind == "inline":
            sign = (f"{signs[-1]}. " if signs[-1] else "• ") if signs and first else ""
            first = False
            style = f"Heading{heading}" if heading else "Quote" if quoted else ""
            yield _paragraph(
                (_run(sign) if sign else "") + "".join(_runs(token.children or [])), style, len(signs)
            )


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
            yield _run(
                token.content,
                bold=bold > 0,
                slanted=slanted > 0,
                code=token.type in ("code_inline", "math_inline"),
            )


def _run(text: str, *, bold: bool = False, slanted: bool = False, code: bool = False) -> str:
    how = "<w:b/>" * bold + "<w:i/>" * slanted + '<w:rFonts w:ascii="Consolas" w:hAnsi="Consolas"/>' * code
    said = escape(_NO_XML.sub("", text))
    return f'<w:r>{f"<w:rPr>{how}</w:rPr>" if how else ""}<w:t xml:space="preserve">{said}</w:t></w:r>'
