"""DOI, arXiv id, e-mail addresses, keywords, year, venue and volume from the words of the first page."""

from __future__ import annotations

import re
from collections.abc import Sequence

_DOI = re.compile(r"\b(10\.\d{4,9}/[^\s\"<>]+)", re.IGNORECASE)
_ARXIV = re.compile(r"arxiv\s?:\s?(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?", re.IGNORECASE)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_GROUP = re.compile(r"[{(\[]\s*([\w.+-]+(?:\s?[,;|]\s?[\w.+-]+)+)\s*[})\]]\s?@\s?([\w-]+(?:\.[\w-]+)+)")
_KEYWORDS = re.compile(
    r"^(?:key\s?-?words?(?: and phrases)?|index terms|schlüsselwörter)\s*[.:—–-]*\s*(.*)$",
    re.IGNORECASE | re.DOTALL,
)
_YEARS = [
    re.compile(r"(?:©|\(c\)|copyright)\s*(?:©|\(c\))?\s*(?:by\s|the\s)?[^.\d\n]{0,40}?((?:19|"
        r"20)\d\d)", re.IGNORECASE),
    re.compile(r"\bvolume\s((?:19|20)\d\d),\s*article", re.IGNORECASE),
    re.compile(r"\bpublished(?: online)?:?\s[^.\n]{0,24}?((?:19|20)\d\d)", re.IGNORECASE),
    re.compile(r"(?:proceedings|conference|workshop|meeting|symposium|journal|transactions|eacl|acl|"
        r"emnlp|naacl|nips|neurips|icml|iclr|cvpr|iccv|coling)[^\n]{0,160}?\b((?:19|"
        r"20)\d\d)\b", re.IGNORECASE),
    re.compile(r"\b(?:vol(?:ume|\.)?|issue|no\.)\s?\d+[^\n]{0,40}?\b((?:19|20)\d\d)\b", re.IGNORECASE),
    re.compile(r"arxiv:[^\n]{5,40}?\b\d{1,2}\s\w{3}\s((?:19|20)\d\d)", re.IGNORECASE),
    re.compile(r"\b(?:january|february|march|april|may|june|july|august|september|october|november|"
        r"december)\s(?:\d{1,2},?\s)?((?:19|20)\d\d)\b", re.IGNORECASE),
    re.compile(r"\baccepted:?\s[^.\n]{0,24}?((?:19|20)\d\d)", re.IGNORECASE),
]  # fmt: skip
_SERIES = {
    "ACL": r"(?:annual meeting of the )?association for computational linguistics|^ACL \d{4}|"
    r"association of computational linguistics",
    "EACL": r"european chapter of the (?:acl|"
    r"association for computational)", "NAACL": r"north american chapter of the",
    "EMNLP": r"empirical methods in natural language", "COLING": r"conference on computational linguistics",
    "NeurIPS": r"neural information processing systems|\bneurips\b|"
    r"\bnips\b", "ICML": r"international conference on machine learning",
    "ICLR": r"conference on learning representations",
    "CVPR": r"computer vision and pattern recognition|\bcvpr\b",
    "ICCV": r"international conference on computer vision", "ECCV": r"european conference on computer vision",
    "AAAI": r"\baaai\b", "IJCAI": r"\bijcai\b", "SIGIR": r"\bsigir\b", "KDD": r"\bkdd\b", "PLDI": r"\bpldi\b",
    "CHI": r"\bCHI ['’]?\d\d", "WWW": r"\bWWW ['’]?\d{2,4}|the web conference",
}  # fmt: skip
_PROCEEDINGS = re.compile(
    r"((?:(?:findings of the|proceedings of(?: the)?)\s[^\n]{10,200}?|\d+(?:st|nd|rd|"
    r"th) (?:conference|annual|international|european|workshop)[^\n]{5,120}?))"
    r"(?=,?\s(?:pages?|pp\.?)\b|[.,]?\s*$|\s\(|,\s(?:january|february|march|april|may|june|july|"
    r"august|september|october|november|december)|,\s(?:19|20)\d\d)",
    re.IGNORECASE | re.MULTILINE,
)
_JOURNAL = [
    re.compile(r"^(?:published in:?\s)?((?:[A-ZÀ-Þ][\w&:’'-]+\s|of\s|and\s|in\s|the\s|for\s|"
        r"&\s){0,8}(?:Journal|Research|Practice|International|Letters|Reviews?|Transactions|"
        r"Diseases|Medicine|Sciences?|Reports|Annals|Archives|Software|Bulletin|Magazine|"
        r"Proceedings|Biology|Physics|Chemistry)(?:\s(?:of|on|and|in|for|&)?\s?[A-ZÀ-Þ][\w&’'-]+|"
        r"\s(?:of|on|and|in|for|&))*)"),
    re.compile(r"^((?:PLOS|PLoS|BMC|Frontiers in|Nature|Scientific|eLife|PeerJ|Molecular|Cell|"
        r"Sensors|Cancers|Nutrients)(?:\s(?:[A-Z][\w&]+|of|and|in)){0,5})"),
]  # fmt: skip


def find_doi(text: str) -> str:
    """The paper's own DOI: the first one printed; "" if none is."""
    text = re.sub(
        r"(10\.\d{4,9}/\S*[./-])\s*\n?\s*(?=[\w.]*\d)", r"\1", re.sub(r"(?<=10\.\d{4}/)\s", "", text)
    )
    match = _DOI.search(text)
    return match.group(1).rstrip(".,;)]}’'\"") if match else ""


def find_arxiv(text: str, file_name: str = "") -> str:
    """The arXiv id without version."""
    match = _ARXIV.search(text)
    return match.group(1) if match else ""


def find_emails(text: str) -> tuple[str, ...]:
    """Addresses in printed order; "{a,b}@x.org" gives two."""
    found: list[str] = []
    for match in _GROUP.finditer(text):
        found += [
            f"{name.strip()}@{match.group(2)}" for name in re.split(r"[,;|]", match.group(1)) if name.strip()
        ]
    text = _GROUP.sub(" ", text)
    found += [m.group(0).rstrip(".") for m in _EMAIL.finditer(text)]
    return tuple(dict.fromkeys(found))


def find_keywords(texts: Sequence[str]) -> tuple[str, ...]:
    """Keywords from the first text that begins with that word; the next text where it stands alone."""
    for i, text in enumerate(texts):
        match = _KEYWORDS.match(text.strip())
        if match is None:
            continue
        listed = match.group(1) or (texts[i + 1] if i + 1 < len(texts) else "")
        if len(listed) > 600:
            continue
        separator = r"[;·•|]" if re.search(r"[;·•|]", listed) else r",|\s[–-]\s"
        words = [w.strip(" .;,") for w in re.split(separator, listed)]
        return tuple(w for w in words if 1 < len(w) < 80)
    return ()


def find_year(text: str, created: str = "") -> int | None:
    """Year of publication by the strongest sign on the first page, else of the file's creation."""
    for pattern in _YEARS:
        match = pattern.search(text)
        if match:
            return int(match.group(1))
    match = re.search(r"(?:D:)?((?:19|20)\d\d)\d{4}", created)
    return int(match.group(1)) if match else None


def find_venue(text: str, subject: str = "") -> tuple[str, str]:
    """Full name of conference or journal as printed, and its abbreviation; "" where there is none."""
    venue = ""
    match = _PROCEEDINGS.search(text)
    if match:
        venue = re.sub(r"\s+", " ", match.group(1)).strip(" ,.")
    else:
        for line in [subject, *text.split("\n")[:60]]:
            line = line.strip()
            for pattern in _JOURNAL:
                found = pattern.match(line)
                if (
                    found
                    and 2 <= len(found.group(1).split()) <= 10
                    and len(found.group(1)) > 0.5 * len(line[:80])
                ):
                    venue = venue or found.group(1).strip()
    short = ""
    for name, pattern_text in _SERIES.items():
        if re.search(pattern_text, venue or text[:6000], re.IGNORECASE if not name == "CHI" else 0):
            short = name
            break
    return venue, short


def find_volume(text: str) -> str:
    """Volume of a journal as printed."""
    match = re.search(r"\bvol(?:ume|\.)?\s?(\d{1,4})\b", text, re.IGNORECASE)
    return match.group(1) if match else ""
