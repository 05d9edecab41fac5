"""quire: ask a pile of PDFs, see where each answer stands on the page, and let it learn from verdicts.

    from quire import Library, parse

Everything else is in the rooms: `quire.types` for the values, `quire.errors` for the errors.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quire.build import Library
    from quire.library.converting import parse

# onnxruntime from 1.29 on reports to its maker and writes a device id unless this is set before it is loaded.
# It stands here because every way into quire, child processes too, comes by.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

__version__ = "0.2.0"
__all__ = ["Library", "__version__", "parse"]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    # Importing a room must not import them all: the library is looked up when it is asked for.
    if name == "Library":
        from quire.build import Library

        return Library
    if name == "parse":
        from quire.library.converting import parse

        return parse
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
