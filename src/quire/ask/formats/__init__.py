"""Actions as text and back: markdown (a Python call), JSON, native tool calls."""

from __future__ import annotations

from quire.ask.formats.base import Format, Found
from quire.ask.formats.formats import FORMATS, render_call, tool_call
from quire.ask.formats.reply import Reply, parse_reply

__all__ = ["FORMATS", "Format", "Found", "Reply", "parse_reply", "render_call", "tool_call"]
