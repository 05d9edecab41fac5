r"""A made-up paper written as LaTeX, and what is true of it.

    writer = Writer(style, seed)
    writer.document(), writer.facts

The facts have the layout of those read from publishers' XML (title, authors, sections, paragraphs, tables,
figures, references), with the cells of tables and displayed equations besides. Places are written by TeX itself
into `<job>.places`: `\place{equation:3}` tells page and position at shipout, `\named{...}` a printed number.
"""

from __future__ import annotations

import random
from typing import Any

import fronts
from classes import Style
from formulas import Formulas
from prose import Voice, escaped
from tables import Table, draw_table

PLACES = r"""
\newwrite\placefile
\immediate\openout\placefile=\jobname.places
\makeatletter
\ifdefined\pdfsavepos\else\ifdefined\savepos\let\pdfsavepos\savepos\let\pdflastxpos\lastxpos\let\pdflastypos\lastypos\fi\fi
\newcount\placepage
\AddToHook{shipout/before}{\global\advance\placepage by 1 }
\DeclareRobustCommand\place[1]{\pdfsavepos\write\placefile{#1 \the\placepage\space\the\pdflastxpos\space\the\pdflastypos}}
\DeclareRobustCommand\named[2]{{\def\protect{}\let\@@unexpandable\relax\protected@edef\@tempa{#2}\immediate\write\placefile{#1 = \detokenize\expandafter{\@tempa}}}}
\makeatother
"""


class Writer:
    """Writes one document; chance comes from the seed and the style's name alone."""

    def __init__(self, style: Style, seed: int) -> None:
        self.style = style
        self.rng = random.Random(f"{style.name}-{seed}")
        self.voice = Voice(style.language, self.rng)
        self.formulas = Formulas(self.rng)
        self.room = 30 if style.columns == 2 else 60
        self.cited = [self._reference(k) for k in range(self.rng.randint(12, 34))]
        self.facts: dict[str, Any] = {
            "name": f"{style.name}_{seed}", "class": style.name, "language": style.language, "kind": style.kind,
            "title": self.voice.title(), "year": self.rng.randint(2005, 2024), "journal": self.voice.one("journals"), "doi": "",
            "abstract": "", "keywords": [], "emails": [],
            "sections": [], "paragraphs": [], "tables": [], "figures": [], "references": [], "footnotes": [], "lists": [], "equations": [],
        }  # fmt: skip
        people = self.voice.people(1 if style.kind == "thesis" else self.rng.randint(1, 6))
        places = self.rng.sample(
            self.voice.words["places"], min(len(self.voice.words["places"]), self.rng.randint(1, 3))
        )
        self.people = [fronts.Person(self.voice.name(p), *p, k % len(places)) for k, p in enumerate(people)]
        self.places = places
        self.facts["authors"] = [p.name for p in self.people]
        self.section = ""

    def document(self) -> str:
        """The whole source."""
        front = fronts.Front(
            title=self.facts["title"], people=self.people, places=self.places, city=self.voice.one("cities"),
            abstract="", keywords=[], voice=self.voice, email=f"{self.rng.choice('abcdk')}@example.org",
        )  # fmt: skip
        if self.style.abstract:
            front.abstract = self.voice.prose(self.rng.randint(4, 8))
            front.keywords = self.rng.sample(
                self.voice.words["topics"], min(4, len(self.voice.words["topics"]))
            )
            self.facts["abstract"], self.facts["keywords"] = front.abstract, front.keywords
        head = getattr(fronts, self.style.front)(front)
        body = getattr(self, f"_{self.style.kind}")()
        if r"\begin{document}" not in head:
            head = "\\begin{document}\n" + head
        return "\n".join(
            [self.style.head(self.rng), PLACES, head, body, self._bibliography(), r"\end{document}"]
        )

    # kinds of documents

    def _article(self) -> str:
        words = self.voice.words
        names = words["sections"]
        out = []
        floats = self._floats(self.rng.randint(2, 4), self.rng.randint(1, 3))
        for k, name in enumerate(names):
            out.append(self._heading(name, 0))
            out += self._blocks(self.rng.randint(1, 4))
            if 1 < k < len(names) - 1 and self.rng.random() < 0.75:
                for sub in self.rng.sample(
                    words["subsections"], min(len(words["subsections"]), self.rng.randint(1, 3))
                ):
                    out.append(self._heading(sub, 1))
                    out += self._blocks(self.rng.randint(1, 3))
                    if self.rng.random() < 0.3:
                        out.append(self._heading(self.voice.title(), 2))
                        out += self._blocks(self.rng.randint(1, 2))
            if floats and 0 < k:
                out.append(floats.pop())
        out += floats
        if self.rng.random() < 0.5:
            out += [self._heading(words["thanks"], 0, star=True), self._paragraph(1)]
        return "\n\n".join(out)

    def _thesis(self) -> str:
        words = self.voice.words
        out = [r"\tableofcontents"]
        floats = self._floats(3, 3)
        for name in words["sections"]:
            out.append(self._heading(name, -1))
            out += self._blocks(2)
            for sub in self.rng.sample(words["subsections"], min(3, len(words["subsections"]))):
                out.append(self._heading(sub, 0))
                out += self._blocks(self.rng.randint(2, 3))
                if self.rng.random() < 0.4:
                    out.append(self._heading(self.voice.title(), 1))
                    out += self._blocks(2)
                if floats:
                    out.append(floats.pop())
        return "\n\n".join(out)

    def _slides(self) -> str:
        out = []
        for name in self.voice.words["sections"]:
            out.append(rf"\section{{{name}}}")
            for _ in range(self.rng.randint(1, 3)):
                out.append(self._slide())
        return "\n\n".join(out)

    def _slide(self) -> str:
        title = self.voice.title()
        self._add_section(title, 0)
        kind = self.rng.choice(["list", "list", "formula", "formula", "table", "text"])
        if kind == "list":
            inner = self._list()
        elif kind == "formula":
            inner = self._paragraph(1) + "\n" + self._equation()
        elif kind == "table":
            inner = self._table(4, self.rng.randint(3, 6), floats=False)
        else:
            inner = self._paragraph(2)
        return f"\\begin{{frame}}{{{escaped(title)}}}\\place{{section:{len(self.facts['sections']) - 1}}}\n{inner}\n\\end{{frame}}"

    def _letter(self) -> str:
        return "\n\n".join(
            [self._paragraph(3), self._paragraph(2), self._equation(), self._paragraph(3), self._list()]
        )

    def _poster(self) -> str:
        out = []
        for name in self.voice.words["sections"]:
            self._add_section(name, 0)
            inner = (
                self._paragraph(3) + "\n\n" + (self._equation() if self.rng.random() < 0.6 else self._list())
            )
            out.append(
                f"\\block{{{escaped(name)}}}{{\\place{{section:{len(self.facts['sections']) - 1}}}\n{inner}\n}}"
            )
        return "\n\n".join(out)

    # parts

    def _add_section(self, title: str, depth: int) -> None:
        self.section = title
        self.facts["sections"].append({"title": title, "depth": max(0, depth)})

    def _heading(self, title: str, depth: int, star: bool = False) -> str:
        shift = 1 if self.style.kind == "thesis" else 0
        self._add_section(title, depth + shift)
        command = {-1: "chapter", 0: "section", 1: "subsection", 2: "subsubsection"}[depth]
        mark = rf"\place{{section:{len(self.facts['sections']) - 1}}}"
        return rf"\{command}{'*' if star else ''}{{{escaped(title)}}}{mark}"

    def _blocks(self, count: int) -> list[str]:
        out = []
        for _ in range(count):
            out.append(self._paragraph(self.rng.randint(2, 6)))
            draw = self.rng.random()
            if draw < 0.42:
                out[-1] += "\n" + self._equation()
                if self.rng.random() < 0.5:
                    out[-1] += "\n" + self._where()
            elif draw < 0.52:
                out.append(self._list())
        return out

    def _where(self) -> str:
        text = self.voice.sentence()
        if self.voice.language == "en":
            text = "where " + text[0].lower() + text[1:]
        return escaped(text)

    def _paragraph(self, count: int) -> str:
        latex, plain = [], []
        for _ in range(count):
            clause, end = self.voice.clause(), str(self.voice.words["end"])
            tex, text = escaped(clause), clause
            if self.style.bibliography and self.rng.random() < 0.35:
                cite, shown = self._citation()
                tex, text = tex + cite, text + shown
            if self.rng.random() < 0.12:
                tex += (
                    f" (${self.formulas.inline()}$)"
                    if self.voice.words["space"]
                    else f"${self.formulas.inline()}$"
                )
            tex, text = tex + end, text + end
            if self.style.footnotes and self.rng.random() < 0.05:
                note = self.voice.sentence()
                self.facts["footnotes"].append(note)
                tex += rf"\footnote{{{escaped(note)}}}"
            latex.append(tex)
            plain.append(text)
        space = str(self.voice.words["space"])
        text = space.join(plain)
        if len(text) > 80 or (not space and len(text) > 40):
            self.facts["paragraphs"].append({"section": self.section, "text": text})
        return space.join(latex)

    def _citation(self) -> tuple[str, str]:
        chosen = sorted(self.rng.sample(range(len(self.cited)), self.rng.choice([1, 1, 2, 3])))
        keys = ",".join(self.cited[k]["key"] for k in chosen)
        if self.style.cite == "author":
            shown = "; ".join(f"{self.cited[k]['people'][0][1]}, {self.cited[k]['year']}" for k in chosen)
            return rf" \citep{{{keys}}}", f" ({shown})"
        shown = ",".join(str(k + 1) for k in chosen)
        return (
            (rf"\cite{{{keys}}}", f"^{shown}")
            if self.style.cite == "super"
            else (rf"~\cite{{{keys}}}", f" [{shown}]")
        )

    def _list(self) -> str:
        kind = self.rng.choice(["itemize", "enumerate"])
        items = [self.voice.sentence() for _ in range(self.rng.randint(2, 5))]
        self.facts["lists"].append(items)
        return "\n".join([rf"\begin{{{kind}}}", *(rf"\item {escaped(i)}" for i in items), rf"\end{{{kind}}}"])

    def _equation(self) -> str:
        draw = self.rng.random()
        if draw < 0.5 or self.style.kind in ("slides", "poster", "letter"):
            starred = self.rng.random() < (0.25 if self.style.kind == "article" else 0.6)
            return self._displayed(
                [self.formulas.line(self.room)], "equation*" if starred else "equation", each=not starred
            )
        if draw < 0.6:
            return self._displayed([self.formulas.line(self.room)], "equation*", each=False)
        if draw < 0.75:
            return self._displayed(
                self.formulas.system(self.rng.randint(2, 3), self.room - 6), "align", each=True
            )
        if draw < 0.9:
            return self._displayed(
                self.formulas.rows(self.rng.randint(2, 3), self.room - 6), "aligned", each=False
            )
        return self._displayed(
            self.formulas.rows(self.rng.randint(2, 3), self.room - 6), "align*", each=False
        )

    def _displayed(self, rows: list[str], environment: str, each: bool) -> str:
        inner = []
        first = len(self.facts["equations"])
        for k, row in enumerate(rows):
            if k == 0 or each:
                self.facts["equations"].append({"latex": row, "number": "", "environment": environment})
            else:
                self.facts["equations"][first]["latex"] += r" \\ " + row
            index = len(self.facts["equations"]) - 1
            mark = rf"\place{{equation:{index}}}"
            end = rf"\place{{equation-end:{index}}}"
            if environment == "equation":
                end += rf"\named{{equation:{index}}}{{\theequation}}"
            inner.append(
                mark + row + end + (rf"\label{{eq:{index}}}" if each and environment == "align" else "")
            )
        body = " \\\\\n".join(inner)
        if environment == "aligned":
            body = rf"\begin{{aligned}}{body}\end{{aligned}}\named{{equation:{first}}}{{\theequation}}"
            environment = "equation"
        return f"\\begin{{{environment}}}\n{body}\n\\end{{{environment}}}"

    def _floats(self, tables: int, figures: int) -> list[str]:
        out = []
        for k in range(tables):
            wide = self.style.columns == 2 and self.rng.random() < 0.3
            columns = self.rng.choice([3, 4, 5] if self.style.columns == 2 and not wide else [4, 5, 6, 7])
            turned = self.style.sideways and k == 0 and self.rng.random() < 0.5
            long = self.style.columns == 1 and self.style.long_tables and k == 1 and self.rng.random() < 0.6
            if long:
                out.append(self._long_table(columns, self.rng.randint(45, 80)))
            else:
                out.append(self._table(columns, self.rng.randint(3, 12), wide=wide, turned=turned))
        out += [self._figure() for _ in range(figures)]
        self.rng.shuffle(out)
        return out

    def _caption(self, extra: int = 1) -> str:
        text = self.voice.title() + str(self.voice.words["end"])
        return text + (self.voice.words["space"] + self.voice.prose(extra) if self.rng.random() < 0.6 else "")

    def _add_table(self, table: Table, caption: str) -> int:
        self.facts["tables"].append(
            {
                "label": "",
                "caption": caption,
                "grid": table.grid(),
                "head_rows": table.head_rows,
                "cells": table.facts(),
            }
        )
        return len(self.facts["tables"]) - 1

    def _table(
        self, columns: int, rows: int, wide: bool = False, turned: bool = False, floats: bool = True
    ) -> str:
        table = draw_table(self.voice, self.rng, columns, rows)
        style = self.rng.choice(["booktabs", "booktabs", "grid", "lines", "open"])
        inner = table.latex(style)
        narrow = self.style.columns == 2 and not wide and not turned
        if narrow or self.style.kind != "article" or columns > 5:
            inner = f"\\resizebox{{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}}{{!}}{{{inner}}}"
        if not floats:
            self._add_table(table, "")
            return f"\\begin{{center}}\n{inner}\n\\end{{center}}"
        caption = self._caption()
        index = self._add_table(table, caption)
        note = ""
        if self.rng.random() < 0.3:
            note = "\n\\par\\smallskip{\\footnotesize " + escaped(self.voice.sentence()) + "}"
        head = rf"\caption{{{escaped(caption)}}}\named{{table:{index}}}{{\tablename\space\thetable}}\place{{table:{index}}}"
        if self.style.side_captions and self.rng.random() < 0.4:
            head = rf"\caption{{{escaped(caption)}}}\label{{tab:{index}}}\place{{table:{index}}}"
            return f"\\begin{{SCtable}}[1][tb]\n{inner}\n{head}\n\\end{{SCtable}}"
        name = "sidewaystable" if turned else "table"
        star = "*" if (wide or turned) and self.style.columns == 2 else ""
        where = "" if turned else "[tb]"
        under = self.rng.random() < 0.25
        parts = [inner + note, head] if under else [head, inner + note]
        size = self.rng.choice(["", r"\small", r"\footnotesize"])
        return "\n".join(
            [rf"\begin{{{name}{star}}}{where}", r"\centering", size, *parts, rf"\end{{{name}{star}}}"]
        )

    def _long_table(self, columns: int, rows: int) -> str:
        table = draw_table(self.voice, self.rng, columns, rows)
        style = self.rng.choice(["booktabs", "lines", "grid"])
        caption = self._caption()
        index = self._add_table(table, caption)
        lines = table.lines(style)
        top, foot = table.ends(style)
        head = "\n".join([top, *lines[: table.head_rows]])
        mark = rf"\named{{table:{index}}}{{\tablename\space\thetable}}"
        return "\n".join([
            r"{\small", rf"\begin{{longtable}}{{{table.spec(style)}}}", rf"\caption{{{escaped(caption)}}}{mark}\\", head, r"\endfirsthead", head, r"\endhead",
            foot, r"\endfoot", *lines[table.head_rows:], r"\end{longtable}}", rf"\place{{table:{index}}}",
        ])  # fmt: skip

    def _figure(self) -> str:
        caption = self._caption()
        index = len(self.facts["figures"])
        self.facts["figures"].append({"label": "", "caption": caption})
        return "\n".join([
            r"\begin{figure}[tb]", r"\centering", self._chart(),
            rf"\caption{{{escaped(caption)}}}\named{{figure:{index}}}{{\figurename\space\thefigure}}\place{{figure:{index}}}", r"\end{figure}",
        ])  # fmt: skip

    def _chart(self) -> str:
        """Bars with labelled axes, drawn with nothing but rules."""
        rng = self.rng
        bars = "".join(
            rf"\put({12 + 22 * k},10){{\rule{{12pt}}{{{rng.randint(8, 80)}pt}}}}" for k in range(7)
        )
        ticks = "".join(rf"\put({14 + 22 * k},1){{\tiny {k + 1}}}" for k in range(7))
        axis = (
            r"\put(8,10){\line(1,0){160}}\put(8,10){\line(0,1){85}}\put(-6,50){\tiny "
            + str(rng.randint(10, 90))
            + "}"
        )
        return (
            rf"\setlength{{\unitlength}}{{1pt}}\begin{{picture}}(175,100){axis}{bars}{ticks}\end{{picture}}"
        )

    # references

    def _reference(self, index: int) -> dict[str, Any]:
        rng, voice = self.rng, self.voice
        first = rng.randint(1, 900)
        kind = rng.choice(["article", "article", "article", "inproceedings", "book"])
        return {
            "key": f"ref{index}", "kind": kind, "people": voice.people(rng.randint(1, 4)), "title": voice.title(), "journal": voice.one("journals"),
            "volume": rng.randint(1, 90), "pages": (first, first + rng.randint(3, 20)), "year": rng.randint(1985, 2023),
        }  # fmt: skip

    def bibtex(self) -> str:
        """The cited works as a BibTeX file."""
        return "\n".join(_entry(r, self.style.language) for r in self.cited)

    def _bibliography(self) -> str:
        style = self.style
        if style.bibliography == "bst":
            return (
                "\\nocite{*}\n"
                + (rf"\bibliographystyle{{{style.bst}}}" + "\n" if style.bst else "")
                + r"\bibliography{refs}"
                + style.after
            )
        if style.bibliography != "list":
            return style.after
        items = []
        for k, r in enumerate(self.cited):
            text = _by_hand(r, self.voice)
            self.facts["references"].append(
                {"label": f"[{k + 1}]", "title": r["title"], "year": str(r["year"]), "text": text}
            )
            items.append(rf"\bibitem{{{r['key']}}} {escaped(text)}")
        return "\n".join([r"\begin{thebibliography}{99}", *items, r"\end{thebibliography}"]) + style.after


def _by_hand(r: dict[str, Any], voice: Voice) -> str:
    who = ", ".join(voice.name(p) for p in r["people"])
    dot = "．" if voice.language == "ja" else ". "
    return f"{who}{dot}{r['title']}{dot}{r['journal']}, {r['volume']}, {r['pages'][0]}–{r['pages'][1]}, {r['year']}."


def _entry(r: dict[str, Any], language: str) -> str:
    who = " and ".join(
        "{" + p[1] + p[0] + "}" if language == "zh" else f"{{{p[1]}}}, {p[0]}" for p in r["people"]
    )
    holder = {"article": "journal", "inproceedings": "booktitle", "book": "publisher"}[r["kind"]]
    fields = {
        "author": who, "title": "{" + escaped(r["title"]) + "}", holder: ("Proceedings of the " if r["kind"] == "inproceedings" else "") + r["journal"],
        "volume": r["volume"], "pages": f"{r['pages'][0]}--{r['pages'][1]}", "year": r["year"],
    }  # fmt: skip
    if r["kind"] == "book":
        fields.pop("pages")
        fields["address"] = "Lakeport"
    return f"@{r['kind']}{{{r['key']},\n" + ",\n".join(f"  {k} = {{{v}}}" for k, v in fields.items()) + "\n}"
