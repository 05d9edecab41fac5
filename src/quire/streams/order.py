"""In which order a stream comes: shuffled by a seed, cut to a limit, or grouped by a field."""

from __future__ import annotations

import random
from collections.abc import Sequence

from quire.errors import TaskError
from quire.types import Instance


def ordered(
    instances: Sequence[Instance], seed: int, shift: str = "", limit: int = 0, order: str = "shuffled"
) -> list[Instance]:
    """The stream.

    The shuffle comes first and the limit second, so that a short run is a prefix of the long one. Seed 0 of
    the "published" order is not shuffled. A `shift` then brings instances of the same value together, the
    groups in the order of their values, each group in the order before.

    Raises:
        TaskError: the instances have no such field.
    """
    stream = list(instances)
    if seed or order != "published":
        random.Random(f"order/{seed}").shuffle(stream)
    if limit:
        stream = stream[:limit]
    if shift:
        known = sorted({name for one in stream for name in one.fields})
        if any(shift not in one.fields for one in stream):
            raise TaskError(f"Instances have no field `{shift}`.", hint=f"Fields: {', '.join(known)}.")
        stream.sort(key=lambda one: one.fields[shift])
    return stream
