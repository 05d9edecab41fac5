"""A folder that holds PDFs, rows and vectors, always consistent: add, remove, search, check, repair.

`library` is the door, `changes` its half that changes what is there. `adding` takes files in:
found (`finding`, `fetching`), copied (`intake`), parsed in children (`parsing`, `parse_child`), committed as
whole papers whenever the process may die; `encoding` follows. `searching` and `passages` make hits of what
the index found; `checking` checks and repairs; `papers`, `identity` and `ids` say which paper is which.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quire.registry import lazily

if TYPE_CHECKING:
    from quire.library.library import Library
    from quire.library.papers import Paper

__all__ = ["Library", "Paper"]

# Loaded on first use: the child that parses a PDF needs neither the library nor its database.
__getattr__ = lazily(__name__, {"Library": "library", "Paper": "papers"})
