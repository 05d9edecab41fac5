"""The one page of every report: style and script inside, nothing loaded, every text escaped.

Contract: no request to any host: the page's own policy (CSP) forbids every source but data pictures, and
admits its one script and style by their hash, so that nothing injected would run.
"""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from quire.streams.report.markup import Markup, join, tag
from quire.streams.report.painting import svg
from quire.streams.report.shapes import Drawing
from quire.streams.report.table import Table


def page(title: str, *parts: Markup) -> str:
    """The whole document."""
    style, script = _asset("page.css"), _asset("page.js")
    policy = (
        f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        tag("style", style),
    )
    body = tag("body", tag("main", tag("h1", title), *parts), tag("script", script))
    return "<!doctype html>\n" + tag("html", head, body, lang="en") + "\n"


def figure(drawing: Drawing, caption: str = "") -> Markup:
    """A plot with what is said below it."""
    return tag("figure", svg(drawing), tag("figcaption", caption) if caption else None)


def section(table: Table) -> Markup:
    """A table under its title, with its note."""
    sides = [None if table.numeric(at) else "left" for at in range(len(table.columns))]
    head = tag("tr", *[tag("th", each, class_=side) for each, side in zip(table.columns, sides, strict=True)])
    rows = [
        tag("tr", *[tag("td", cell, class_=side) for cell, side in zip(row, sides, strict=True)])
        for row in table.rows
    ]
    note = tag("p", table.note, class_="soft") if table.note else None
    return tag(
        "section", tag("h2", table.title), join(tag("div", tag("table", head, *rows), class_="scroll")), note
    )


def _asset(name: str) -> Markup:
    return Markup(files(__package__).joinpath(name).read_text(encoding="utf-8"))


def _hash(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"
