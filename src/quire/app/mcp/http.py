"""`/mcp` of `quire serve`: the same tools over streamable HTTP, behind the server's own door.

    agents = Agents(library)
    app.router.routes.append(agents.route)
    async with agents.running(): ...

Every request stands alone (no sessions), so a server that starts again is not noticed. Who calls is whom the
server let in: keys need the scope that a tool needs. The protocol's package is loaded when the first agent
comes, as that takes a second.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
from anyio.abc import TaskGroup, TaskStatus
from anyio.to_thread import run_sync
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from quire.build import Library

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context, MCPServer

    from quire.app.mcp.tools import Visitor


class Agents:
    """`/mcp` over a library, while `running`."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._app: ASGIApp | None = None
        self._tasks: TaskGroup | None = None
        self._starting = anyio.Lock()
        # No GET: without sessions nobody has anything to say in the stream that it would hold open.
        self.route = Route("/mcp", endpoint=self, methods=["POST", "DELETE"])

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve requests until the block ends."""
        async with anyio.create_task_group() as self._tasks:
            yield
            self._tasks.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        async with self._starting:
            app = self._app = self._app or await self._started()
        await app(scope, receive, send)

    async def _started(self) -> ASGIApp:
        assert self._tasks is not None, "not running"
        server, app = await run_sync(_built, self._library)
        await self._tasks.start(_run, server)
        return app


async def _run(server: MCPServer[Any], *, task_status: TaskStatus[None]) -> None:
    async with server.session_manager.run():
        task_status.started()
        await anyio.sleep_forever()


def _built(library: Library) -> tuple[MCPServer[Any], ASGIApp]:
    from mcp.server.transport_security import TransportSecuritySettings

    from quire.app.mcp.server import build

    server = build(library, visiting=_visitor)
    # The server's own door checks Host and Origin, by the names that its owner gave it.
    checked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    return server, server.streamable_http_app(stateless_http=True, transport_security=checked)


def _visitor(context: Context[Any, Any]) -> Visitor:
    from quire.app.mcp.tools import Visitor
    from quire.app.server.access import address
    from quire.app.server.keys import SCOPES

    request: Any = context.request_context.request
    caller = request.state.caller
    scopes = SCOPES[: SCOPES.index(caller.scope) + 1] if caller else ()
    return Visitor(caller.name if caller else "", scopes, address(request), request.is_disconnected)
