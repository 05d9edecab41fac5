"""What installed packages add to the server: entry points of the group `quire.server`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quire.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi import APIRouter
    from markupsafe import Markup

PARTS = Registry("part of the server", {}, "quire.server")


@dataclass(frozen=True, slots=True)
class ServerPart:
    """Routes of the API (below its prefix), pages, and the section that the page `Measure` shows of it."""

    api: APIRouter
    pages: APIRouter
    section: Callable[[], Markup]


def parts() -> list[ServerPart]:
    """All that are installed."""
    return [PARTS.load(name) for name in PARTS]
