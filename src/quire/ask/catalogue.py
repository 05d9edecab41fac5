"""What a library's papers are, a line each, and what a paper consists of: for what counts or compares.

    catalogue(library, ())              2 papers: id | title | year | ...
    mentions(library, "How many of my papers mention SPSS?", ())
                                        "SPSS" stands in sentences of 13 papers, in captions of 0, ...
    outline(library, paper, question)   the parts that the question names: figures, tables, headings ...

Everything here is counted by SQL over the rows, as an agent would: it is a look-up, not an answer.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from quire.ask.actions.rows import of_papers, read_view
from quire.ask.environment import Readable
from quire.search.analyzer import STOP_WORDS, words

MOST = 40  # papers of a catalogue
_CAPTION = 140  # characters of a caption that nobody named, and of each other part that the question asks for
_MORE = 2  # such parts
_PARTS = re.compile(r"(?<=[.;])\s++|(?<!\s)\s++(?=\(?[A-Ha-h][).]\s)")  # sentences and panels of a caption
_NAMED_IN = 2  # figures and tables that come along because passages name them
_LINES = 60  # of one part of an outline
_WORDS = 3  # of a term that nobody quotes
_TERMS, _NAMED = 4, 6  # terms that are looked for; papers that are named for one
_HEADS: tuple[str, ...] = (
    "id (its first 8 signs)",
    "title",
    "year",
    "journal",
    "pages",
    "authors",
    "references",
)
_HEADS += ("labelled tables", "labelled figures", "received", "accepted")
_OF_DATES = re.compile(
    r"(?i)\b(dates?|receiv\w*|accept\w*|submi\w*|revis\w*|publish\w*|editor\w*|manuscripts?)\b"
)
_ASKED: Mapping[str, re.Pattern[str]] = {  # what is told only where a question speaks of it
    "journal": re.compile(r"(?i)\b(journals?|venues?|conferences?|proceedings|magazines?|publish\w*)\b"),
    "received": _OF_DATES,
    "accepted": _OF_DATES,
}
_LABELS = (
    "(SELECT count(DISTINCT {0}_label) FROM {0}s t WHERE t.ref_paper_id = m.paper_id AND {0}_label <> '')"
)
_NUMBER = r"max(TRY_CAST(regexp_extract(reference_label, '^\W*(\d{1,3})\W*$', 1) AS INTEGER))"
# A printed number above the count tells that entries were missed.
_REFERENCES_READ = (
    f"count(*) || CASE WHEN {_NUMBER} > count(*) THEN ', numbered to ' || {_NUMBER} ELSE '' END"
)
_PAPERS = (
    "SELECT left(CAST(m.paper_id AS VARCHAR), 8), m.title, m.pub_year, "
    "coalesce(nullif(m.journal, ''), nullif(m.conference_full, 'uncategorized')), m.num_pages, m.authors, "
    f"(SELECT {_REFERENCES_READ} FROM reference r WHERE r.ref_paper_id = m.paper_id), "
    f"{_LABELS.format('table')}, {_LABELS.format('image')}, m.received, m.accepted FROM metadata m "
    f"WHERE {of_papers('m.paper_id')}"
)
_COUNTS = (
    "SELECT m.title, count(DISTINCT t.table_id) AS tables FROM metadata m LEFT JOIN tables t "
    "ON t.ref_paper_id = m.paper_id AND t.table_label <> '' GROUP BY m.paper_id, m.title ORDER BY tables DESC"
)


def catalogue(library: Readable, papers: Sequence[str], question: str = "") -> str:
    """A line a paper, of journal and dates if the question is; beyond `MOST` papers how to ask SQL for it."""
    count = len(papers) or int(library.rows("SELECT count(*) FROM metadata").rows[0][0])
    if count > MOST:
        return f"{count} papers; count over them with SQL, e.g. {_COUNTS}"
    rows = library.rows(f"{_PAPERS} ORDER BY m.title", [list(papers)]).rows
    told = [_HEADS, *((*row[:5], _authors(row[5]), *row[6:]) for row in rows)]
    filled = [
        column
        for column in zip(*told, strict=True)
        if _is_asked(column[0], question) and any(cell not in (None, "") for cell in column[1:])
    ]
    lines = [" | ".join(map(_cell, cells)) for cells in zip(*filled, strict=True)]
    return "\n".join([f"{count} paper{'' if count == 1 else 's'}:", *lines])


def _is_asked(head: str, question: str) -> bool:
    return head not in _ASKED or bool(_ASKED[head].search(question))


def counts(library: Readable, paper: str, question: str = "") -> str:
    """What the catalogue says of one paper beside its title, in a line."""
    rows = library.rows(_PAPERS, [[paper]]).rows
    if not rows:
        return ""
    told = zip(_HEADS[2:], (*rows[0][2:5], _authors(rows[0][5]), *rows[0][6:]), strict=True)
    return f"Paper {rows[0][0]}: " + ", ".join(
        f"{name} {value}" for name, value in told if value not in (None, "") and _is_asked(name, question)
    )


def _authors(names: Any) -> str:
    listed = list(names or ())
    return f"{len(listed)} ({listed[0]}{' ...' if len(listed) > 1 else ''})" if listed else "?"


def _cell(value: Any) -> str:
    """The value in one line: no title can look like a line of its own."""
    return " ".join(str(value).split()) if value not in (None, "") else "-"


_QUOTED = re.compile(r"[\"\u201c\u00ab]([^\"\u201d\u00bb]{2,120})[\"\u201d\u00bb]")
_WORD = re.compile(r"\w[\w'\u2019-]*")
_EMPTY = STOP_WORDS | frozenset(
    "many least fewest less alone one two three four five paper papers article articles study studies "
    "work works publication publications library mention mentions mentioned text name names named occur "
    "occurs occurring show shows shown figure figures table tables caption captions section sections "
    "subsection subsections heading headings title titles called word words going list lists listed cite "
    "cites cited reference references author authors write written publish published appear appeared "
    "longest shortest largest smallest highest lowest total number count together exactly use used uses "
    "report reports reported contain contains year page pages entries".split()
)


def terms(question: str) -> list[str]:
    """What a question over the library looks for: what it quotes, else its words beside those that count."""
    if quoted := _QUOTED.findall(question):
        return list(dict.fromkeys(quoted))[:_TERMS]
    found: list[str] = []
    run: list[str] = []
    for part in re.split(r"[,;:.?!()\n]", question):
        for word in [*_WORD.findall(part), ""]:
            if word and word.lower() not in _EMPTY and not word.isdigit():
                run.append(word)
            elif run:
                found.append(" ".join(run))
                run = []
    return [each for each in dict.fromkeys(found) if len(each.split()) <= _WORDS][:_TERMS]


_PLACES = (
    ("sentences", "sentences", "sentence_content"),
    ("captions of figures", "images", "image_caption"),
    ("captions of tables", "tables", "table_caption"),
    ("headings", "sections", "section_title"),
    ("reference lists", "reference", "reference_content"),
)


def mentions(library: Readable, question: str, papers: Sequence[str]) -> str:
    """In how many papers each of the question's terms stands, and where; their ids where they are few."""
    told = [_mentioned(library, term, papers) for term in terms(question)]
    return "\n".join([*told, _COUNTED_HOW] if told else [])


_COUNTED_HOW = "(Case and dashes do not count in these: Kaplan-Meier is Kaplan\u2013Meier and kaplan meier.)"
_RARE = re.compile(r"\b(?=\w*[A-Z]\w*[A-Z0-9])[A-Za-z0-9][A-Za-z0-9-]{1,29}\b")
_OF_FILES = frozenset({"DOI", "PDF", "JSON", "CSV", "SQL", "ID", "IDs", "DOIs"})
_EVERYWHERE = (
    ("sentences", "sentence_content"),
    ("cells", "cell_content"),
    ("cells", "row_label"),
    ("cells", "column_label"),
    ("images", "image_caption"),
    ("tables", "table_caption"),
    ("sections", "section_title"),
    ("reference", "reference_content"),
    ("pages", "page_content"),
)


def missing(library: Readable, question: str, paper: str) -> str:
    """The abbreviations and quoted terms of a question that stand nowhere in its paper."""
    found = [each for each in _RARE.findall(question) if each not in _OF_FILES]
    asked = list(dict.fromkeys([*_QUOTED.findall(question), *found]))[:_TERMS]
    return "\n".join(
        f'"{term}" stands nowhere in this paper.' for term in asked if not _stands_in(library, term, paper)
    )


def _stands_in(library: Readable, term: str, paper: str) -> bool:
    """Whether a term, or its singular, stands anywhere in a paper: hyphens and breaks do not count."""
    pattern = _pattern(re.sub(r"(?<=[A-Z0-9])s$", "", term))
    if not pattern:
        return True
    parts = [
        f"SELECT 1 FROM {table} WHERE CAST(ref_paper_id AS VARCHAR) = $2 "
        f"AND regexp_matches(lower({column}), $1)"
        for table, column in _EVERYWHERE
    ]
    parts.append(
        "SELECT 1 FROM metadata WHERE CAST(paper_id AS VARCHAR) = $2 AND regexp_matches(lower(concat_ws("
        "' ', title, abstract, journal, conference_full, publisher, authors, affiliations)), $1)"
    )
    return bool(library.rows(f"SELECT EXISTS({' UNION ALL '.join(parts)})", [pattern, paper]).rows[0][0])


def _pattern(term: str) -> str:
    # However its words are joined: Kaplan-Meier with any dash, meta-analysis in one word, CO2 as CO 2.
    words = re.findall(r"[^\W\d]+|\d+", term.lower())
    return "[^a-z0-9]{0,3}".join(map(re.escape, words))


def _mentioned(library: Readable, term: str, papers: Sequence[str]) -> str:
    pattern = _pattern(term)
    parts = [
        f"SELECT {number} AS place, left(CAST(ref_paper_id AS VARCHAR), 8) AS id FROM {table} "
        f"WHERE regexp_matches(lower({column}), $1) AND {of_papers('ref_paper_id', '$2')}"
        for number, (_, table, column) in enumerate(_PLACES)
    ]
    rows = library.rows(
        f"SELECT place, count(DISTINCT id), list_sort(list(DISTINCT id)) FROM ({' UNION ALL '.join(parts)}) "
        "GROUP BY place ORDER BY place",
        [pattern, list(papers)],
    ).rows
    if not rows:
        return f'"{term}" stands nowhere.'
    told = []
    for place, count, ids in rows:
        few = f" ({', '.join(ids)})" if count <= _NAMED else ""
        told.append(f"{_PLACES[place][0]} of {count} paper{'' if count == 1 else 's'}{few}")
    return f'"{term}" stands in {"; ".join(told)}.'


_FIGURES = re.compile(
    r"(?i)\b(fig(ure)?s?\.?|plots?|diagrams?|curves?|graphs?|charts?|pictures?|photo(graph)?s?|images?"
    r"|drawings?|schemes?|chromatograms?|spectr(?:um|a)|micrographs?|dendrograms?|alignments?|blots?"
    r"|(?:cluster|phylogenetic) trees?|histograms?|flow ?charts?|panels?|ax[ei]s)\b"
)
_TABLES = re.compile(r"(?i)\btables?\b")
_HEADINGS = re.compile(r"(?i)\b(sub)?(sections?|headings?|chapters?|appendi(x|ces))\b")
_REFERENCES = re.compile(r"(?i)\b(references?|reference lists?|cit(e[sd]?|ations?|ing)|bibliography|works)\b")
_BOTH = re.compile(r"(?i)\b(both|shared?|shares|sharing|(in )?common|overlap\w*|same)\b")
_TITLE = 12  # letters of a title at least, to be taken for the same work
_NUMBERED = re.compile(r"(?i)\b(fig(?:ure)?|table)s?\.?\s*(S?\d{1,3})[a-h]?\b")


def asks_parts(question: str) -> bool:
    """Whether it is about parts of a paper alone (headings, references), of which passages say nothing."""
    parts = _HEADINGS.search(question) or _REFERENCES.search(question)
    return bool(parts) and not (_FIGURES.search(question) or _TABLES.search(question))


def asks_figure(question: str) -> bool:
    """Whether it speaks of a figure."""
    return bool(_FIGURES.search(question))


def outline(library: Readable, paper: str, question: str) -> str:
    """The parts of a paper that the question names, a line each with its page."""
    lines: list[str] = []
    if _FIGURES.search(question):
        lines += _floats(library, paper, "image", question)
    if _TABLES.search(question):
        lines += _floats(library, paper, "table", question)
    if _HEADINGS.search(question):
        lines += _headings(library, paper)
    if _REFERENCES.search(question):
        lines += _years(library, paper)
    return "\n".join(lines)


def named_floats(question: str) -> set[tuple[str, str]]:
    """The figures and tables that a question names by number."""
    return set(_names(question))


def named_in(library: Readable, paper: str, texts: Sequence[str], shown: str) -> str:
    """Caption, page and box of the figures and tables that passages name, the first of them; none twice."""
    wanted = list(dict.fromkeys(each for text in texts for each in _names(text)))
    lines: list[str] = []
    for kind, number in wanted:
        view = "figures" if kind == "image" else "tables"
        if len(lines) == _NAMED_IN:
            break
        for row in read_view(library, view, [paper]):
            label, caption = str(row[f"{kind}_label"] or ""), str(row[f"{kind}_caption"] or "")
            if not label or label.split()[-1] != number:
                continue
            if f"{label} (page" not in shown and not any(caption in text for text in texts):
                lines.append(_float_line(row, kind))
            break
    return "\n".join(lines)


def _names(text: str) -> list[tuple[str, str]]:
    return [
        ("table" if kind.lower() == "table" else "image", number) for kind, number in _NUMBERED.findall(text)
    ]


def _floats(library: Readable, paper: str, kind: str, question: str) -> Iterator[str]:
    rows = read_view(library, "figures" if kind == "image" else "tables", [paper])
    named = {number for of, number in named_floats(question) if of == kind}
    for row in [row for row in rows if row[f"{kind}_label"]][:_LINES]:
        whole = row[f"{kind}_label"].split()[-1] in named
        yield _float_line(row, kind, "" if whole else question, whole=whole)


def _float_line(row: Mapping[str, Any], kind: str, question: str = "", *, whole: bool = False) -> str:
    label, caption, page, box = (
        row[each] for each in (f"{kind}_label", f"{kind}_caption", "page_number", "bounding_box")
    )
    text = caption if whole or len(caption) <= _CAPTION else shortened(caption, question)
    where = f", box {list(box)}" if kind == "image" and box else ""
    return f"{label} (page {page}{where}): {_bare(text, label)}"


def shortened(caption: str, question: str) -> str:
    """How a caption begins, and which of its later parts have a word of the question that this has not."""
    start = caption[:_CAPTION]
    asked = _stems(question) - _stems(start)
    told = [start]
    for part in _PARTS.split(caption[_CAPTION:]):
        own = _stems(part) & asked
        if own and len(told) <= _MORE:
            told.append(part.strip()[:_CAPTION])
            asked -= own
    return " ... ".join(told) + " ..."


def best_caption(captions: Sequence[str], question: str) -> int | None:
    """Which caption has most of the question's words, the rarest most; None if none has any."""
    asked = _stems(question)
    known = [_stems(caption) for caption in captions]
    count = Counter(stem for stems in known for stem in stems)
    scores = [sum(math.log1p(len(known) / count[stem]) for stem in sorted(stems & asked)) for stems in known]
    return scores.index(max(scores)) if any(scores) else None


def _stems(text: str) -> set[str]:
    return {word.stem for word in words(text) if text[word.start : word.end].lower() not in _EMPTY}


def _bare(caption: str, label: str) -> str:
    bare = caption[len(label) :] if caption.lower().startswith(label.lower()) else caption
    return " ".join(bare.lstrip(" .:|").split())


def _headings(library: Readable, paper: str) -> Iterator[str]:
    yield "Headings (indented under the one that they are part of):"
    for row in read_view(library, "sections", [paper])[:_LINES]:
        indent = "  " * (int(row["section_level"] or 1) - 1)
        yield f"{indent}- {_cell(row['section_title'])} (page {row['page_number']})"


def shared_references(library: Readable, papers: Sequence[str], question: str) -> str:
    """The works that the lists of two papers both have, by their titles' letters alone."""
    if len(papers) != 2 or not (_REFERENCES.search(question) and _BOTH.search(question)):
        return ""
    letters = r"regexp_replace(lower(reference_title), '[^\p{L}\p{N}]', '', 'g')"
    rows = library.rows(
        f"SELECT any_value(reference_title), any_value(reference_year) FROM reference WHERE len({letters}) "
        f">= {_TITLE} AND {of_papers('ref_paper_id')} GROUP BY {letters} "
        "HAVING count(DISTINCT ref_paper_id) = 2 ORDER BY 1",
        [list(papers)],
    ).rows
    told = [f"- {_cell(title)} ({year or 'no year'})" for title, year in rows[:_LINES]]
    count = f"{len(rows)} title{'' if len(rows) == 1 else 's'}"
    return "\n".join([f"Both reference lists have {count} (compared by letters alone):", *told])


def _years(library: Readable, paper: str) -> Iterator[str]:
    rows = library.rows(
        "SELECT reference_year, count(*) FROM reference WHERE CAST(ref_paper_id AS VARCHAR) = ? "
        "GROUP BY 1 ORDER BY 1 NULLS LAST",
        [paper],
    ).rows
    if rows:
        years = ", ".join(f"{year or 'no year'}: {count}" for year, count in rows)
        yield f"{sum(count for _, count in rows)} references, by year: {years}"
