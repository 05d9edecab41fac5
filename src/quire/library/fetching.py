"""PDFs from the network, only where the user names one: `arxiv:1706.03762`, `doi:10.1000/xyz`, `https://...`.

    with Fetcher(settings, folder / "downloads") as fetcher:
        fetcher.fetch("arxiv:1706.03762")       # -> downloads/arxiv-1706.03762.pdf

A DOI leads to its publisher's page; the PDF is the one that it names for machines (`citation_pdf_url`).
Where a page or a redirect leads must be on the open internet: only what the user (or a setting) names itself
may be on this machine or a private network. The time limit holds for all of one download.
"""

from __future__ import annotations

import re
import shutil
import time
from html import unescape
from pathlib import Path
from typing import Self
from urllib.parse import quote, unquote, urljoin, urlsplit

from quire import web
from quire.errors import DocumentError, OfflineError
from quire.settings import Settings

_ARXIV = re.compile(r"arxiv:\s*(?P<id>(\d{4}\.\d{4,5}|[a-z-]+(\.[A-Z]{2})?/\d{7})(v\d+)?)", re.IGNORECASE)
_DOI = re.compile(r"(?:doi:\s*|https?://(?:dx\.)?doi\.org/)(?P<doi>10\.\d{4,9}/\S{1,200})", re.IGNORECASE)
_OF_ARXIV = re.compile(r"10\.48550/arxiv\.(?P<id>\S+)", re.IGNORECASE)
_URL = re.compile(r"https?://\S+", re.IGNORECASE)
_META = re.compile(r"<meta\b[^>]{0,2000}>", re.IGNORECASE)
_CONTENT = re.compile(r"""content\s*=\s*["']([^"']{1,2000})["']""", re.IGNORECASE)
_HEAD = 1024  # bytes within which a PDF says that it is one
_PAGE = 2 << 20  # bytes of a page that is searched for the address of its PDF
_HOPS = 8  # redirects and pages on the way to a PDF
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_BY_HAND = "Download the PDF in your browser and add the file."


def remote(text: str) -> bool:
    """Whether a text names something in the network."""
    return any(pattern.fullmatch(text.strip()) for pattern in (_ARXIV, _DOI, _URL))


class Fetcher:
    """Downloads into a folder that is there until the block ends."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self._settings, self._folder = settings, folder

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def fetch(self, name: str) -> Path:
        """The PDF of that name, downloaded.

        Raises:
            OfflineError: quire runs offline.
            DocumentError: it cannot be had, is too large, or is no PDF.
        """
        if self._settings.offline:
            raise OfflineError(f"The address {name[:200]} was not fetched: quire runs offline.")
        name = name.strip()
        told = _DOI.fullmatch(name)
        paper = _ARXIV.fullmatch(name) or (_OF_ARXIV.fullmatch(told["doi"]) if told else None)
        settings = self._settings.fetch
        if paper:
            return self._pdf(settings.arxiv + quote(paper["id"]), f"arxiv-{paper['id']}", pages=0)
        if told:
            return self._pdf(settings.doi + quote(told["doi"]), f"doi-{told['doi']}")
        try:
            parts = urlsplit(name)
        except ValueError as error:
            raise DocumentError(f"`{name[:200]}` is no address of the web.") from error
        return self._pdf(name, unquote(Path(parts.path).name) or parts.netloc)

    def _pdf(self, address: str, name: str, *, pages: int = 1) -> Path:
        """The PDF at an address, or the one that a page there names, over at most so many pages."""
        deadline, own = time.monotonic() + self._settings.fetch.time_limit, address
        for _ in range(_HOPS):
            content, kind, onward = self._got(address, own, deadline)
            if b"%PDF-" in content[:_HEAD]:
                self._folder.mkdir(parents=True, exist_ok=True)
                stem = re.sub(r"[^\w.-]+", "-", name.removesuffix(".pdf"))[:100].strip(".-") or "paper"
                file = self._folder / f"{stem}.pdf"
                file.write_bytes(content)
                return file
            if not onward:
                onward, pages = (_named_pdf(content) if pages else ""), pages - 1
            if not onward:
                told = f"The address {address} gives no PDF but {kind or 'something else'}."
                raise DocumentError(told, hint=_BY_HAND)
            try:
                address = urljoin(address, onward)
            except ValueError as error:
                raise DocumentError(f"`{onward[:200]}` is no address of the web.") from error
        raise DocumentError(f"The address {own} leads on without end.", hint=_BY_HAND)

    def _got(self, address: str, own: str, deadline: float) -> tuple[bytes, str, str]:
        """What an address gives, what it says that this is, and where it sends one instead."""
        settings = self._settings.fetch
        try:
            with web.opened(
                "GET",
                address,
                {"User-Agent": "quire (reader of papers)", "Accept": "application/pdf, text/html;q=0.5"},
                seconds=deadline - time.monotonic(),
                most=settings.max_mb << 20,
                public=web.origin(address) != web.origin(own),
            ) as answer:
                if answer.status in _REDIRECTS and (onward := answer.headers.get("Location")):
                    return b"", "", onward
                if answer.status != 200:
                    told = f"The address {address} answers {answer.status} ({answer.reason})."
                    raise DocumentError(told)
                kind = (answer.headers.get("Content-Type") or "").partition(";")[0].strip()
                return b"".join(answer.pieces()), kind, ""
        except web.TooLarge as error:
            raise DocumentError(f"The address {address} has more than {settings.max_mb} MB.") from error
        except web.TooSlow as error:
            told = f"The address {address} takes more than {settings.time_limit:g} seconds."
            raise DocumentError(told, hint="Raise fetch.time_limit.") from error
        except web.NotPublic as error:
            told = f"The address {own} leads to {address}, which is not of the open internet: not followed."
            raise DocumentError(told, hint="If you mean it, name that address yourself.") from error
        except web.WebError as error:
            raise DocumentError(f"The address {address} cannot be reached: {error}.") from error


def _named_pdf(page: bytes) -> str:
    """The address of the PDF that a page names for machines; "" if it names none."""
    for tag in _META.findall(page[:_PAGE].decode("utf-8", "replace")):
        if "citation_pdf_url" in tag.lower() and (content := _CONTENT.search(tag)):
            return unescape(content[1])
    return ""
