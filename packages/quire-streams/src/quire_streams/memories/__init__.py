"""What a stream keeps of past attempts and shows again: none, fixed, window, retrieved, playbook.

A memory is built from `Parts`: a durable store (SQLite, several processes may write), an encoder, and three
small functions that say what may be recalled, by whom (`admission`), and how it is shown (`rendering`).
Methods name them; no memory knows which method it serves.
"""

from quire.registry import Registry
from quire_streams.memories.admission import ADMISSIONS, READERS
from quire_streams.memories.protocol import Parts, StreamMemory
from quire_streams.memories.rendering import RENDERERS

MEMORIES = Registry(
    "memory",
    {
        "none": "quire_streams.memories.fixed:NoMemory",
        "fixed": "quire_streams.memories.fixed:FixedMemory",
        "window": "quire_streams.memories.window:WindowMemory",
        "retrieved": "quire_streams.memories.retrieved:RetrievedMemory",
        "playbook": "quire_streams.memories.playbook:PlaybookMemory",
    },
    "quire.memories",
)

__all__ = ["ADMISSIONS", "MEMORIES", "READERS", "RENDERERS", "StreamMemory", "Parts"]
