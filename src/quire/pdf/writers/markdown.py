"""A document as Markdown (CommonMark with tables and `$$`), as users of docling and marker expect it.

What the PDF says is text: signs that Markdown would read as its own are escaped, so that no paper makes
links, pictures or HTML. Displayed equations stand between `$$`, those within a line between `$`; what is not
surely one, as signs.
"""

from __future__ import annotations

import re
from html import escape
from itertools import groupby
from urllib.parse import quote

from quire.pdf.writers import grids
from quire.pdf.writers.order import OrderedItem, heading_of_references, ordered
from quire.types import Document, Equation, Image, InlineSpan, Paragraph, Table

_DEEPEST = 6
_INLINE = re.compile(
    r"[\\`<]|\*|(?<![^\W_])_|_(?![^\W_])|(?<=\])[(\[:]|[\[\]](?=\()|!(?=\[)|~(?=~)|\$|&(?=#?\w{1,31};)"
)
_START = re.compile(r"^(?:(?=#|>|[-+]\s|[-+]$|={2,}\s*$|-{2,}\s*$|~{3}|\|)|(\d{1,9})(?=[.)](?:\s|$)))")
_BULLET = re.compile(r"^[•◦▪‣●○■□–*-]\s*")
_NUMBER = re.compile(r"^(\d{1,3})[.)]\s+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def markdown(document: Document) -> str:
    """The document as Markdown."""
    items = ordered(document)
    body = [item for item in items if item.kind not in ("reference", "footnote", "title")]
    said = document.metadata
    blocks = [f"# {written(said.title)}"] if said.title else []
    blocks += [written(", ".join(said.authors))] if said.authors else []
    for listed, group in groupby(body, key=lambda item: item.kind == "item"):
        texts = [_block(item) for item in group]
        blocks += ["\n".join(texts)] if listed else texts
    entries, notes = (
        "\n".join(f"- {written(item.text)}" for item in items if item.kind == kind)
        for kind in ("reference", "footnote")
    )
    if entries:
        heading = heading_of_references(body)
        above = _block(heading) if heading else "## References"
        if above not in blocks:
            blocks.append(above)
        blocks.insert(len(blocks) - blocks[::-1].index(above), entries)
    if notes:
        blocks += ["## Footnotes", notes]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _block(item: OrderedItem) -> str:
    """An item as a block of Markdown."""
    source = item.source
    if item.kind == "heading":
        return f"{'#' * min(_DEEPEST, item.level + 1)} {written(item.text)}"
    if item.kind == "item":
        return item.rendered(_listed, _shown)
    if item.kind == "code" and isinstance(source, Paragraph):
        return _fenced("\n".join(code_lines(source)))
    if isinstance(source, Table):
        plain = grids.is_plain(source)  # HTML within Markdown ends at an empty line
        grid = grids.pipes(source, written) if plain else grids.in_table(source, lambda t: escape(_plain(t)))
        return "\n\n".join(filter(None, (started(item.text), grid)))
    if isinstance(source, Image):
        place = quote(source.picture, safe="/.~-_", errors="replace")
        label = written(re.sub(r"[\[\]]", "", source.label) or "Figure")
        picture = f"![{label}]({place})" if source.picture else ""
        return "\n\n".join(filter(None, (picture, started(item.text))))
    if isinstance(source, Equation):
        return _displayed(source)
    return item.rendered(lambda text: "\n".join(map(started, text.split("\n"))), _shown)


def _shown(span: InlineSpan) -> str:
    """A formula between dollars; what is raised or lowered in tags, which need no formulas."""
    if span.kind == "math":
        return f"${_formula(span.shown)}$"
    return f"<{span.kind}>{written(span.shown)}</{span.kind}>"


def _listed(text: str) -> str:
    if number := _NUMBER.match(text):
        return f"{number[1]}. {written(text[number.end() :])}"
    bullet = _BULLET.match(text)
    return f"- {started(text[bullet.end() :] if bullet else text)}"


def _displayed(equation: Equation) -> str:
    """An equation between `$$`, its number as a tag."""
    if not equation.latex:
        return " ".join(filter(None, (started(equation.text), written(equation.number))))
    number = re.sub(r"[^\w.'*-]", "", equation.number)
    tag = rf" \tag{{{number}}}" if number else ""
    return f"$$\n{_formula(equation.latex)}{tag}\n$$"


def _formula(latex: str) -> str:
    """LaTeX that ends no formula and in which a reader without formulas finds neither HTML nor links."""
    formula = re.sub(r"(?<!\\)\$", "", _plain(latex))  # \$ is a sign of it
    formula = formula.replace("<", "\\lt ").replace(">", "\\gt ")
    return re.sub(r"\](?=[(\[:])", "] ", formula)


def code_lines(paragraph: Paragraph) -> list[str]:
    """Code line by line, indented as it is printed."""
    lines = paragraph.lines
    if not lines:
        return paragraph.text.split("\n")
    ends = [*(line.start for line in lines[1:]), len(paragraph.text)]
    texts = [paragraph.text[line.start : end].strip() for line, end in zip(lines, ends, strict=True)]
    widths = sorted(line.bbox.width / max(1, len(text)) for line, text in zip(lines, texts, strict=True))
    step, left = widths[len(widths) // 2] or 1.0, min(line.bbox.x0 for line in lines)
    indents = [min(40, round((line.bbox.x0 - left) / step)) for line in lines]
    return [" " * indent + text for indent, text in zip(indents, texts, strict=True)]


def _fenced(code: str) -> str:
    clean = "\n".join(_CONTROL.sub(" ", line) for line in code.split("\n"))
    longest = max((len(run) for run in re.findall(r"`+", clean)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{clean}\n{fence}"


def written(text: str) -> str:
    """Text on one line, with the signs escaped that Markdown would read."""
    return _INLINE.sub(lambda found: "&amp;" if found[0] == "&" else f"\\{found[0]}", _plain(text))


def _plain(text: str) -> str:
    """Text on one line, without signs that control something."""
    return " ".join(_CONTROL.sub(" ", text).split())


def started(text: str) -> str:
    """Text that begins a line, where some signs mean more."""
    own = written(text)
    found = _START.match(own)
    if found is None:
        return own
    return f"{found[1]}\\{own[found.end() :]}" if found[1] else f"\\{own}"
