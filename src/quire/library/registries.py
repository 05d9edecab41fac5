"""What registries say of a paper: Crossref, OpenAlex, Semantic Scholar. Only when the user asks for it.

    registries = Registries(settings, folder / "cache")
    registries.proposed("crossref", told)      # Proposal(changes={"pub_year": (2016, 2017)}, ...) or None

Asked by DOI, else by title: then what comes counts only if its title is the same and an author or the year.
One request a second to each, with the address of `fetch.mailto` in it as they ask; answers are kept 30 days.
https://www.crossref.org/documentation/retrieve-metadata/rest-api/ · https://docs.openalex.org ·
https://api.semanticscholar.org/api-docs/graph
"""

from __future__ import annotations

import contextlib
import hashlib
import html
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from rapidfuzz import fuzz

from quire import jsontext, web
from quire.errors import DocumentError, OfflineError, UnknownNameError
from quire.library.converting import put
from quire.library.corrections import Said, Told, in_words
from quire.settings import Settings

_MOST = 4 << 20  # bytes of an answer
_KEPT = 30 * 86_400.0  # seconds
_LONGEST_WAIT = 60.0  # seconds, where a registry says how long
_ALIKE = 95.0  # of 100: two titles that are one
_TAGS = re.compile(r"<[^<>]{1,100}>")
_BARE = re.compile(r"[\W_]+")

Fields = dict[str, Said]


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a registry says otherwise: by column, what stands there and what it says."""

    source: str
    address: str
    changes: Mapping[str, tuple[Said, Said]]


@dataclass(frozen=True, slots=True)
class _Registry:
    """How one is asked, and how its answer reads."""

    by_doi: str
    by_title: str
    fields: Callable[[Any], Fields]


class Registries:
    """Asks registries, politely. Not thread-safe."""

    def __init__(self, settings: Settings, cache: Path) -> None:
        self._settings, self._cache = settings, cache / "registries"
        self._last: dict[str, float] = {}

    def proposed(self, source: str, told: Sequence[Told]) -> Proposal | None:
        """What a registry says of a paper that stands otherwise; None if it does not know the paper.

        What a user has corrected is left alone.

        Raises:
            OfflineError: quire runs offline.
            UnknownNameError: there is no such registry.
            DocumentError: it cannot be reached or its answer makes no sense.
        """
        if source not in REGISTRIES:
            raise UnknownNameError(
                f"There is no registry `{source}`.", hint=f"Choose from: {', '.join(REGISTRIES)}."
            )
        known = {one.field: one.value for one in told}
        for address in self._addresses(source, known):
            for found in self._works(source, address):
                if _is_same(known, found):
                    return Proposal(source, address, _changes(told, found))
        return None

    def _addresses(self, source: str, known: Mapping[str, Said]) -> Iterator[str]:
        registry, base = REGISTRIES[source], getattr(self._settings.fetch, source).rstrip("/")
        mail = {"mailto": self._settings.fetch.mailto} if self._settings.fetch.mailto else {}
        if doi := str(known.get("doi") or ""):
            yield _joined(base + registry.by_doi.format(quote(doi, safe="/")), mail)
        if title := str(known.get("title") or ""):
            yield _joined(base + registry.by_title.format(quote(title)), mail)

    def _works(self, source: str, address: str) -> list[Fields]:
        kept = self._cache / f"{hashlib.sha256(address.encode()).hexdigest()}.json"
        with contextlib.suppress(OSError, ValueError, DocumentError):  # not kept, or damaged: asked again
            if time.time() - kept.stat().st_mtime < _KEPT:
                return _read(source, jsontext.read(kept))
        answer = self._asked(source, address)
        found = _read(source, answer)
        put(kept, json.dumps(answer).encode())
        return found

    def _asked(self, source: str, address: str) -> Any:
        if self._settings.offline:
            raise OfflineError(f"The address {address} was not asked: quire runs offline.")
        settings = self._settings.fetch
        agent = "quire (reader of papers" + (f"; mailto:{settings.mailto})" if settings.mailto else ")")
        heads = {"User-Agent": agent, "Accept": "application/json"}
        for patience in (True, False):
            time.sleep(max(0.0, self._last.get(source, 0.0) + settings.pause - time.monotonic()))
            self._last[source] = time.monotonic()
            try:
                with web.opened("GET", address, heads, seconds=settings.time_limit, most=_MOST) as answer:
                    told = answer.headers.get("Retry-After") or ""
                    status, content = answer.status, b"".join(answer.pieces())
            except web.WebError as error:
                raise DocumentError(f"The address {address} cannot be reached: {error}.") from error
            if status == 200:
                try:
                    return jsontext.loads(content)
                except ValueError as error:
                    raise DocumentError(f"What {source} answers is no JSON.") from error
            if status == 404:
                return {}
            if status not in (429, 503) or not patience:
                raise DocumentError(f"{source} answers {status}.", hint="Try again later.")
            time.sleep(min(_LONGEST_WAIT, float(told) if re.fullmatch(r"\d{1,4}", told) else 1.0))
        raise AssertionError


def _read(source: str, answer: Any) -> list[Fields]:
    """The works of an answer.

    Raises:
        DocumentError: it makes no sense.
    """
    registry = REGISTRIES[source]
    try:
        works = [registry.fields(work) for work in _works_of(answer)]
    except (TypeError, AttributeError, LookupError, ValueError) as error:
        raise DocumentError(f"What {source} answers makes no sense.") from error
    return [{name: value for name, value in work.items() if value} for work in works]


def _joined(address: str, parameters: Mapping[str, str]) -> str:
    return address + (("&" if "?" in address else "?") + urlencode(parameters) if parameters else "")


def _bare(value: Said) -> str:
    return _BARE.sub("", in_words(value).casefold())


def _is_same(known: Mapping[str, Said], found: Fields) -> bool:
    """The DOI is the same, or the title and besides an author or the year."""
    if known.get("doi") and _bare(known["doi"]) == _bare(found.get("doi")):
        return True
    if fuzz.ratio(_bare(known.get("title")), _bare(found.get("title"))) < _ALIKE:
        return False
    names = [
        {str(name).split()[-1].casefold() for name in who if str(name).split()}
        for who in (known.get("authors") or [], found.get("authors") or [])
        if isinstance(who, list)
    ]
    authors = len(names) == 2 and bool(names[0] & names[1])
    return authors or known.get("pub_year") == found.get("pub_year")


def _changes(told: Sequence[Told], found: Fields) -> dict[str, tuple[Said, Said]]:
    return {
        one.field: (one.value, found[one.field])
        for one in told
        if one.field in found and not one.corrected and _bare(one.value) != _bare(found[one.field])
    }


def _clean(value: Any) -> str:
    """Text of a registry: they keep some of it as XML."""
    return " ".join(html.unescape(_TAGS.sub("", str(value or ""))).split())


def _first(values: Any) -> Any:
    return values[0] if isinstance(values, list) and values else None


def _pages(text: Any) -> tuple[str, str]:
    first, _, last = str(text or "").replace("–", "-").partition("-")
    return first.strip(), last.strip()


def _crossref(work: Any) -> Fields:
    first, last = _pages(work.get("page"))
    dates = (work.get("issued") or {}).get("date-parts") or [[None]]
    names = [f"{one.get('given', '')} {one.get('family', '')}".strip() for one in work.get("author") or []]
    return {
        "title": _clean(_first(work.get("title"))),
        "authors": [_clean(name) for name in names if name],
        "pub_year": _year(_first(_first(dates))),
        "journal": _clean(_first(work.get("container-title"))),
        "volume": _clean(work.get("volume")),
        "issue": _clean(work.get("issue")),
        "first_page": first,
        "last_page": last,
        "publisher": _clean(work.get("publisher")),
        "doi": _clean(work.get("DOI")).lower(),
    }


def _openalex(work: Any) -> Fields:
    place = (work.get("primary_location") or {}).get("source") or {}
    printed = work.get("biblio") or {}
    names = [(one.get("author") or {}).get("display_name") for one in work.get("authorships") or []]
    return {
        "title": _clean(work.get("title")),
        "authors": [_clean(name) for name in names if name],
        "pub_year": _year(work.get("publication_year")),
        "journal": _clean(place.get("display_name")),
        "volume": _clean(printed.get("volume")),
        "issue": _clean(printed.get("issue")),
        "first_page": _clean(printed.get("first_page")),
        "last_page": _clean(printed.get("last_page")),
        "publisher": _clean(place.get("host_organization_name")),
        "doi": _clean(work.get("doi")).lower().removeprefix("https://doi.org/"),
    }


def _semantic_scholar(work: Any) -> Fields:
    ids, journal = work.get("externalIds") or {}, work.get("journal") or {}
    first, last = _pages(journal.get("pages"))
    return {
        "title": _clean(work.get("title")),
        "authors": [_clean(one.get("name")) for one in work.get("authors") or [] if one.get("name")],
        "pub_year": _year(work.get("year")),
        "journal": _clean(journal.get("name") or work.get("venue")),
        "volume": _clean(journal.get("volume")),
        "first_page": first,
        "last_page": last,
        "doi": _clean(ids.get("DOI")).lower(),
        "arxiv_id": _clean(ids.get("ArXiv")),
    }


def _year(value: Any) -> int | None:
    return value if isinstance(value, int) and 1000 <= value < 3000 else None


def _works_of(answer: Any) -> list[Any]:
    """The one work that an answer is, or those that it lists, wherever the registry puts them."""
    for name in ("message", "results", "data", "items"):
        if isinstance(answer, dict) and name in answer:
            return _works_of(answer[name])
    return [work for work in (answer if isinstance(answer, list) else [answer]) if isinstance(work, dict)]


_SCHOLAR = "fields=title,year,authors,venue,journal,externalIds"
REGISTRIES = {
    "crossref": _Registry("/works/{}", "/works?rows=3&query.bibliographic={}", _crossref),
    "openalex": _Registry("/works/doi:{}", "/works?per-page=3&search={}", _openalex),
    "semantic_scholar": _Registry(
        f"/graph/v1/paper/DOI:{{}}?{_SCHOLAR}",
        f"/graph/v1/paper/search?limit=3&{_SCHOLAR}&query={{}}",
        _semantic_scholar,
    ),
}
"""The registries that can be asked; their addresses are settings of `fetch`."""
