r"""How faithfully papers about software are parsed, beside their TeX source: title, authors, headings, text.

    PYTHONPATH=. python benchmarks/vignettes.py --data DIR [--half 0|1] [--verbose]

DIR holds PDFs each beside its source (`NAME.Rnw`), as packages of R install them (`*/doc/`; on Debian the
packages r-cran-*, unpacked). `--half` takes one half of the packages, by a hash of their names, so that the
other stays unseen. `articles.py` says what is measured. Macros that the reading of the source does not know
make some figures too low: compare two versions of quire by them, and read no absolute quality from them.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import statistics
from collections import defaultdict
from pathlib import Path

from rapidfuzz import fuzz

import articles
from articles import Facts, Figures, bare
from quire.errors import QuireError
from quire.pdf import parse
from quire.types import Document

LEVELS = ("chapter", "section", "subsection", "subsubsection", "paragraph")
FLOATS = (
    "verbatim|Verbatim|S(?:in|out)put|Schunk|equation|align|eqnarray|table|figure|tabular|lstlisting|abstract|"
    "thebibliography|displaymath|alltt|Code(?:Input|Chunk)?|gather|(?:small)?example"
)
LEAST, LONGEST = 100, 500  # letters of a paragraph that is looked for, and of those that are
PRINTED = 92  # likeness to a part of what is printed, 0 to 100


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


def facts_of(source: Source, document: Document) -> Facts:
    """What the source says, as far as it is printed: what a macro makes of it nobody can find."""
    printed = bare(" ".join(page.text for page in document.pages))
    front = bare(" ".join(page.text for page in document.pages[:2]))
    names = [name for name in re.split(r",| and |;", source.authors) if name.split()]
    abstract = bare(source.abstract)
    whole = len(abstract) > 60 and abstract[:30] in printed
    return {
        "title": source.title if bare(source.title) in front else "",
        "authors": [name for name in names if len(last := bare(name.split()[-1])) > 1 and last in front],
        "abstract": source.abstract if whole else "",
        "sections": [{"title": each} for each in source.headings if bare(each) in printed],
        "paragraphs": [
            {"section": title, "text": text[:LONGEST]}
            for title, text in source.paragraphs
            if fuzz.partial_ratio(bare(text[:LONGEST]), printed) >= PRINTED
        ],
        "references": [], "tables": [], "figures": [],
    }  # fmt: skip


def score(path: Path, source: Path) -> Figures:
    """The figures of one paper."""
    document = parse(path)
    return articles.score(facts_of(Source(source), document), document)


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
            found = score(path, source)
        except QuireError as error:
            print(f"{path.name}: {error}")
            continue
        for name, value in found.items():
            figures[name].append(value)
        if options.verbose:
            print(path.name, {name: round(value, 2) for name, value in found.items()})
    for name, values in figures.items():
        print(f"{name:12s} {len(values):4d} papers  {statistics.mean(values):.3f}")


if __name__ == "__main__":
    main()
