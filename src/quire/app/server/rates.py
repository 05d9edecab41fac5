"""How often somebody may come: a bucket of so many requests each, filled up again all the time.

rates = Rates(burst=200, per_second=40)
rates.take("ann")        # False: the bucket is empty
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

_MOST = 10_000  # names that are remembered; who is forgotten begins with a full bucket


class Rates:
    """Buckets by name. Thread-safe, bounded in memory."""

    def __init__(self, burst: float, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._burst, self._per_second, self._clock = burst, per_second, clock
        self._guard = threading.Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # what was left, and when

    def take(self, name: str, cost: float = 1.0) -> bool:
        """Take from a bucket; False, and nothing taken, if there is too little in it."""
        with self._guard:
            left, now = self._left(name)
            if left < cost:
                return False
            self._buckets[name] = (left - cost, now)
            self._buckets.move_to_end(name)
            while len(self._buckets) > _MOST:
                self._buckets.popitem(last=False)
            return True

    def empty(self, name: str) -> bool:
        """Whether nothing could be taken now."""
        with self._guard:
            return self._left(name)[0] < 1.0

    def _left(self, name: str) -> tuple[float, float]:
        now = self._clock()
        left, since = self._buckets.get(name, (self._burst, now))
        return min(self._burst, left + (now - since) * self._per_second), now
