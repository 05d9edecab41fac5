"""What an agent can read by address: the list of papers, a paper, a page as text or picture."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp_types import Resource

from quire.app.mcp import results
from quire.app.mcp.telling import in_tools
from quire.build import Library
from quire.errors import PaperNotFound, QuireError

_LISTED = 200  # papers that are resources by name; `quire://papers` lists all


def add_resources(server: MCPServer[Any], library: Library) -> None:
    """Offer the papers and pages of a library."""

    @server.resource("quire://papers", title="All papers", mime_type="application/json")
    @_telling
    def papers() -> str:
        """Every paper of the library: id, title, authors, year, pages, state."""
        told = [results.listed(paper).model_dump() for paper in library.papers()]
        return json.dumps(told, ensure_ascii=False)

    @server.resource("quire://papers/{paper}", title="A paper", mime_type="text/markdown")
    @_telling
    def paper(paper: str) -> str:
        """What a paper is: its particulars, abstract and sections with their pages."""
        return results.cut(_card(library, paper), results.MAX_TOKENS)

    @server.resource("quire://papers/{paper}/pages/{page}", title="Text of a page", mime_type="text/plain")
    @_telling
    def page_text(paper: str, page: int) -> str:
        """The text of one page in reading order; pages count from 1."""
        return library.page_text(paper, page)

    @server.resource(
        "quire://papers/{paper}/pictures/{page}", title="Picture of a page", mime_type="image/png"
    )
    @_telling
    def page_picture(paper: str, page: int) -> bytes:
        """A picture of one page; pages count from 1."""
        return library.render(paper, page, dpi=110)


def listed(library: Library) -> list[Resource]:
    """The papers that can be read, the latest first, as resources of their own."""
    there = [paper for paper in library.papers() if paper.state != "failed"]
    return [
        Resource(
            uri=f"quire://papers/{paper.id}",
            name=paper.file_name[:200],
            title=paper.name[:200],
            description=", ".join((*paper.authors[:3], str(paper.year or "")))[:300],
            mime_type="text/markdown",
        )
        for paper in there[::-1][:_LISTED]
    ]


def _card(library: Library, name: str) -> str:
    told = results.outline(library.contents(name))
    lines = [f"# {told.title or name}", "", ", ".join(told.authors), "", f"- id: {told.paper}"]
    lines += [f"- year: {told.year or 'unknown'}", f"- pages: {told.pages}"]
    lines += [f"- DOI: {told.doi}"] * bool(told.doi)
    lines += ["", told.abstract, "", "## Sections", ""]
    for one in told.sections:
        title = one.title.lstrip()
        lines.append(f"{one.title[: -len(title)]}- {title} (page {one.page})")
    return "\n".join(lines)


def _telling(read: Callable[..., Any]) -> Callable[..., Any]:
    """The reader of a resource, with quire's own errors told to the agent."""

    @functools.wraps(read)
    def told(*args: Any, **kwargs: Any) -> Any:
        try:
            return read(*args, **kwargs)
        except PaperNotFound as error:
            raise ResourceNotFoundError(in_tools(error)) from error
        except QuireError as error:
            raise ResourceError(in_tools(error)) from error

    return told
