"""What is kept of past attempts and shown again: none, fixed, window, retrieved, playbook.

A memory is built from `Parts`: a durable store (SQLite, several processes may write), an encoder, and three
small functions that say what may be recalled, by whom (`admission`), and how it is shown (`rendering`).
Methods name them; no memory knows which method it serves. `store` keeps experiences, `matrix` and `codes`
find the nearest. What people judged in a library is in `verdicts`, `items`, `same_question`, `searches` and
`curve`; `portable` takes it elsewhere.
"""

from quire.memory.admission import ADMISSIONS, READERS
from quire.memory.hashing import HashEncoder
from quire.memory.protocol import Encoder, Memory, Parts
from quire.memory.rendering import RENDERERS, approximate_tokens
from quire.memory.store import MemoryStore
from quire.registry import Registry

MEMORIES = Registry(
    "memory",
    {
        "none": "quire.memory.fixed:NoMemory",
        "fixed": "quire.memory.fixed:FixedMemory",
        "window": "quire.memory.window:WindowMemory",
        "retrieved": "quire.memory.retrieved:RetrievedMemory",
        "playbook": "quire.memory.playbook:PlaybookMemory",
    },
    "quire.memories",
)

__all__ = [
    "ADMISSIONS",
    "MEMORIES",
    "READERS",
    "RENDERERS",
    "Encoder",
    "HashEncoder",
    "Memory",
    "MemoryStore",
    "Parts",
    "approximate_tokens",
]
