"""What is worth keeping in memory: page pictures and their words, the latest used, within a size."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable


class Kept:
    """Bytes by key. Thread-safe; two threads that want the same make it once."""

    def __init__(self, size: int) -> None:
        """`size` is in bytes, of all values together."""
        self._size, self._used = size, 0
        self._guard = threading.Lock()
        self._values: OrderedDict[str, bytes] = OrderedDict()
        self._making: dict[str, threading.Event] = {}

    def get(self, key: str, make: Callable[[], bytes]) -> bytes:
        """The value of a key, made if it is not kept. What `make` raises goes to the caller."""
        while True:
            with self._guard:
                if key in self._values:
                    self._values.move_to_end(key)
                    return self._values[key]
                others = self._making.get(key)
                if others is None:
                    self._making[key] = threading.Event()
                    break
            others.wait()
        try:
            value = make()
            self._keep(key, value)
            return value
        finally:
            with self._guard:
                self._making.pop(key).set()

    def _keep(self, key: str, value: bytes) -> None:
        with self._guard:
            self._values[key] = value
            self._used += len(value)
            while self._used > self._size:
                _, dropped = self._values.popitem(last=False)
                self._used -= len(dropped)
