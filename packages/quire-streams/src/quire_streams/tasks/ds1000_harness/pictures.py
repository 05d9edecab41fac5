"""PNG files of the working folder, which go from the candidate to the judge."""

from __future__ import annotations

from pathlib import Path

from .unpacking import NotData

LARGEST = 20 << 20  # bytes of a file that goes from one to the other
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def made() -> dict[str, bytes]:
    """Those that are there, by name."""
    found = {}
    for path in Path().glob("*.png"):
        if path.is_file() and path.stat().st_size < LARGEST:
            data = path.read_bytes()
            if data.startswith(_SIGNATURE):
                found[path.name] = data
    return found


def write(files: dict[str, bytes]) -> None:
    """Put what a candidate sent where its name says; files that are there stay as they are.

    Raises:
        NotData: a name leads elsewhere, or the bytes are no picture.
    """
    for name, data in files.items():
        target = Path(name)
        if target.name != name or target.suffix != ".png" or not data.startswith(_SIGNATURE):
            raise NotData(f"{name!r} is not a picture")
        if not target.exists():
            target.write_bytes(data)
