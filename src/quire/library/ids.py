"""Ids: UUIDv5 of content that does not change, so the same PDF has the same ids in every library.

paper_id(sha256)                     ->  "5fe57755-14f1-5ee7-a4b4-ecaba6827045"
element_id(paper, "chunks", 3, 0)    # the first chunk of page 3
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
import uuid
from collections.abc import Sequence

ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")  # as they are written
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "quire.library")


def paper_id(sha256: str) -> str:
    """Id of a paper, from the SHA-256 of its file."""
    return str(uuid.uuid5(_NAMESPACE, f"sha256:{sha256}"))


def unread_id(path: str) -> str:
    """Id of a file whose content could not be read, from its place."""
    return str(uuid.uuid5(_NAMESPACE, f"path:{path}"))


def page_id(paper: str, number: int) -> str:
    """Id of a page."""
    return str(uuid.uuid5(uuid.UUID(paper), f"pages/{number}"))


def element_id(paper: str, table: str, page: int, ordinal: int) -> str:
    """Id of an element by its table, page (0 where numbers run through the paper) and number."""
    return str(uuid.uuid5(uuid.UUID(paper), f"{table}/{page}/{ordinal}"))


def content_id(paper: str, said: Sequence[str], number: int) -> str:
    """Id of an element by what it says and where, and its number among those that say the same."""
    digest = hashlib.sha256("\0".join(said).encode("utf-8", "replace")).hexdigest()
    return str(uuid.uuid5(uuid.UUID(paper), f"content/{digest}/{number}"))


def title_key(title: str) -> str:
    """A title without case, accents, blanks and signs; "" if too little is left to tell papers apart."""
    plain = unicodedata.normalize("NFKD", title.lower())
    key = re.sub(r"[\W_]+", "", "".join(c for c in plain if not unicodedata.combining(c)))
    return key if len(key) >= 16 else ""
