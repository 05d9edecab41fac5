"""The table of action formats, and writing a call in one of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quire.ask.arguments import plain
from quire.ask.formats.base import python_value
from quire.errors import ActionError
from quire.registry import Registry
from quire.types import Call

FORMATS = Registry(
    "action format",
    {
        "markdown": "quire.ask.formats.markdown:Markdown",
        "json": "quire.ask.formats.json_object:JsonObject",
        "tools": "quire.ask.formats.json_object:ToolCallFormat",  # how a native call is shown as text
    },
)


def render_call(call: Call, format: str = "markdown") -> str:
    """The call as text that `parse_reply` reads back to the same call."""
    return str(FORMATS.load(format)().render(call))


def tool_call(name: str, arguments: str | Mapping[str, Any]) -> Call:
    """The call that a native tool call means; `arguments` is its JSON text.

    Raises:
        ActionError: the arguments are not a JSON object.
    """
    value: Any = arguments
    if isinstance(arguments, str):
        try:
            value = python_value(arguments) if arguments.strip() else {}
        except ValueError:
            value = None
    if not isinstance(value, Mapping):
        raise ActionError(
            f"The arguments of {name} are not a JSON object: {str(arguments)[:120]}",
            hint='Write them like {"query": "dropout", "limit": 4}.',
        )
    return Call(name, {str(key): plain(each) for key, each in value.items()})
