"""What goes wrong in a tool, told to the agent: quire's own errors with their hints, in names of tools."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.mcpserver.exceptions import ToolError

from quire.errors import QuireError

_SHELL = re.compile(r"`quire ([a-z-]{1,20})\b[^`]{0,200}`")
_TOOLS = {  # what the shell's verbs are called here
    "status": "`list_papers`",
    "schema": "`schema`",
    "search": "`search`",
    "ask": "`ask`",
    "show": "`ask`",
    "verdict": "`verdict`",
    "page": "`view_page`",
}


def telling(tool: Callable[..., Any], limiter: anyio.CapacityLimiter) -> Callable[..., Any]:
    """The tool, with quire's own errors told to the agent, hints included; a few at once, off the loop."""
    if inspect.iscoroutinefunction(tool):

        @functools.wraps(tool)
        async def later(*args: Any, **kwargs: Any) -> Any:
            with _errors_told():
                return await tool(*args, **kwargs)

        return later

    @functools.wraps(tool)
    async def now(*args: Any, **kwargs: Any) -> Any:
        with _errors_told():
            return await anyio.to_thread.run_sync(functools.partial(tool, *args, **kwargs), limiter=limiter)

    return now


def in_tools(error: QuireError) -> str:
    """An error as an agent is told it: by names of tools; what only the user's shell can do is said so."""
    told = _SHELL.sub(lambda found: _TOOLS.get(found[1], found[0]), f"{type(error).__name__}: {error}")
    return f"{told} (`quire ...` is for the user's shell.)" if _SHELL.search(told) else told


@contextmanager
def _errors_told() -> Iterator[None]:
    try:
        yield
    except QuireError as error:
        raise ToolError(in_tools(error)) from error
    except OSError as error:
        raise ToolError(f"The disk or network refuses: {error.strerror or error}.") from error
