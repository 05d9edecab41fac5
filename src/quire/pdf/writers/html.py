r"""A document as one page of HTML without scripts: whatever the PDF says is escaped, wherever it stands.

Each element tells its page and box (`data-page`, `data-box`); LaTeX stands between `\[` and `\]`, within text
between `\(` and `\)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import groupby
from urllib.parse import quote

from quire.pdf.writers import grids
from quire.pdf.writers.markdown import code_lines
from quire.pdf.writers.order import OrderedItem, ordered
from quire.types import Document, Equation, Image, InlineSpan, Paragraph, Table

_STYLE = (
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;font-size:.9rem}td,th{border:1px solid #8886;padding:.2rem .5rem}"
    "figure{margin:1rem 0;overflow-x:auto}figcaption,footer{font-size:.9rem;color:#666}img{max-width:100%}"
    "pre{background:#8881;padding:.5rem;overflow-x:auto}"
)


def html(document: Document) -> str:
    """The document as a page."""
    said = document.metadata
    language = said.language if said.language.isalpha() else "en"
    items = ordered(document)
    body = "\n".join(_blocks([item for item in items if item.kind != "footnote"]))
    notes = "\n".join(
        f"<p{_place(item)}>{escape(item.text)}</p>" for item in items if item.kind == "footnote"
    )
    authors = f"<p>{escape(', '.join(said.authors))}</p>" if said.authors else ""
    head, separator, rest = body.partition("</h1>")
    footer = f"<footer>{notes}</footer>" if notes else ""
    main = f"{head}{separator}\n{authors}{rest}" if separator else f"{authors}\n{body}"
    return (
        f'<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8">\n'
        f"<title>{escape(said.title or 'Untitled')}</title>\n<style>{_STYLE}</style></head>\n"
        f"<body><article>\n{main}\n</article>\n{footer}\n</body></html>\n"
    )


def _blocks(items: list[OrderedItem]) -> Iterator[str]:
    for kind, group in groupby(items, key=lambda item: item.kind):
        if kind in ("item", "reference"):
            tag = "ul" if kind == "item" else "ol"
            lines = "\n".join(f"<li{_place(item)}>{item.rendered(escape, _shown)}</li>" for item in group)
            yield f"<{tag}>\n{lines}\n</{tag}>"
        else:
            yield from (_block(item) for item in group)


def _block(item: OrderedItem) -> str:
    source, place = item.source, _place(item)
    if item.kind == "title":
        return f"<h1>{escape(item.text)}</h1>"
    if item.kind == "heading":
        level = min(6, item.level + 1)
        return f"<h{level}{place}>{escape(item.text)}</h{level}>"
    if item.kind == "code" and isinstance(source, Paragraph):
        return f"<pre{place}><code>{escape(chr(10).join(code_lines(source)))}</code></pre>"
    caption = f"<figcaption>{escape(item.text)}</figcaption>"
    if isinstance(source, Table):
        return f"<figure{place}>{caption}{grids.in_table(source)}</figure>"
    if isinstance(source, Image):
        address = escape(quote(source.picture, safe="/.~-_", errors="replace"))
        picture = f'<img src="{address}" alt="{escape(source.label)}">' if source.picture else ""
        return f"<figure{place}>{picture}{caption}</figure>"
    if isinstance(source, Equation):
        shown = f"\\[{source.latex}\\]" if source.latex else source.text
        return f"<p{place}>{escape(shown)} {escape(source.number)}</p>"
    return f"<p{place}>{item.rendered(escape, _shown)}</p>"


def _shown(span: InlineSpan) -> str:
    if span.kind == "math":
        return escape(f"\\({span.shown}\\)")
    return f"<{span.kind}>{escape(span.shown)}</{span.kind}>"


def _place(item: OrderedItem) -> str:
    box = " ".join(f"{value:.1f}" for value in item.bbox) if item.bbox else ""
    return f' data-page="{item.page}"' + (f' data-box="{box}"' if box else "")
