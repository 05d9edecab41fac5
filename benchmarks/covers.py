r"""Articles behind a cover sheet of a repository: are title, authors and abstract still those of the article?

A cover of each kind is drawn in front of an article, with wordings as repositories use them, and with its own
title and authors where such covers print them. `parse_gate.py --covers N` measures with them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pypdfium2
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas

Facts = dict[str, Any]


class Sheet:
    """A page that is written on from top to bottom."""

    def __init__(self, path: Path) -> None:
        self.canvas = Canvas(str(path), pagesize=A4, invariant=1)
        self.y = A4[1] - 70

    def put(
        self, text: str, size: float = 10, font: str = "Helvetica", x: float = 60, gap: float = 8
    ) -> None:
        """A paragraph."""
        for line in simpleSplit(text, font, size, A4[0] - x - 60):
            self.canvas.setFont(font, size)
            self.canvas.drawString(x, self.y, line)
            self.y -= 1.25 * size
        self.y -= gap

    def rule(self) -> None:
        """A line across."""
        self.canvas.line(60, self.y, A4[0] - 60, self.y)
        self.y -= 20

    def save(self) -> None:
        """Write the file."""
        self.canvas.save()


def archive(sheet: Sheet, facts: Facts) -> None:
    """An open archive: identifier, title and authors centred, how to cite this version."""
    sheet.put("OAR Id: oar-02839471", 14, "Helvetica-Bold")
    sheet.put("https://oar.archive.example/oar-02839471v2")
    sheet.put(f"Preprint submitted on 4 Mar {facts['year']} (v1), last revised 9 Jun {facts['year']} (v2)")
    sheet.rule()
    sheet.put(
        "OAR is a multi-disciplinary open access archive for the deposit and dissemination of research "
        "documents, whether they are published or not. The documents may come from teaching and research "
        "institutions, or from public or private research centers.", 9,
    )  # fmt: skip
    sheet.y -= 60
    sheet.put(facts["title"], 17, "Times-Bold")
    sheet.put(", ".join(facts["authors"]), 12, "Times-Roman", gap=60)
    sheet.rule()
    sheet.put("To cite this version:", 11, "Helvetica-Bold")
    sheet.put(f"{', '.join(facts['authors'])}. {facts['title']}. {facts['journal']}, {facts['year']}.")


def network(sheet: Sheet, facts: Facts) -> None:
    """A network of researchers: a notice, the title, counts of readers."""
    sheet.put("See discussions, stats, and author profiles for this publication at:", 8)
    sheet.put("https://www.readersgate.example/publication/301929474", 8, gap=40)
    sheet.put(facts["title"], 18)
    sheet.put(f"Article in {facts['journal']} · May {facts['year']}", 10)
    sheet.put(f"DOI: {facts.get('doi') or '10.1000/xyz'}", 10, gap=30)
    sheet.put("CITATIONS          READS", 9)
    sheet.put("17                 1,204", 12, gap=20)
    sheet.put(f"{len(facts['authors'])} authors, including:", 10)
    for name in facts["authors"][:3]:
        sheet.put(name, 12, "Helvetica-Bold", gap=0)
        sheet.put("University of Somewhere", 9)
        sheet.put("41 PUBLICATIONS   820 CITATIONS", 8)
    sheet.put("All content following this page was uploaded by the first author on 12 June.", 8)


def publisher(sheet: Sheet, facts: Facts) -> None:
    """A publisher's landing sheet: journal in large type, title, how to cite, where to find it."""
    sheet.put(str(facts["journal"]), 20, "Helvetica-Bold")
    sheet.put(
        "ISSN: 0021-9584 (Print) 1938-1328 (Online) Journal homepage: https://www.press.example/loi/abc", 9
    )
    sheet.rule()
    sheet.put(facts["title"], 16, "Times-Bold")
    sheet.put(" & ".join(facts["authors"][:2]) + (" et al." if len(facts["authors"]) > 2 else ""), 12, gap=25)
    sheet.put(
        f"To cite this article: {', '.join(facts['authors'])} ({facts['year']}) {facts['title']}, "
        f"{facts['journal']}, 12:3, 145-160, DOI: {facts.get('doi') or '10.1000/xyz'}", 9,
    )  # fmt: skip
    sheet.put("To link to this article: https://doi.org/10.1000/xyz", 9)
    for line in (
        "© The Author(s). Published with licence.", f"Published online: 12 Mar {facts['year']}.",
        "Submit your article to this journal", "Article views: 2301", "View related articles",
        "Citing articles: 12 View citing articles",
    ):  # fmt: skip
        sheet.put(line, 10)
    sheet.put(
        "Full Terms & Conditions of access and use can be found at https://www.press.example/action/terms", 8
    )


def university(sheet: Sheet, facts: Facts) -> None:
    """A university's repository: a table of what the deposited file is."""
    sheet.put("University of Somewhere Research Repository", 22, "Helvetica-Bold", gap=30)
    sheet.put("Copyright Notice", 13, "Helvetica-Bold")
    sheet.put(
        "This is the version of the article that was accepted for publication after peer review. Please "
        "refer to any applicable terms of use of the publisher. Personal use of this material is permitted; "
        "permission must be obtained for any other use.", 10, gap=30,
    )  # fmt: skip
    sheet.put("Citation for published version", 12, "Helvetica-Bold")
    sheet.put(f"{'; '.join(facts['authors'])}. {facts['title']}. {facts['journal']} {facts['year']}.")
    sheet.put("Document version: Peer reviewed version")
    sheet.put("Take down policy", 12, "Helvetica-Bold")
    sheet.put(
        "If you believe that this document breaches copyright please contact us, and we will remove it."
    )
    sheet.put("Download date: 24. Nov. 2022")


COVERS: dict[str, Callable[[Sheet, Facts], None]] = {
    each.__name__: each for each in (archive, network, publisher, university)
}


def covered(article: Path, facts: Facts, draw: Callable[[Sheet, Facts], None], out: Path) -> None:
    """The article with a cover in front, as a file."""
    cover = out.with_suffix(".cover.pdf")
    sheet = Sheet(cover)
    draw(sheet, facts)
    sheet.save()
    with pypdfium2.PdfDocument.new() as whole:
        for path, pages in (
            (cover, None),
            (article, list(range(min(4, len(pypdfium2.PdfDocument(article)))))),
        ):
            whole.import_pages(pypdfium2.PdfDocument(path), pages)
        whole.save(out)
