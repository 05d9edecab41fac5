"""One file over HTTP: goes on where it was cut, and is kept only if it is the file that was asked for.

    download(url, Path("data/a.zip"), size=123, listen=print)

Bytes come into `a.zip.part`; a later call goes on from there if the server still has the same file (its ETag
or date), else from the start. A web page in place of the file (a confirmation, a login), a wrong size, and a
file that is not of the kind that its name says are errors that say what to do.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from quire.errors import TaskError

_SECONDS = 60
_CHUNK = 1 << 20
_TRIES = 4
_BEYOND = 416  # the HTTP status for a range that the file does not have
_PAGE = (b"<!doctype html", b"<html")


@dataclass(frozen=True, slots=True)
class Transfer:
    """How far a download is: bytes so far and in all (0: not told)."""

    name: str
    done: int
    total: int


def download(url: str, target: Path, size: int = 0, listen: Callable[[Transfer], None] | None = None) -> None:
    """Fetch the file; `size` in bytes, 0 if it is not known. Connections that break are taken up again.

    Raises:
        TaskError: the place cannot be reached, or gives something else. What came is kept for the next try
            where that makes sense.
    """
    part = target.with_name(target.name + ".part")
    for attempt in range(1, _TRIES + 1):
        before = _length(part)
        try:
            _receive(url, part, size, listen or (lambda transfer: None))
            break
        except HTTPError as error:
            error.close()
            if error.code != _BEYOND or not before:
                raise TaskError(f"Cannot fetch {url}: {error}.", hint=_advice(error.code, part)) from error
            part.unlink()  # longer than the file is now: from the start
        except (URLError, HTTPException, OSError) as error:
            if attempt == _TRIES or _length(part) <= before:
                raise TaskError(f"Cannot fetch {url}: {error}.", hint=_advice(0, part)) from error
    _check(url, part, target)
    part.replace(target)
    _mark(part).unlink(missing_ok=True)


def _receive(url: str, part: Path, size: int, listen: Callable[[Transfer], None]) -> None:
    name, mark = part.name.removesuffix(".part"), _mark(part)
    known, version = _length(part), mark.read_text("utf-8", "replace") if mark.exists() else ""
    headers = {"User-Agent": "quire"}
    if known and version and version.isascii() and version.isprintable():
        headers |= {"Range": f"bytes={known}-", "If-Range": version}
    with urlopen(Request(url, headers=headers), timeout=_SECONDS) as reply:
        if reply.headers.get_content_type() == "text/html" and not name.endswith(".html"):
            raise TaskError(f"{url} gave a web page, not the file.", hint=_by_hand(url))
        done = known if reply.status == 206 else 0
        length = int(reply.headers.get("Content-Length") or 0)
        total = done + length if length else 0
        if size and total and total != size:
            raise TaskError(f"{url} is not what it was: {total} bytes, expected {size}.")
        etag = reply.headers.get("ETag") or ""
        strong = etag and not etag.startswith("W/")  # after a weak one nothing can be taken up again
        mark.write_text(etag if strong else reply.headers.get("Last-Modified") or "", encoding="utf-8")
        with part.open("ab" if done else "wb") as file:
            while chunk := reply.read(_CHUNK):
                file.write(chunk)
                done += len(chunk)
                listen(Transfer(name, done, total or size))
    expected = total or size
    if expected and done < expected:
        raise ConnectionError(f"cut after {done} of {expected} bytes")
    if expected and done > expected:
        part.unlink()
        raise TaskError(f"{url} is not what it was: {done} bytes, expected {expected}.")


def _mark(part: Path) -> Path:
    """Where the version of the file that is on its way is written, as the server told it."""
    return part.with_name(part.name + ".version")


def _length(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _advice(code: int, part: Path) -> str:
    if code in (401, 403):
        return "The place asks for a login; get the file in a browser and use `quire tasks import`."
    kept = _length(part)
    return f"{kept} bytes are kept; call it again to go on." if kept else ""


def _by_hand(url: str) -> str:
    return f"Open {url} in a browser, confirm, and give the file to `quire tasks import`."


def _check(url: str, part: Path, target: Path) -> None:
    """Whether the file is of the kind that its name says.

    Raises:
        TaskError: it is not; it is kept with the ending `.refused`.
    """
    with part.open("rb") as file:
        head = file.read(512).lstrip()
        file.seek(max(part.stat().st_size - 4, 0))
        tail = file.read(4)
    if head.lower().startswith(_PAGE):
        problem, hint = "a web page, not the file", _by_hand(url)
    elif target.suffix == ".zip" and not zipfile.is_zipfile(part):
        problem, hint = "no zip file", ""
    elif target.suffix == ".parquet" and not (head.startswith(b"PAR1") and tail == b"PAR1"):
        problem, hint = "no parquet file", ""
    elif target.suffix in (".json", ".jsonl") and not head.startswith((b"{", b"[")):
        problem, hint = "no JSON", ""
    else:
        return
    refused = target.with_name(target.name + ".refused")
    part.replace(refused)
    _mark(part).unlink(missing_ok=True)
    raise TaskError(f"{url} gave {problem}; it is kept as {refused.name}.", hint=hint)
