"""What a library's papers are, a line each, and what a paper consists of: for what counts or compares.

    catalogue(library, ())                  2 papers: id | title | year | ...
    mentions(library, "How many of my papers mention SPSS?", ())
                                            "SPSS" stands in sentences of 13 papers, in captions of 0, ...
    about_paper(library, paper, question)   its counts; the parts that the question names: figures, headings

Everything here is counted by SQL over the rows, as an agent would: it is a look-up, not an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from quire.ask.actions.database import of_papers, read_view
from quire.ask.figures import EMPTY, LINES, asks_figure, floats
from quire.library import Library
from quire.search.analyzer import STOP_WORDS, words
from quire.search.encoders.tokenizers import rank

MOST = 40  # papers of a catalogue
_WORDS = 3  # of a term that nobody quotes
_UNSAID = 3  # words of a question that are told as standing nowhere
_WORD_LETTERS, _STEM_LETTERS = 4, 5  # of such a word; of a stem that may be a part of another word
_COMMON, _RAREST = 9000, 99_999  # by rank: a question says common words where a paper says others
_NAME = 4  # letters of a journal that a question may name
_JOINED = 8  # words of a name of several
_TERMS, _NAMED = 4, 6  # terms that are looked for; papers that are named for one
_HEADS = (
    "id (its first 8 signs)", "title", "year", "journal", "pages", "authors", "references",
    "labelled tables", "labelled figures", "received", "accepted",
)  # fmt: skip
_OF_DATES = re.compile(
    r"(?i)\b(dates?|receiv\w*|accept\w*|submi\w*|revis\w*|publish\w*|editor\w*|manuscripts?)\b"
)
_ASKED: Mapping[str, re.Pattern[str]] = {  # what is told only where a question speaks of it
    "journal": re.compile(
        r"(?i:\b(?:journals?|venues?|conferences?|proceedings|magazines?|publish\w*)\b)"
        r"|\b(?:papers?|articles?|studies|appeared|printed) (?:\w{1,9} ){0,2}in [A-Z]"
    ),
    "received": _OF_DATES,
    "accepted": _OF_DATES,
}
_LABELS = (
    "(SELECT count(DISTINCT {0}_label) FROM {0}s t WHERE t.ref_paper_id = m.paper_id AND {0}_label <> '')"
)
_NUMBER = r"max(TRY_CAST(regexp_extract(reference_label, '^\W*(\d{1,3})\W*$', 1) AS INTEGER))"
_LAST = r"TRY_CAST(regexp_extract(arg_max(reference_label, ordinal), '^\W*(\d{1,3})\W*$', 1) AS INTEGER)"
# A printed number above the count tells that entries were missed or are joined: that of the last is how many.
_REFERENCES_READ = (
    f"CASE WHEN {_LAST} = {_NUMBER} AND {_NUMBER} > count(*) THEN {_NUMBER} || ' (' || count(*) || "
    f"' read apart)' WHEN {_NUMBER} > count(*) THEN count(*) || ', numbered to ' || {_NUMBER} "
    "ELSE count(*) || '' END"
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


def catalogue(library: Library, papers: Sequence[str], question: str = "") -> str:
    """A line a paper, of journal and dates if the question is; beyond `MOST` papers how to ask SQL for it."""
    count = len(papers) or int(library.rows("SELECT count(*) FROM metadata").rows[0][0])
    if count > MOST:
        return f"{count} papers; count over them with SQL, e.g. {_COUNTS}"
    rows = library.rows(f"{_PAPERS} ORDER BY m.title", [list(papers)]).rows
    told = [_HEADS, *((*row[:5], _authors(row[5]), *row[6:]) for row in rows)]
    filled = [
        column
        for column in zip(*told, strict=True)
        if _is_asked(column[0], question, column[1:]) and any(cell not in (None, "") for cell in column[1:])
    ]
    lines = [" | ".join(map(_cell, cells)) for cells in zip(*filled, strict=True)]
    return "\n".join([f"{count} paper{'' if count == 1 else 's'}:", *lines])


def _is_asked(head: str, question: str, cells: Sequence[Any]) -> bool:
    """Whether it is told: always, or because the question is of such a thing or names one of them."""
    named = (str(cell).lower() in question.lower() for cell in cells if len(str(cell or "")) >= _NAME)
    return head not in _ASKED or bool(_ASKED[head].search(question)) or any(named)


def about_paper(library: Library, paper: str, question: str) -> str:
    """What the catalogue says of one paper beside its title, in a line; the parts that the question names."""
    rows = library.rows(_PAPERS, [[paper]]).rows
    told = list(_parts(library, paper, question))
    if rows:
        values = zip(_HEADS[2:], (*rows[0][2:5], _authors(rows[0][5]), *rows[0][6:]), strict=True)
        said = [
            f"{name} {value}"
            for name, value in values
            if value not in (None, "") and _is_asked(name, question, [value])
        ]
        told.insert(0, f"Paper {rows[0][0]}: {', '.join(said)}")
    return "\n".join(told)


def _authors(names: Any) -> str:
    listed = list(names or ())
    return f"{len(listed)} ({listed[0]}{' ...' if len(listed) > 1 else ''})" if listed else "?"


def _cell(value: Any) -> str:
    """The value in one line: no title can look like a line of its own."""
    return " ".join(str(value).split()) if value not in (None, "") else "-"


_QUOTED = re.compile(r"[\"\u201c\u00ab]([^\"\u201d\u00bb]{2,120})[\"\u201d\u00bb]")
_WORD = re.compile(r"\w[\w'\u2019-]*")
_JOINTS = frozenset("and of for in on the".split())  # within names: Research and Practice
_JOINED_BY = re.compile(r" (?:and|of|for|in|on)(?: the)? ")


def terms(question: str) -> list[str]:
    """What a question over the library looks for: what it quotes, else its words beside those that count."""
    if quoted := _QUOTED.findall(question):
        return list(dict.fromkeys(quoted))[:_TERMS]
    found: list[str] = []
    for part in re.split(r"[,;:.?!()\n]", question):
        found += _runs(_WORD.findall(part))
    return list(dict.fromkeys(found))[:_TERMS]


def _runs(told: Sequence[str]) -> Iterator[str]:
    """Words that say something, as far as they follow each other; a name goes over "and" and "of"."""
    run: list[str] = []
    held: list[str] = []  # joints that may be within a name
    for word in [*told, ""]:
        named = bool(run) and run[-1][:1].isupper()
        says = bool(word) and word.lower() not in EMPTY and not word.isdigit()
        if named and word[:1].isupper() and word.lower() not in STOP_WORDS:
            run += [*held, word]
        elif named and word in _JOINTS:
            held.append(word)
            continue
        elif says and not held:
            run.append(word)
        else:
            if run and len(run) <= (_JOINED if _JOINTS & {*run} else _WORDS):
                yield " ".join(run)
            run = [word] if says else []
        held = []


_PLACES = (
    ("sentences", "sentences", "sentence_content"),
    ("captions of figures", "images", "image_caption"),
    ("captions of tables", "tables", "table_caption"),
    ("headings", "sections", "section_title"),
    ("reference lists", "reference", "reference_content"),
    ("titles", "metadata", "title"),
    ("journal or publisher", "metadata", "concat_ws(' ', journal, conference_full, publisher)"),
    ("authors", "metadata", "concat_ws(' ', authors, affiliations)"),
)


_ABOUT = "concat_ws(' ', title, abstract, journal, conference_full, publisher, authors, affiliations)"
"""What `metadata` say of a paper in words."""


def mentions(library: Library, question: str, papers: Sequence[str]) -> str:
    """In how many papers each of the question's terms stands, and where; their ids where they are few."""
    told = [_mentioned(library, term, papers) for term in terms(question)]
    return "\n".join([*told, _COUNTED_HOW] if told else [])


_COUNTED_HOW = "(Case and dashes do not count in these: Kaplan-Meier is Kaplan\u2013Meier and kaplan meier.)"
_RARE = re.compile(r"\b(?=\w*[A-Z]\w*[A-Z0-9])[A-Za-z0-9][A-Za-z0-9-]{1,29}\b")
_OF_FILES = frozenset({"DOI", "PDF", "JSON", "CSV", "SQL", "ID", "IDs", "DOIs"})
_EVERYWHERE = (
    *((table, column) for _, table, column in _PLACES if table != "metadata"),
    *(("cells", column) for column in ("cell_content", "row_label", "column_label")),
    ("pages", "page_content"),
    ("metadata", _ABOUT),
)


def missing(library: Library, question: str, paper: str) -> str:
    """The abbreviations, quoted terms and rarest words of a question that stand nowhere in its paper."""
    found = [each for each in _RARE.findall(question) if each not in _OF_FILES]
    asked = list(dict.fromkeys([*_QUOTED.findall(question), *found]))[:_TERMS]
    told = [term for term in asked if not _stands_in(library, term, paper)]
    lines = [f'"{term}" stands nowhere in this paper.' for term in told]
    if unsaid := [word for word in _unsaid(library, question, paper) if word not in " ".join(told)][:_UNSAID]:
        listed = ", ".join(f'"{word}"' for word in unsaid)
        lines.append(f"Words of the question that this paper has in no form: {listed}.")
    return "\n".join(lines)


def _unsaid(library: Library, question: str, paper: str) -> list[str]:
    """The words of a question of which not even the stem stands in a paper, the rarest first."""
    rows = library.rows(
        "SELECT string_agg(page_content, '\n') FROM pages WHERE CAST(ref_paper_id AS VARCHAR) = $1 UNION ALL "
        f"SELECT {_ABOUT} FROM metadata WHERE CAST(paper_id AS VARCHAR) = $1",
        [paper],
    ).rows
    text = "\n".join(str(row[0] or "") for row in rows).lower()
    said = {word.stem for word in words(text)}
    together = re.sub(r"[\W\d_]+", "", text)  # a word may be broken at a line's end, or be a part of another
    found = []
    for word in words(question):
        asked = question[word.start : word.end]
        if len(asked) < _WORD_LETTERS or not asked.isalpha() or word.stem in said:
            continue
        rarity = 0 if asked.lower() in EMPTY else rank(asked.lower()) or _RAREST
        if rarity > _COMMON and (len(word.stem) < _STEM_LETTERS or word.stem not in together):
            found.append((-rarity, asked))
    return list(dict.fromkeys(asked for _, asked in sorted(found)))


def _stands_in(library: Library, term: str, paper: str) -> bool:
    """Whether a term, or its singular, stands anywhere in a paper: hyphens and breaks do not count."""
    pattern = _pattern(re.sub(r"(?<=[A-Z0-9])s$", "", term))
    if not pattern:
        return True
    parts = (
        f"SELECT 1 FROM {table} WHERE CAST({_owner(table)} AS VARCHAR) = $2 "
        f"AND regexp_matches(lower({column}), $1)"
        for table, column in _EVERYWHERE
    )
    return bool(library.rows(f"SELECT EXISTS({' UNION ALL '.join(parts)})", [pattern, paper]).rows[0][0])


def _owner(table: str) -> str:
    return "paper_id" if table == "metadata" else "ref_paper_id"


def _pattern(term: str) -> str:
    # However its words are joined: Kaplan-Meier with any dash, meta-analysis in one word, CO2 as CO 2.
    words = re.findall(r"[^\W\d]+|\d+", term.lower())
    return "[^a-z0-9]{0,3}".join(map(re.escape, words))


def _mentioned(library: Library, term: str, papers: Sequence[str]) -> str:
    pattern = _pattern(term)
    parts = [
        f"SELECT {number} AS place, left(CAST({_owner(table)} AS VARCHAR), 8) AS id FROM {table} "
        f"WHERE regexp_matches(lower({column}), $1) AND {of_papers(_owner(table), '$2')}"
        for number, (_, table, column) in enumerate(_PLACES)
    ]
    rows = library.rows(
        f"SELECT place, count(DISTINCT id), list_sort(list(DISTINCT id)) FROM ({' UNION ALL '.join(parts)}) "
        "GROUP BY place ORDER BY place",
        [pattern, list(papers)],
    ).rows
    if not rows and (parts := [part for part in _JOINED_BY.split(term) if part != term]):
        return "\n".join(_mentioned(library, part, papers) for part in parts)
    if not rows:
        return f'"{term}" stands nowhere.'
    told = []
    for place, count, ids in rows:
        few = f" ({', '.join(ids)})" if count <= _NAMED else ""
        told.append(f"{_PLACES[place][0]} of {count} paper{'' if count == 1 else 's'}{few}")
    return f'"{term}" stands in {"; ".join(told)}.'


_TABLES = re.compile(r"(?i)\btables?\b")
_HEADINGS = re.compile(r"(?i)\b(sub)?(sections?|headings?|chapters?|appendi(x|ces))\b")
_REFERENCES = re.compile(r"(?i)\b(references?|reference lists?|cit(e[sd]?|ations?|ing)|bibliography|works)\b")
_BOTH = re.compile(r"(?i)\b(both|shared?|shares|sharing|(in )?common|overlap\w*|same)\b")
_TITLE = 12  # letters of a title at least, to be taken for the same work


def asks_parts(question: str) -> bool:
    """Whether it is about parts of a paper alone (headings, references), of which passages say nothing."""
    parts = _HEADINGS.search(question) or _REFERENCES.search(question)
    return bool(parts) and not (asks_figure(question) or _TABLES.search(question))


def _parts(library: Library, paper: str, question: str) -> Iterator[str]:
    """The parts of a paper that the question names, a line each with its page."""
    if asks_figure(question):
        yield from floats(library, paper, "image", question)
    if _TABLES.search(question):
        yield from floats(library, paper, "table", question)
    if _HEADINGS.search(question):
        yield from _headings(library, paper)
    if _REFERENCES.search(question):
        yield from _years(library, paper)


def _headings(library: Library, paper: str) -> Iterator[str]:
    yield "Headings (indented under the one that they are part of):"
    for row in read_view(library, "sections", [paper])[:LINES]:
        indent = "  " * (int(row["section_level"] or 1) - 1)
        yield f"{indent}- {_cell(row['section_title'])} (page {row['page_number']})"


def shared_references(library: Library, papers: Sequence[str], question: str) -> str:
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
    told = [f"- {_cell(title)} ({year or 'no year'})" for title, year in rows[:LINES]]
    count = f"{len(rows)} title{'' if len(rows) == 1 else 's'}"
    return "\n".join([f"Both reference lists have {count} (compared by letters alone):", *told])


def _years(library: Library, paper: str) -> Iterator[str]:
    rows = library.rows(
        "SELECT reference_year, count(*) FROM reference WHERE CAST(ref_paper_id AS VARCHAR) = ? "
        "GROUP BY 1 ORDER BY 1 NULLS LAST",
        [paper],
    ).rows
    if rows:
        years = ", ".join(f"{year or 'no year'}: {count}" for year, count in rows)
        yield f"{sum(count for _, count in rows)} references read, by year: {years}"
