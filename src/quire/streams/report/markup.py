"""HTML and SVG that are escaped by construction.

Contract: `tag(name, *children, **attributes)` escapes every child that is not Markup itself, and every
attribute. Only literals of this program become Markup, so no text of a PDF, model or question can open a tag.
Attribute names may end in `_` (`class_`) and have `_` for `-`.

    >>> tag("p", "a < b", tag("b", "!"), class_="note")
    '<p class="note">a &lt; b<b>!</b></p>'
"""

from __future__ import annotations

import re
from html import escape

_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
_EMPTY = {"img", "meta", "input", "line", "circle", "rect", "path", "polyline", "br"}


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def tag(name: str, /, *children: str | None, **attributes: object) -> Markup:
    """An element. A child of None is left out, so is an attribute of None."""
    told = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _EMPTY and not children:
        return Markup(f"<{name}{told}>" if name in ("img", "meta", "input", "br") else f"<{name}{told}/>")
    return Markup(f"<{name}{told}>{join(*children)}</{name}>")


def join(*children: str | None) -> Markup:
    """The children one after the other."""
    return Markup(
        "".join(
            child if isinstance(child, Markup) else text(child) for child in children if child is not None
        )
    )


def text(value: object) -> str:
    """A value as escaped text; control characters, which HTML does not allow, become a mark."""
    return escape(_UNSEEN.sub("\ufffd", str(value).encode("utf-8", "replace").decode("utf-8")), quote=True)
