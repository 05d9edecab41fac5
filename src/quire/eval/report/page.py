"""Pages and plots of every report, by templates: style and script inside, nothing loaded, every text escaped.

Contract: no request to any host: the page's own policy (CSP) forbids every source but data pictures, and
admits its one script and style by their hash, so that nothing injected would run. Only templates and assets
of this program are markup; control characters, which HTML does not allow, become a mark.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from quire.eval.report.plots import Plot

TEMPLATES = Path(__file__).parent / "templates"
_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")


def render(template: str, folder: Path = TEMPLATES, **values: Any) -> Markup:
    """A template of that folder, or of this room's own, filled in."""
    text = _environment(folder).get_template(template).render(**values)
    return Markup(_UNSEEN.sub("\ufffd", text.encode("utf-8", "replace").decode("utf-8")))


def svg(drawing: Plot) -> Markup:
    """A drawing as one SVG element."""
    return render("plot.svg", drawing=drawing)


def templates(*folders: Path) -> Environment:
    """Templates of these folders, the first first: all is escaped, and a missing name is an error."""
    return Environment(
        loader=FileSystemLoader(folders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _environment(folder: Path) -> Environment:
    made = templates(folder, TEMPLATES)
    made.filters.update(svg=svg, digest=_digest)
    style, script = (Markup((TEMPLATES / name).read_text("utf-8")) for name in ("page.css", "page.js"))
    made.globals.update(style=style, script=script)
    return made


def _digest(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"
