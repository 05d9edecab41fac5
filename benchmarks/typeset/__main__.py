r"""Typeset made-up papers with the classes that papers are made with: PDFs, and what is true of each.

    python benchmarks/typeset --out DIR [--seeds 2] [--only NAME ...]

Writes DIR/NAME_SEED.pdf and DIR/facts.jsonl (one object per line, with "class", "language", "kind"). Needs a TeX
Live with the classes named in `classes.py`; a style whose class is missing is reported and left out. What is there
already is not made again.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pypdfium2
from classes import STYLES, Style
from paper import Writer

_SECONDS = 120
_PLACE = re.compile(r"^([a-z-]+):(\d+) (\d+) (-?\d+) (-?\d+)\s*$")
_NAMED = re.compile(r"^([a-z]+):(\d+) = (.*)$")
_LABEL = re.compile(r"\\newlabel\{(eq|tab):(\d+)\}\{\{(?:\\M@TitleReference *\{)?([^{}]*)\}")
_SCALED = 65781.76  # scaled points in a PDF point


def typeset(style: Style, seed: int, out: Path) -> dict[str, Any] | str:
    """One document; its facts, or why there are none."""
    if shutil.which(style.engine) is None:
        return f"{style.engine} is not installed"
    writer = Writer(style, seed)
    source = writer.document()
    name = writer.facts["name"]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "x.tex").write_text(source, "utf-8")
        if style.bibliography == "bst":
            (work / "refs.bib").write_text(writer.bibtex(), "utf-8")
        bibtex = ["bibtex", "x"] if style.bibliography == "bst" else None
        for command in (_engine(style), bibtex, _engine(style), _engine(style)):
            if command is not None and not _run(command, work):
                shutil.copy(work / "x.tex", out / f"{name}.failed.tex")
                return _complaint(work)
        if style.engine == "uplatex" and not _run(["dvipdfmx", "-q", "x.dvi"], work):
            return "dvipdfmx failed"
        try:
            _complete(writer, work)
        except (OSError, pypdfium2.PdfiumError):
            shutil.copy(work / "x.tex", out / f"{name}.failed.tex")
            return _complaint(work)
        shutil.copy(work / "x.pdf", out / f"{name}.pdf")
    return writer.facts


def _engine(style: Style) -> list[str]:
    return [style.engine, "-interaction=nonstopmode", "x.tex"]


def _run(command: list[str], work: Path) -> bool:
    try:
        done = subprocess.run(command, cwd=work, capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return False
    return (
        done.returncode == 0
        or command[0] in ("bibtex",)
        or (work / "x.pdf").exists()
        or (work / "x.dvi").exists()
    )


def _complaint(work: Path) -> str:
    log = work / "x.log"
    lines = log.read_text("utf-8", "replace").splitlines() if log.exists() else []
    return " | ".join(line for line in lines if line.startswith("!"))[:300] or "no PDF"


def _complete(writer: Writer, work: Path) -> None:
    """Add what only TeX knows: pages, places, printed numbers, labels, the bibliography as printed."""
    facts = writer.facts
    document = pypdfium2.PdfDocument(work / "x.pdf")
    heights = [document[k].get_height() for k in range(len(document))]
    printed = _letters("".join(document[k].get_textpage().get_text_bounded() for k in range(len(document))))
    document.close()
    facts["pages"] = len(heights)
    kinds = {"section": "sections", "table": "tables", "figure": "figures", "equation": "equations"}
    for line in (work / "x.places").read_text("utf-8", "replace").splitlines():
        if match := _PLACE.match(line):
            kind, index, page = match[1], int(match[2]), int(match[3])
            if not 1 <= page <= len(heights):
                continue
            x, y = int(match[4]) / _SCALED, heights[page - 1] - int(match[5]) / _SCALED
            if kind == "equation-end":
                facts["equations"][index]["end"] = [round(x, 1), round(y, 1)]
            else:
                facts[kinds[kind]][index].update(page=page, place=[round(x, 1), round(y, 1)])
        elif match := _NAMED.match(line):
            kind, index = match[1], int(match[2])
            if kind == "equation":
                facts["equations"][index]["number"] = f"({match[3]})"
            else:
                facts[kinds[kind]][index]["label"] = _label(writer, kind, match[3])
    for kind, index, number in _LABEL.findall((work / "x.aux").read_text("utf-8", "replace")):
        if kind == "eq":
            facts["equations"][int(index)]["number"] = f"({number})"
        else:
            facts["tables"][int(index)]["label"] = _label(writer, "table", number)
    if writer.style.bibliography == "bst":
        facts["references"] = list(_printed(writer, work))
    if writer.style.language != "ar":  # whose letters a PDF may give in another order
        _without_unprinted(facts, printed)


def _label(writer: Writer, kind: str, shown: str) -> str:
    """The label of a float; TeX tells the word before its number in commands where the script is not Latin."""
    text = shown.replace("~", " ").strip()
    if "\\" in text or text[:1].isdigit():
        number = re.findall(r"[\d.]+", text)
        return f"{writer.voice.label(kind)} {number[-1] if number else ''}".strip()
    return text


def _letters(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum())


def _without_unprinted(facts: dict[str, Any], printed: str) -> None:
    """Some classes leave out keywords, and some styles of reference leave out titles: what is not printed is not true."""
    facts["keywords"] = [k for k in facts["keywords"] if _letters(k) in printed]
    facts["authors"] = [a for a in facts["authors"] if _letters(a.split()[-1]) in printed]
    if _letters(facts["abstract"][:30]) not in printed:
        facts["abstract"] = ""
    for entry in facts["references"]:
        if _letters(entry["title"])[:15] not in printed:
            entry["title"] = ""


def _printed(writer: Writer, work: Path) -> list[dict[str, str]]:
    """The entries in the order in which the style prints them."""
    by_key = {r["key"]: r for r in writer.cited}
    text = (work / "x.bbl").read_text("utf-8", "replace") if (work / "x.bbl").exists() else ""
    out = []
    for piece in re.split(r"\\bibitem\b|\\bibitem(?=[\[{])", text)[1:]:
        match = re.search(r"\{(ref\d+)\}", piece)
        if match is None or match[1] not in by_key:
            continue
        entry = by_key[match[1]]
        out.append({
            "label": f"[{len(out) + 1}]" if writer.style.cite != "author" else "", "title": entry["title"], "year": str(entry["year"]),
            "text": _bare(piece[match.end() :]),
        })  # fmt: skip
    return out


_DROPPED = re.compile(
    r"\\(?:bibinfo|bibfield|bibnamefont|bibfnamefont|Eprint|href|urlstyle|natexlab|showarticletitle|bibAnnoteFile)"
    r"(?:\s*\{[^{}]*\}(?=\s*\{))?|\\(?:BibitemOpen|BibitemShut\s*\{[^{}]*\}|end\{thebibliography\}.*|[A-Za-z@]+\*?)",
    re.DOTALL,
)


def _bare(latex: str) -> str:
    """The words of an entry without its commands."""
    text = re.sub(r"%.*", "", latex.split(r"\end{thebibliography}")[0])
    text = _DROPPED.sub(" ", re.sub(r"\\\\|\\\s|@noop|``|''", " ", text))
    return (
        re.sub(r"\s+", " ", re.sub(r"[{}~]", " ", text.replace("--", "–").replace(r"\&", "&")))
        .replace(" ,", ",")
        .replace(" .", ".")
        .strip()
    )


def main() -> int:
    """Typeset everything that is not there yet."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--out", type=Path, required=True)
    arguments.add_argument("--seeds", type=int, default=2)
    arguments.add_argument("--only", nargs="*", default=None, choices=sorted(STYLES))
    options = arguments.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    listed = options.out / "facts.jsonl"
    known = (
        {json.loads(line)["name"] for line in listed.read_text("utf-8").splitlines()}
        if listed.exists()
        else set()
    )
    failed = 0
    for seed in range(1, options.seeds + 1):
        for name in options.only or STYLES:
            if f"{name}_{seed}" in known:
                continue
            facts = typeset(STYLES[name], seed, options.out)
            if isinstance(facts, str):
                failed += 1
                print(f"{name}_{seed}: {facts}", file=sys.stderr, flush=True)
                continue
            with listed.open("a", encoding="utf-8") as file:
                file.write(json.dumps(facts, ensure_ascii=False) + "\n")
    print(f"{failed} failed", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
