"""What a piece of work took of all models together, whoever asked them and whether or not they answered.

    with spending() as spent:
        attempt = solver.solve(instance, shots)      # may raise half-way
    spent.usage

Holds for the requests of this thread, made through `quire.models.Model`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass

from quire.types import Usage


@dataclass
class Spent:
    """The sum so far."""

    usage: Usage = Usage()


_OPEN: ContextVar[tuple[Spent, ...]] = ContextVar("_OPEN", default=())


@contextlib.contextmanager
def spending() -> Iterator[Spent]:
    """Add up what is spent within the context; contexts may stand in each other."""
    spent = Spent()
    token = _OPEN.set((*_OPEN.get(), spent))
    try:
        yield spent
    finally:
        _OPEN.reset(token)


def spend(usage: Usage | None) -> None:
    """Count a request in every open context."""
    for spent in _OPEN.get():
        spent.usage += usage or Usage()
