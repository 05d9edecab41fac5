"""What a stream keeps of past attempts and shows again: none, fixed, window, retrieved, playbook.

A memory is built from `Parts`: a durable store (SQLite, several processes may write), an encoder, and three
small functions that say what may be recalled, by whom, and how it is shown. Methods name them; no memory
knows which method it serves. `experiences` shows whole attempts again, `playbook` short lessons.
"""

from quire.registry import Registry
from quire_streams.memories.parts import ADMISSIONS, READERS, RENDERERS, Parts, StreamMemory

MEMORIES = Registry(
    "memory",
    {
        "none": "quire_streams.memories.experiences:NoMemory",
        "fixed": "quire_streams.memories.experiences:FixedMemory",
        "window": "quire_streams.memories.experiences:WindowMemory",
        "retrieved": "quire_streams.memories.experiences:RetrievedMemory",
        "playbook": "quire_streams.memories.playbook:PlaybookMemory",
    },
    "quire.memories",
)

__all__ = ["ADMISSIONS", "MEMORIES", "READERS", "RENDERERS", "StreamMemory", "Parts"]
