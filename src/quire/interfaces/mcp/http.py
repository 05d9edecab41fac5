"""`/mcp` of `quire serve`: the same tools over streamable HTTP, behind the server's own door.

    agents = routes(library)
    app.router.routes.extend(agents.routes)
    async with agents.running(): ...

Every request stands alone (no sessions), so a server that starts again is not noticed. Who calls is whom the
server let in: keys need the scope that a tool needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.routing import BaseRoute

from quire.build import Library
from quire.interfaces.mcp.server import build
from quire.interfaces.mcp.tools import Visitor

_SCOPES = ("read", "ask", "write")  # each allows what is before it, too


@dataclass(frozen=True)
class Agents:
    """The routes, and what has to run while they are served."""

    routes: Sequence[BaseRoute]
    _server: MCPServer[Any]

    def running(self) -> AbstractAsyncContextManager[None]:
        """Serve requests until the block ends; once."""
        return self._server.session_manager.run()


def routes(library: Library) -> Agents:
    """`/mcp` over a library."""
    server = build(library, visiting=_visitor)
    # The server's own door checks Host and Origin, by the names that its owner gave it.
    checked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    app = server.streamable_http_app(stateless_http=True, transport_security=checked)
    return Agents(app.routes, server)


def _visitor(context: Context[Any, Any]) -> Visitor:
    request: Any = context.request_context.request
    caller = request.state.caller
    scopes = _SCOPES[: _SCOPES.index(caller.scope) + 1] if caller else ()
    return Visitor(caller.name if caller else "", scopes, str(request.base_url).rstrip("/"))
