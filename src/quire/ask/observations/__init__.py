"""What an agent is shown of rows: a text format, cut at row borders, that tells how much there is in all."""

from __future__ import annotations

from quire.ask.observations.layouts import LAYOUTS
from quire.ask.observations.rows import show_rows
from quire.llm.messages import estimate_tokens

__all__ = ["LAYOUTS", "estimate_tokens", "show_rows"]
