"""Displayed equations: where they stand (`columns`, then `finding`) and what they say in LaTeX (`latex`)."""

from quire.pdf.equations.finding import find

__all__ = ["find"]
