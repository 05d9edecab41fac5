"""What an agent is shown of rows: a text format, cut at row borders, that tells how much there is in all."""

from __future__ import annotations

from quire.environment.observations.layouts import LAYOUTS
from quire.environment.observations.rows import show_rows
from quire.models.token_estimate import estimate_tokens

__all__ = ["LAYOUTS", "estimate_tokens", "show_rows"]
