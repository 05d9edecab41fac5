r"""How faithfully papers about software are parsed, beside their TeX source: title, authors, headings, text.

    PYTHONPATH=. python benchmarks/vignettes.py --data DIR [--half 0|1] [--verbose]

DIR holds PDFs each beside its source (`NAME.Rnw`), as packages of R install them (`*/doc/`; on Debian the
packages r-cran-*, unpacked). `--half` takes one half of the packages, by a hash of their names, so that the
other stays unseen. Macros that the reading of the source does not know make some figures too low: compare two
versions of quire by them, and read no absolute quality from them.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import statistics
import unicodedata
from collections import defaultdict
from pathlib import Path

from rapidfuzz import fuzz

from quire.errors import QuireError
from quire.pdf import parse
from quire.types import Document

LEVELS = ("chapter", "section", "subsection", "subsubsection", "paragraph")
FLOATS = (
    "verbatim|Verbatim|S(?:in|out)put|Schunk|equation|align|eqnarray|table|figure|tabular|lstlisting|abstract|"
    "thebibliography|displaymath|alltt|Code(?:Input|Chunk)?|gather|(?:small)?example"
)
OTHER = frozenset("abstract references contents bibliography introduction".split())
ALIKE = 88  # likeness of two headings, 0 to 100
FOUND = 90  # the same for a title, an abstract, a paragraph
LEAST = 100  # letters of a paragraph that is looked for


def group(text: str, start: int) -> tuple[str, int]:
    """What stands between the brace at `start` and its partner, and where that ends."""
    depth = 0
    for at in range(start, len(text)):
        if text[at] in "{}" and text[at - 1] != "\\":
            depth += 1 if text[at] == "{" else -1
            if depth == 0:
                return text[start + 1 : at], at + 1
    return text[start + 1 : start + 400], len(text)


def arguments(text: str, name: str) -> list[tuple[int, str]]:
    """Places and arguments of a macro."""
    found = re.finditer(rf"\\{name}\*?\s*(?:\[[^\]]*\])?\s*(?={{)", text)
    return [(match.start(), group(text, match.end())[0]) for match in found]


def plain(tex: str) -> str:
    """The words of some TeX."""
    tex = re.sub(r"(?<!\\)%.*", "", tex)
    dropped = r"thanks|footnote|label|cite\w*|ref|[vh]space|index|email|inst|includegraphics"
    tex = re.sub(rf"\\(?:{dropped})\*?(?:\[[^\]]*\])*{{[^{{}}]*}}", "", tex)
    tex = re.sub(r"\\[`'\"^~=.uvHcdbrk]\s*{?\\?([A-Za-z])}?", r"\1", tex)
    tex = re.sub(r"\\\\(?:\[[^\]]*\])?", " ", re.sub(r"\\([&_#%])", r"\1", tex.replace("~", " ")))
    for _ in range(4):
        tex = re.sub(r"\\[a-zA-Z]+\*?\s*(?:\[[^\]]*\])?{([^{}]*)}", r"\1", tex)
    tex = re.sub(r"\\([RT]|LaTeX|TeX)\b", r"\1", tex)
    return " ".join(re.sub(r"\\[a-zA-Z]+\*?|[{}$^]", "", tex).split())


def bare(text: str) -> str:
    """Letters and digits, without accents."""
    return re.sub(r"[^a-z0-9]+", "", unicodedata.normalize("NFKD", text).lower())


def heading(text: str) -> str:
    """A heading without its number."""
    return re.sub(r"^\d+", "", bare(text)) or bare(text)


class Source:
    """What a source says of its paper."""

    def __init__(self, path: Path) -> None:
        tex = re.sub(r"(?m)^\s*%.*\n", "", path.read_text(errors="replace"))
        tex = re.sub(r"(?ms)^<<.*?>>=.*?^@", " ", tex)
        for match in list(re.finditer(r"\\(?:re)?newcommand\*?\s*{?\\([A-Za-z]+)}?\s*(?={)", tex)):
            value = group(tex, match.end())[0]
            if "#" not in value and len(value) < 80:
                tex = re.sub(rf"\\{match[1]}(?![A-Za-z])(?:{{}})?", lambda _, value=value: value, tex)  # type: ignore[misc]
        body = tex[tex.find("\\begin{document}") :]
        titles, named = arguments(tex, "title"), arguments(tex, "Plainauthor")
        self.title = plain(titles[-1][1]) if titles else ""
        authors = arguments(tex, "author")
        first = re.split(r"\\\\|\\address|\\affil", authors[-1][1])[0] if authors else ""
        self.authors = plain(named[-1][1] if named else re.sub(r"\\(?i:and)\b", ", ", first))
        abstract = re.search(r"\\begin{abstract}(.*?)\\end{abstract}", body, re.DOTALL)
        abstracts = arguments(tex, "[Aa]bstract")
        self.abstract = plain(abstract[1] if abstract else abstracts[-1][1] if abstracts else "")
        self.headings = [plain(text) for level in LEVELS for _, text in arguments(body, level)]
        self.paragraphs = list(self._paragraphs(body))

    @staticmethod
    def _paragraphs(body: str) -> list[tuple[str, str]]:
        text = re.sub(
            rf"\\begin{{({FLOATS})\*?}}.*?\\end{{\1\*?}}|\\\[.*?\\\]", "\n\n", body, flags=re.DOTALL
        )
        parts = re.split(rf"(\\(?:{'|'.join(LEVELS)})\*?\s*(?:\[[^\]]*\])?\s*(?={{))", text)
        out = []
        for part in parts[2::2]:
            title, end = group(part, 0)
            for piece in re.split(r"\n\s*\n|\\item\b|\\par\b|\\(?:begin|end){\w+}", part[end:]):
                if re.search(r"\$|\\Sexpr|\\verb|\\footnote|@|bibliography", piece):
                    continue
                words = plain(re.split(r"\\(?:cite\w*|ref|url|eqref|code|href|autoref)\b", piece)[0])
                if len(bare(words)) >= LEAST:
                    out.append((plain(title), words))
        return out


def scores(source: Source, document: Document) -> dict[str, float]:
    """Shares of what is printed and was found."""
    printed = bare(" ".join(page.text for page in document.pages))
    front = bare(" ".join(page.text for page in document.pages[:2]))
    out: dict[str, float] = {}
    if source.title and bare(source.title) in front:
        out["title"] = fuzz.ratio(bare(source.title), bare(document.metadata.title)) >= FOUND
    names = [bare(n.split()[-1]) for n in re.split(r",| and |;", source.authors) if n.split()]
    names = [name for name in names if len(name) > 1 and name in front]
    if names:
        found = [bare(author) for author in document.metadata.authors]
        out["authors"] = sum(any(name in one for one in found) for name in names) / len(names)
        out["no more"] = len(found) <= len(names)
    abstract = bare(source.abstract)
    if len(abstract) > 60 and abstract[:30] in printed:
        own = bare(document.metadata.abstract)
        longer = len(own) > 1.5 * len(abstract)
        alike = min(fuzz.partial_ratio(abstract, own), fuzz.ratio(abstract, own) if longer else 100)
        out["abstract"] = bool(own) and alike >= FOUND
    wanted = [h for h in map(heading, source.headings) if h in printed and h and h not in OTHER]
    given = [h for h in (heading(section.title) for section in document.sections) if h and h not in OTHER]
    if wanted:
        left = list(given)
        for title in wanted:
            best = next((one for one in left if fuzz.ratio(one, title) >= ALIKE), None)
            if best is not None:
                left.remove(best)
        hits = len(given) - len(left)
        out["headings"] = 2 * hits / (len(wanted) + len(given))
        out["precision"] = hits / max(1, len(given))
    sections = [(heading(section.title), bare(section.text)) for section in document.sections]
    texts = [(heading(h), bare(t)[:400]) for h, t in source.paragraphs]
    texts = [(h, t) for h, t in texts if fuzz.partial_ratio(t, printed) >= FOUND + 2]
    places = [
        [h for h, own in sections if len(own) >= 0.8 * len(t) and fuzz.partial_ratio(t, own) >= FOUND]
        for _, t in texts
    ]
    if texts:
        out["paragraphs"] = sum(map(bool, places)) / len(texts)
        right = [h in own or any(fuzz.ratio(h, one) >= 85 for one in own)
                 for (h, _), own in zip(texts, places, strict=True) if own]  # fmt: skip
        if right:
            out["placed"] = statistics.mean(right)
    return out


def main() -> None:
    """Parse, compare, print means over papers."""
    arguments_ = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments_.add_argument("--data", type=Path, required=True)
    arguments_.add_argument("--half", type=int, choices=(0, 1))
    arguments_.add_argument("--verbose", action="store_true")
    options = arguments_.parse_args()
    figures: defaultdict[str, list[float]] = defaultdict(list)
    for path in sorted(options.data.rglob("*.pdf")):
        source = path.with_suffix(".Rnw")
        half = int(hashlib.sha1(path.parts[-3].encode()).hexdigest(), 16) % 2
        if not source.exists() or options.half not in (None, half):
            continue
        try:
            found = scores(Source(source), parse(path))
        except QuireError as error:
            print(f"{path.name}: {error}")
            continue
        for name, value in found.items():
            figures[name].append(float(value))
        if options.verbose:
            print(path.name, {name: round(float(value), 2) for name, value in found.items()})
    for name, values in figures.items():
        print(f"{name:12s} {len(values):4d} papers  {statistics.mean(values):.3f}")


if __name__ == "__main__":
    main()
