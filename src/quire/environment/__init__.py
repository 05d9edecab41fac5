"""What an agent may do to a library: actions, their text formats, and the observations that come back.

env = Environment(library)
reply = parse_reply('[Action]: ClassicRetrieve(query="dropout")', env.actions)
env.run(reply.call)

`actions/` has a file for each action, `arguments` checks a call's; `formats/` reads calls out of what a
model wrote, `specification` tells it how; `observations/` shows rows, `hints` says why there are none.
`searching`, `viewing` and `arithmetic` do the work; `readable` is all that is needed of a library, `double`
one in memory.
"""

from __future__ import annotations

from quire.environment.actions import ACTIONS, Action, load_actions
from quire.environment.environment import Environment, failed
from quire.environment.formats import FORMATS, Reply, parse_reply, render_call, tool_call
from quire.environment.readable import Readable
from quire.environment.specification import specification, tool_schemas

__all__ = [
    "ACTIONS",
    "FORMATS",
    "Action",
    "Environment",
    "Readable",
    "Reply",
    "failed",
    "load_actions",
    "parse_reply",
    "render_call",
    "specification",
    "tool_call",
    "tool_schemas",
]
