"""Summaries by a language model: tldr, tags, pages, sections, tables and figures.

    todo = plan(library, model)                             # papers whose summaries are not this model's
    estimate(todo, model, see)                              # Estimate(requests=120, dollars=0.031, ...)
    summarise(library, todo, model, see, on_progress=print) # SummaryReport(papers=("5fe5...",), stopped="")

Short texts go several to a request, requests run side by side within the limits of the model, replies are
cached by the model. A paper's summaries are committed together, with their entries, and the paper remembers
who wrote them: stopped at any moment, the next call does what is left. A text that is no longer than a
summary is left as it is; figures are summarised only by a model that sees; what a model declines or garbles
keeps its extractive summary.
"""

from __future__ import annotations

from quire.library.summaries.planning import PaperSummaries, SummaryCell, plan
from quire.library.summaries.requests import Estimate, estimate
from quire.library.summaries.writing import SummaryReport, summarise

__all__ = ["Estimate", "SummaryCell", "SummaryReport", "PaperSummaries", "estimate", "plan", "summarise"]
