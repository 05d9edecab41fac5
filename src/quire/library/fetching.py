"""PDFs from the network, only where the user names one: `arxiv:1706.03762`, `doi:10.1000/xyz`, `https://...`.

    with Fetcher(settings, folder / "downloads") as fetcher:
        fetcher.fetch("arxiv:1706.03762")       # -> downloads/arxiv-1706.03762.pdf

A DOI leads to its publisher's page; the PDF is the one that it names for machines (`citation_pdf_url`).
"""

from __future__ import annotations

import re
import shutil
import urllib.error
import urllib.request
from html import unescape
from http.client import HTTPException
from pathlib import Path
from typing import Self
from urllib.parse import quote, unquote, urljoin, urlsplit

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
        name = name.strip()
        told = _DOI.fullmatch(name)
        paper = _ARXIV.fullmatch(name) or (_OF_ARXIV.fullmatch(told["doi"]) if told else None)
        settings = self._settings.fetch
        if paper:
            return self._pdf(settings.arxiv + quote(paper["id"]), f"arxiv-{paper['id']}")
        if told:
            return self._pdf(settings.doi + quote(told["doi"]), f"doi-{told['doi']}", follow=True)
        return self._pdf(name, unquote(Path(urlsplit(name).path).name) or urlsplit(name).netloc, follow=True)

    def _pdf(self, address: str, name: str, *, follow: bool = False) -> Path:
        content, kind = self._got(address)
        if b"%PDF-" in content[:_HEAD]:
            self._folder.mkdir(parents=True, exist_ok=True)
            stem = re.sub(r"[^\w.-]+", "-", name.removesuffix(".pdf"))[:100].strip(".-") or "paper"
            file = self._folder / f"{stem}.pdf"
            file.write_bytes(content)
            return file
        pdf = _named_pdf(content) if follow else ""
        if not pdf:
            hint = "Download the PDF in your browser and add the file."
            raise DocumentError(
                f"The address {address} gives no PDF but {kind or 'something else'}.", hint=hint
            )
        return self._pdf(urljoin(address, pdf), name)

    def _got(self, address: str) -> tuple[bytes, str]:
        """What an address gives, and what it says that this is."""
        if self._settings.offline:
            raise OfflineError(f"The address {address} was not fetched: quire runs offline.")
        if urlsplit(address).scheme.lower() not in ("http", "https"):
            raise DocumentError(f"`{address[:200]}` is no address of the web.")
        agent = {"User-Agent": "quire (reader of papers)", "Accept": "application/pdf, text/html;q=0.5"}
        settings = self._settings.fetch
        try:
            request = urllib.request.Request(address, headers=agent)
            with _opener().open(request, timeout=settings.time_limit) as answer:
                content = answer.read(settings.max_mb << 20)
                if answer.read(1):
                    raise DocumentError(f"The address {address} has more than {settings.max_mb} MB.")
                return content, answer.headers.get_content_type()
        except urllib.error.HTTPError as error:
            error.close()
            raise DocumentError(f"The address {address} answers {error.code} ({error.reason}).") from error
        except (OSError, HTTPException, ValueError) as error:
            said = getattr(error, "reason", error)
            raise DocumentError(f"The address {address} cannot be reached: {said}.") from error


class _Web(urllib.request.HTTPRedirectHandler):
    """Redirects stay in the web: no file and no other scheme is opened by one."""

    max_redirections = 8


def _opener() -> urllib.request.OpenerDirector:
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.UnknownHandler(),
        _Web(),
    ):
        opener.add_handler(handler)
    return opener


def _named_pdf(page: bytes) -> str:
    """The address of the PDF that a page names for machines; "" if it names none."""
    for tag in _META.findall(page[:_PAGE].decode("utf-8", "replace")):
        if "citation_pdf_url" in tag.lower() and (content := _CONTENT.search(tag)):
            return unescape(content[1])
    return ""
