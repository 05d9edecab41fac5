"""Displayed equations: where they stand (`finding`) and what they say in LaTeX (`latex`)."""

from quire.documents.equations.finding import find

__all__ = ["find"]
