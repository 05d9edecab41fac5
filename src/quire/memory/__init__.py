"""What is kept of past attempts and shown again.

`store` keeps experiences (SQLite, several processes may write), `matrix` and `codes` find the nearest by an
encoder of `encoders`. What people judged in a library is in `verdicts`, `items`, `same_question` and
`searches`. Memories of streams are put together by `quire_streams.memories`.
"""

from quire.memory.encoders import HashEncoder, TextEncoder
from quire.memory.store import MemoryStore

__all__ = ["TextEncoder", "HashEncoder", "MemoryStore"]
