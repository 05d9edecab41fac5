r"""Formulas within running text as LaTeX, against the TeX source; raised and lowered signs against JATS XML.

    python -m benchmarks inline_latex --data DIR [DIR ...] [--half 0|1] [--verbose]

DIR holds PDFs, each beside its source (`NAME.tex`, `NAME.Rnw`, or a folder `NAME_tex` of such files) or its
publisher's `NAME.xml`. A formula that quire writes between dollars is right if the source has it, macros
without arguments put in and blanks and styles left out; a formula of one sign counts, too. A sign that is
raised or lowered is right if the XML raises or lowers the same behind the same five letters. `--half` takes
one half of the publishers or packages, by a hash of their names: half 0 was looked at.
"""

from __future__ import annotations

import argparse
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from training.papers import half_of, publisher

from quire.errors import QuireError
from quire.pdf import parse
from quire.types import Document, InlineSpan

BEFORE = 5  # letters and digits before a sign
_MATH = re.compile(r"(?<!\\)\$(?!\$)((?:[^$\\]|\\.)+?)\$|\\\((.+?)\\\)", re.DOTALL)
_MACRO = re.compile(r"\\(?:re)?newcommand\*?\s*{?(\\[A-Za-z]+)}?\s*{((?:[^{}]|{(?:[^{}]|{[^{}]*})*})*)}")
_NO_TEX = re.compile(  # code, in which a dollar is no sign of a formula
    r"^<<[^\n]*>>=[ \t]*$.*?^@|\\begin{(verbatim|Verbatim|alltt|lstlisting|Code|Sinput)\*?}.*?\\end{\1}"
    r"|\\(?:code|texttt|Sexpr|verb\*?)(?:{[^{}]*}|([|!+]).*?\2)",
    re.DOTALL | re.MULTILINE,
)
_STYLE = re.compile(
    r"\\(?:mathrm|text(?:rm|it|sf|normal)?|mathit|mathnormal|operatorname|mbox|ensuremath|left|right|bigl?|bigr?"
    r"|displaystyle|limits|,|;|!|:|quad|qquad|rm|it)(?![A-Za-z])"
)
_ALIKE = {r"\leq": r"\le", r"\geq": r"\ge", r"\neq": r"\ne", r"\rightarrow": r"\to", r"\lt": "<", r"\gt": ">",
          r"\dots": r"\ldots", r"\varepsilon": r"\epsilon", r"\lbrace": r"\{", r"\cdots": r"\ldots",
          r"\boldsymbol": r"\bf", r"\mathbf": r"\bf", r"\bm": r"\bf"}  # fmt: skip


def normal(latex: str) -> str:
    """What two ways of writing one formula have in common."""
    text = _STYLE.sub("", re.sub(r"(?<!\\)%.*", "", latex)).replace("~", "")
    text = re.sub(r"\\[A-Za-z]+", lambda m: _ALIKE.get(m[0], m[0]), text)
    text = re.sub(r"\\(?:label|index)\{[^{}]*\}|\s|(?<!\\)[{}]|[.,;]$", "", text)
    return text.replace("...", r"\ldots").replace("^\\prime", "'")


def source_formulas(tex: str) -> Counter[str]:
    """The inline formulas of a source."""
    macros = dict(_MACRO.findall(tex))
    found: Counter[str] = Counter()
    tex = _NO_TEX.sub("", re.sub(r"(?<!\\)%.*", "", tex))
    # A dollar too many turns what follows inside out, so no formula goes over the end of a paragraph.
    for one, other in (pair for part in re.split(r"\n\s*\n", tex) for pair in _MATH.findall(part)):
        formula = one or other
        for _ in range(3):
            formula = re.sub(
                r"\\[A-Za-z]+", lambda m: macros.get(m[0], m[0]) + " " * (m[0] in macros), formula
            )
        if value := normal(formula):
            found[value] += 1
    return found


def spans_of(document: Document) -> Iterator[tuple[str, InlineSpan]]:
    """Every span, with the text in which it stands."""
    for section in document.sections:
        for paragraph in section.paragraphs:
            for span in paragraph.spans:
                yield paragraph.text, span


def against_tex(document: Document, tex: str, told: list[str]) -> Counter[str]:
    """Formulas written, those of them that the source has, and how many it has."""
    wanted = source_formulas(tex)
    left = wanted.copy()
    counts = Counter(source=wanted.total())
    for text, span in spans_of(document):
        if span.kind != "math":
            continue
        value = normal(span.shown)
        counts["written"] += 1
        counts["right"] += value in wanted
        counts["found"] += left[value] > 0
        left[value] -= 1
        if value not in wanted:
            told.append(f"{text[max(0, span.start - 25) : span.end + 12]!r}: {span.shown}")
    return counts


def _scripts(element: ET.Element, before: list[str], found: Counter[tuple[str, str, str]]) -> None:
    """What an element raises and lowers, each with the letters before it."""
    kind = element.tag if element.tag in ("sup", "sub") else ""
    if kind:
        found[(_bare("".join(before)[-40:])[-BEFORE:], kind, _bare("".join(element.itertext())))] += 1
    before.append(element.text or "")
    for child in element:
        _scripts(child, before, found)
        before.append(child.tail or "")


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.replace("−", "-")).lower()


def against_jats(document: Document, xml: Path, told: list[str]) -> Counter[str]:
    """Raised and lowered signs written, those that the XML has too, and how many it has."""
    wanted: Counter[tuple[str, str, str]] = Counter()
    for paragraph in ET.parse(xml).getroot().iterfind("./body//p"):
        _scripts(paragraph, [], wanted)
    counts = Counter(source=wanted.total())
    for text, span in spans_of(document):
        if span.kind == "math":
            continue
        key = (_bare(text[: span.start][-40:])[-BEFORE:], span.kind, _bare(span.shown))
        counts["written"] += 1
        counts["right"] += key in wanted
        counts["found"] += wanted[key] > 0
        wanted[key] -= 1
        if key not in wanted or wanted[key] < -5:
            told.append(f"{text[max(0, span.start - 25) : span.end + 12]!r}: {span.kind} {span.shown}")
    return counts


def sources(pdf: Path) -> str:
    """The TeX beside a PDF."""
    folder = pdf.with_name(f"{pdf.stem}_tex")
    files = [pdf.with_suffix(".tex"), pdf.with_suffix(".Rnw"), *sorted(folder.rglob("*.tex"))]
    return "\n".join(file.read_text("utf-8", "replace") for file in files if file.is_file())


def half(pdf: Path, tex: str) -> int:
    """The half in which the publisher of an article is, or the package of a source."""
    return half_of(pdf.parents[1].name if tex else publisher(pdf.with_suffix(".xml")))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--half", type=int, choices=(0, 1))
    parser.add_argument("--verbose", action="store_true", help="what was written and is not there")
    given = parser.parse_args()
    total = {"formulas": Counter[str](), "scripts": Counter[str]()}
    files: Counter[str] = Counter()
    for pdf in sorted(path for folder in given.data for path in folder.rglob("*.pdf")):
        tex = sources(pdf)
        if not tex and not pdf.with_suffix(".xml").is_file():
            continue
        if given.half is not None and half(pdf, tex) != given.half:
            continue
        try:
            document = parse(pdf)
        except QuireError as error:
            print(f"{pdf.name}: {error}")
            continue
        told: list[str] = []
        kind = "formulas" if tex else "scripts"
        if tex:
            total[kind] += against_tex(document, tex, told)
        else:
            total[kind] += against_jats(document, pdf.with_suffix(".xml"), told)
        files[kind] += 1
        if given.verbose:
            print(*(f"{pdf.stem}: {line}" for line in told), sep="\n")
    for kind, counts in total.items():
        precision = counts["right"] / max(1, counts["written"])
        recall = counts["found"] / max(1, counts["source"])
        print(f"{kind:9} {files[kind]:3} files: {counts['written']} written, {precision:.3f} of them right; "
              f"{recall:.3f} of {counts['source']}")  # fmt: skip


if __name__ == "__main__":
    main()
