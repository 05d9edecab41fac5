"""What is kept of past attempts and shown again.

`store` keeps experiences (SQLite, several processes may write), `matrix` and `codes` find the nearest. What
people judged in a library is in `verdicts`, `items`, `same_question`, `searches` and `curve`; `portable`
takes it elsewhere. Memories of streams are put together from these parts by `quire_streams.memories`.
"""

from quire.memory.hashing import HashEncoder
from quire.memory.protocol import Encoder
from quire.memory.rendering import approximate_tokens
from quire.memory.store import MemoryStore

__all__ = ["Encoder", "HashEncoder", "MemoryStore", "approximate_tokens"]
