"""The library's copy of an encrypted PDF is kept decrypted, so that its pages can be drawn later.

Its text stands readable in the library's rows anyway, and the password is not kept anywhere.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

_REMOVE_SECURITY = 3  # pdfium's FPDF_REMOVE_SECURITY


def unlocked(copy: Path, password: str | None) -> str:
    """Decrypt a copy in place if it needs the password; gives its SHA-256."""
    if password is not None and _needs_password(copy):
        import pypdfium2

        part = copy.with_suffix(".part")
        with pypdfium2.PdfDocument(copy, password=password) as document, part.open("wb") as target:
            document.save(target, flags=_REMOVE_SECURITY)
        part.replace(copy)
    with copy.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _needs_password(path: Path) -> bool:
    import pypdfium2

    try:
        pypdfium2.PdfDocument(path).close()
    except pypdfium2.PdfiumError:
        return True
    return False
