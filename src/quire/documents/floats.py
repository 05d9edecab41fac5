"""Tables, figures and equations of a whole document, and the boxes that they take out of the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from quire.documents import captions
from quire.documents.layout.furniture import Furniture
from quire.documents.layout.profile import Profile
from quire.documents.raw import Edges, RawPage
from quire.types import Equation, Image, Table


@dataclass(frozen=True)
class Floats:
    """What floats in a document; `boxes` by page number hold everything that is no running text."""

    tables: tuple[Table, ...] = ()
    images: tuple[Image, ...] = ()
    equations: tuple[Equation, ...] = ()
    boxes: dict[int, list[Edges]] = field(default_factory=dict)


def find_floats(pages: Sequence[RawPage], profile: Profile, furniture: Furniture) -> Floats:
    """All floats of the pages."""
    boxes: dict[int, list[Edges]] = {}
    for page in pages:
        boxes[page.number] = [caption.box for caption in captions.find(page, profile)]
    return Floats(boxes=boxes)
