"""Messages between processes: eight bytes of length, then the bytes.

Example: `send(1, b"abc")` here is `receive(0, most=1000, seconds=5) == b"abc"` there.
"""

from __future__ import annotations

import os
import select
import time

_PIECE = 1 << 20


def send(descriptor: int, data: bytes) -> None:
    """Write one message."""
    view = memoryview(len(data).to_bytes(8, "big") + data)
    while view:
        view = view[os.write(descriptor, view[:_PIECE]) :]


def receive(descriptor: int, *, most: int, seconds: float) -> bytes:
    """Read one message.

    Raises:
        EOFError: the other side has closed.
        TimeoutError: it did not arrive in time.
        ValueError: it would be longer than `most` bytes.
    """
    until = time.monotonic() + seconds
    size = int.from_bytes(_exactly(descriptor, 8, until), "big")
    if size > most:
        raise ValueError(f"a message of {size} bytes")
    return _exactly(descriptor, size, until)


def _exactly(descriptor: int, size: int, until: float) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        left = until - time.monotonic()
        if left <= 0 or not select.select([descriptor], [], [], left)[0]:
            raise TimeoutError("no answer in time")
        part = os.read(descriptor, min(_PIECE, size - len(parts)))
        if not part:
            raise EOFError("the other side has closed")
        parts += part
    return bytes(parts)
