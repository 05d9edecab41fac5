"""Articles set again in styles drawn at random: what a publisher prints, as no publisher prints it.

    pip install typst
    python -m training.restyled --jats DIR [DIR ...] --out DIR [--seeds 5]

Writes OUT/NAME_SEED.pdf; the truth about it is the XML of NAME, as for the article itself, and its group is
that of the article, so that an article left out is left out in every style. Formulas are made up.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

from training.gold import text_of
from training.styles import Values, draw

TEMPLATE = Path(__file__).with_name("restyled.typ")
_FONTS = ("/usr/share/fonts", "/usr/share/texmf/fonts/opentype")
_SKIPPED = frozenset(
    {"fig", "table-wrap", "disp-formula", "list", "fn", "supplementary-material", "boxed-text", "fig-group"}
)
_MARKUP = {"italic": "i", "bold": "b", "sup": "s", "sub": "u"}
_FORMULAS = (
    "x = (a + b) / (c - d)", "E = m c^2 + sum_(i=1)^n p_i log p_i", "f(t) = integral_0^t e^(-k s) dif s",
    "R^2 = 1 - S_1 / S_2",
)  # fmt: skip
_ROWS, _COLUMNS = 24, 7  # of a table that are set
_CELL = 40  # letters
_HEADING = "title"


def runs_of(node: ET.Element) -> list[list[str]]:
    """The text of a paragraph, floats apart, as runs with their markup ("i", "b", "s", "u" or "")."""
    out: list[list[str]] = []

    def put(text: str | None, style: str) -> None:
        text = re.sub(r"\s+", " ", text or "")
        if text and out and out[-1][1] == style:
            out[-1][0] += text
        elif text:
            out.append([text, style])

    def walk(one: ET.Element, style: str) -> None:
        put(one.text, style)
        for child in one:
            if child.tag not in _SKIPPED:
                walk(child, style or _MARKUP.get(str(child.tag), ""))
            put(child.tail, style)

    walk(node, "")
    return out


class Article:
    """What is set of one article."""

    def __init__(self, xml: Path, seed: int) -> None:
        self._root = ET.parse(xml).getroot()
        self._rng = random.Random(f"{xml.stem}-{seed}")
        self.style = draw(self._rng)
        self._numbers: list[int] = []
        self._floats = {"fig": 0, "tab": 0}

    def data(self) -> Values:
        """Everything that the template reads."""
        meta = self._root.find("./front/article-meta")
        assert meta is not None
        body = [*self._section(self._root.find("./body"), 1), *self._back()]
        return {"style": self.style, **self._front(meta), "body": body, "refs": self._references()}

    def _front(self, meta: ET.Element) -> Values:
        s, rng = self.style, self._rng
        title = text_of(meta.find("./title-group/article-title"), frozenset({"xref", "fn"}))
        sub = text_of(meta.find("./title-group/subtitle"))
        journal = text_of(self._root.find("./front/journal-meta//journal-title")) or "Journal"
        marks = {a.get("id", ""): self._mark(n) for n, a in enumerate(meta.iter("aff"))}
        authors = [
            self._author(c, marks)
            for c in meta.iterfind("./contrib-group/contrib")
            if c.find("name") is not None
        ]
        year = text_of(meta.find("./pub-date/year")) or "2020"
        affs = [
            {
                "mark": marks[a.get("id", "")] if s["marks"] else "",
                "text": text_of(a, frozenset({"label", "institution-id"})),
            }
            for a in meta.iter("aff")
        ]
        words = [text_of(k) for k in meta.iter("kwd")]
        kind = text_of(meta.find(".//subj-group[@subj-group-type='heading']/subject"))
        first = authors[0]["name"] if authors else ""
        short = f"{first} et al."
        line = rng.choice(
            (
                f"{journal} {year}; {rng.randint(1, 90)}: {rng.randint(1, 900)}",
                journal,
                f"www.{journal[:4].lower()}.org",
            )
        )
        return {
            "title": f"{title}: {sub}" if sub else title, "authors": authors, "affs": affs,
            "contact": " ".join(text_of(c) for c in meta.iter("corresp"))[:300],
            "keywords": s["keyword_sep"].join(words),
            "abstract": self._parts(meta),
            "kind": kind if s["show_kind"] and len(kind) < 40 and not kind.isdigit() else "",
            "journal": journal, "journal-line": line, "odd-head": rng.choice((title[:60], short, journal)),
            "even-head": rng.choice((short, line, journal)),
            "imprint": self._imprint(meta, journal, year, short, title),
        }  # fmt: skip

    def _mark(self, n: int) -> str:
        form = self.style["mark_form"]
        return (
            chr(97 + n % 26) if form == "a" else "*†‡§¶"[n % 5] * (n // 5 + 1) if form == "*" else str(n + 1)
        )

    def _author(self, contrib: ET.Element, marks: dict[str, str]) -> dict[str, str]:
        last, given = text_of(contrib.find("name/surname")), text_of(contrib.find("name/given-names"))
        short = " ".join(f"{w[0]}." for w in re.split(r"[\s.]+", given) if w)
        forms = {"full": f"{given} {last}", "initials": f"{short} {last}", "inverted": f"{last} {short}"}
        own = [marks[x.get("rid", "")] for x in contrib.iter("xref") if x.get("rid", "") in marks]
        degrees = ", " + self._rng.choice(("MD", "PhD", "MD, PhD", "MSc")) if self.style["degrees"] else ""
        return {"name": forms[self.style["names"]].strip() + degrees, "marks": ",".join(own)}

    def _parts(self, meta: ET.Element) -> list[list[str]]:
        node = next((a for a in meta.findall("abstract") if not a.get("abstract-type")), None)
        if node is None:
            return []
        sections = [
            (text_of(s.find("title")), " ".join(text_of(p) for p in s.iter("p"))) for s in node.iter("sec")
        ]
        if not sections:
            return [["", " ".join(text_of(p) for p in node.iter("p"))]]
        if not self.style["parts"]:
            return [["", " ".join(text for _, text in sections)]]
        return [[title.rstrip(" :."), text] for title, text in sections]

    def _imprint(self, meta: ET.Element, journal: str, year: str, short: str, title: str) -> list[list[str]]:
        rng = self._rng
        days = [f"{rng.randint(1, 28)} {m} {year}" for m in ("January", "April", "June")]
        doi = text_of(meta.find("./article-id[@pub-id-type='doi']"))
        licence = text_of(next(meta.iter("license"), None))[:400]
        every = [
            ["Received:", days[0]], ["Accepted:", days[1]], ["Published:", days[2]],
            ["Citation:", f"{short} ({year}) {title}. {journal} {rng.randint(1, 90)}: {rng.randint(1, 99)}."],
            ["DOI:", doi],
            ["Copyright:", f"© {year} The Author(s). {licence}"],
            ["Article history:", f"Received {days[0]}; accepted {days[1]}"],
            ["Edited by:", "the editor of the issue"],
            ["Correspondence:", " ".join(text_of(c) for c in meta.iter("corresp"))[:200]],
            ["", "OPEN ACCESS"],
        ]  # fmt: skip
        chosen = rng.sample(range(len(every)), rng.randint(2, 6))
        return [every[k] for k in sorted(chosen) if every[k][1]]

    def _section(self, node: ET.Element | None, level: int) -> Iterator[Values]:
        for part in node if node is not None else ():
            if part.tag == "title":
                if text_of(part):
                    yield self._heading(text_of(part), level - 1)
            elif part.tag == "p":
                yield from self._paragraph(part)
            elif part.tag == "list":
                yield from self._list(part)
            elif part.tag in ("fig", "table-wrap"):
                yield from self._float(part)
            elif part.tag == "disp-formula":
                yield {"k": "eq", "text": self._rng.choice(_FORMULAS)}
            elif part.tag == "sec":
                yield from self._section(part, level + 1)
            elif part.tag in ("fig-group", "disp-quote", "boxed-text"):
                yield from self._section(part, level)

    def _heading(self, text: str, level: int) -> Values:
        level = max(1, level)
        text = re.sub(r"^\d+(?:\.\d+)*\.?\s+", "", text).rstrip(" :.")
        self._numbers = [*self._numbers, 0, 0, 0][:level]
        self._numbers[-1] += 1
        return {"k": "h", "level": level, "text": text, "number": self._number()}

    def _number(self) -> str:
        form = self.style["numbers"]
        if not form:
            return ""
        if form == "I." and len(self._numbers) == 1:
            return ("I II III IV V VI VII VIII IX X".split()[(self._numbers[0] - 1) % 10]) + ". "
        if form == "I.":
            return f"{chr(64 + min(26, self._numbers[-1]))}. "
        return ".".join(map(str, self._numbers)) + {"1": " ", "1.": ". ", "1 |": " | "}[form]

    def _paragraph(self, node: ET.Element) -> Iterator[Values]:
        runs = runs_of(node)
        if any(text.strip() for text, _ in runs):
            yield {"k": "p", "runs": runs}
        for part in node:
            if part.tag in ("fig", "table-wrap"):
                yield from self._float(part)
            elif part.tag == "list":
                yield from self._list(part)
            elif part.tag == "disp-formula":
                yield {"k": "eq", "text": self._rng.choice(_FORMULAS)}

    def _list(self, node: ET.Element) -> Iterator[Values]:
        form = self._rng.choice(("•", "–", "1.", "(1)", "(a)"))
        for n, item in enumerate(node.findall("list-item")):
            mark = form.replace("1", str(n + 1)).replace("a", chr(97 + n % 26))
            yield {"k": "li", "mark": mark, "runs": [run for p in item.iter("p") for run in runs_of(p)]}

    def _float(self, node: ET.Element) -> Iterator[Values]:
        kind = "fig" if node.tag == "fig" else "tab"
        self._floats[kind] += 1
        caption = text_of(node.find("caption"))[:700]
        label = f"{'Figure' if kind == 'fig' else 'Table'} {self._floats[kind]}"
        found = {"k": "float", "kind": kind, "label": label,
                 "caption": caption, "wide": self._rng.random() < 0.35,
                 "height": self._rng.choice((70, 120, 180))}  # fmt: skip
        if kind == "tab":
            rows = [
                [text_of(c)[:_CELL] for c in row if c.tag in ("td", "th")][:_COLUMNS]
                for row in node.iter("tr")
            ][:_ROWS]
            width = max(map(len, rows), default=0)
            if not width or len(rows) < 2:
                return
            found["rows"] = [row + [""] * (width - len(row)) for row in rows]
        yield found

    def _back(self) -> Iterator[Values]:
        level = self.style["back_level"]
        for tag in ("ack", "sec", "fn-group", "app-group/app"):
            for node in self._root.iterfind(f"./back/{tag}"):
                title = text_of(node.find("title")) or ("Acknowledgements" if tag == "ack" else "")
                texts = [p for p in node.iter("p") if text_of(p)]
                if title and texts:
                    self._numbers = []
                    yield {"k": "h", "level": level, "text": title, "number": ""}
                    for p in texts:
                        yield {"k": "p", "runs": runs_of(p)}

    def _references(self) -> list[list[list[str]]]:
        return [entry for ref in self._root.iter("ref") if (entry := self._entry(ref))]

    def _entry(self, ref: ET.Element) -> list[list[str]]:
        """One entry, from the parts that the XML tells apart, or as the publisher printed it."""
        title, source = (text_of(next(ref.iter(tag), None)) for tag in ("article-title", "source"))
        people = [(text_of(n.find("surname")), text_of(n.find("given-names"))) for n in ref.iter("name")][:8]
        if not people or not (title or source):
            cited = next((c for c in ref if c.tag != "label"), None)
            return runs_of(cited) if cited is not None and text_of(cited) else []
        year, volume, first, last = (
            text_of(next(ref.iter(tag), None)) for tag in ("year", "volume", "fpage", "lpage")
        )
        pages = f"{first}–{last}" if last else first
        letters = [(name, [w[0] for w in re.split(r"[\s.]+", given) if w]) for name, given in people]
        initials = [f"{name} {''.join(own)}" for name, own in letters]
        dotted = [f"{name}, {'. '.join(own)}." for name, own in letters]
        turned = [f"{'. '.join(own)}. {name}" for name, own in letters]
        stop = "" if title.endswith(("?", ".")) else "."
        match self.style["cited"]:
            case "apa":
                return [
                    [f"{', '.join(dotted)} ({year}). {title}{stop} ", ""],
                    [source, "i"],
                    [f", {volume}, {pages}.", ""],
                ]
            case "title":
                return [
                    [f"{', '.join(turned)}, “{title},” ", ""],
                    [source, "i"],
                    [f", vol. {volume}, pp. {pages}, {year}.", ""],
                ]
            case "short":
                return [
                    [f"{', '.join(turned)}: {title}{stop} {source} ", ""],
                    [volume, "b"],
                    [f", {pages} ({year})", ""],
                ]
        return [[f"{', '.join(initials)}. {title}{stop} {source}. {year};{volume}:{pages}.", ""]]


def compiled(data: Values, out: Path) -> str:
    """Set one article; gives what went wrong, if anything."""
    import typst

    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        shutil.copy(TEMPLATE, work / "x.typ")
        (work / "data.json").write_text(json.dumps(data, ensure_ascii=False), "utf-8")
        try:
            typst.compile(str(work / "x.typ"), output=str(out), font_paths=list(_FONTS))
        except (RuntimeError, typst.TypstError) as error:
            return str(error)[:300]
    return ""


def main() -> None:
    """Set what is not there yet."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--jats", type=Path, nargs="+", required=True)
    arguments.add_argument("--out", type=Path, required=True)
    arguments.add_argument("--seeds", type=int, default=5)
    options = arguments.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for seed in range(options.seeds):
        for folder in options.jats:
            for xml in sorted(folder.glob("*.xml")):
                out = options.out / f"{xml.stem}_{seed}.pdf"
                wrong = "" if out.exists() else compiled(Article(xml, seed).data(), out)
                if wrong:
                    print(f"{out.stem}: {wrong}", flush=True)


if __name__ == "__main__":
    main()
