"""Evidence: where that of an answer comes from, and whether its quote really is on its page.

It comes from lines of a model's reply (`cited`), else from rows that were seen (`gather`). A paper may be
named by its id, the start of it, or its title; a line that names none is of the question's paper, where that
is only one. Time is linear in the reply; at most `_LONGEST_REPLY` characters and `_MOST` lines of it count.

    [Evidence]: 5fe57755-14f1-5ee7-a4b4-ecaba6827045, page 2, "rankings shift by up to eight positions"

`verify` checks one quote against the page, deterministically: its words follow each other there, in the
text that was read and by place among the characters of the file (`quire.ask.quote_matching`; a scan has
only the text); or, where it names a row of a table and a value in it, cell by cell; or, where it is LaTeX,
against the equations of its page.

    stands_in_row("DeiT-B | 81.8", row)         row: name "DeiT-B", values 86M, 81.8, heads Params, Top-1
    stands_in_row("DeiT-B Top-1 = 81.8", row)

Contract of rows: every word of the quote is a word of that one row (its name, its cells, the heads above
them, or the table's caption), each cell is taken whole, and the row's name and one of its values are among
them. Only punctuation may stand between. A value of another row never counts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from quire.ask.methods import papers_of
from quire.ask.observations import SeenRow
from quire.ask.quote_matching import Places, find_quote, fold
from quire.errors import QuireError
from quire.library import Library
from quire.library.ids import ID
from quire.types import Box, Evidence, Piece, Question, Step

_MOST = 30
_MOST_GATHERED = 3
_SENTENCE = 6  # words of an answer that says something of its own
_LONGEST_REPLY = 100_000  # characters that are read
_LONGEST_LINE = 2000
_PAGE = re.compile(r"\b(?:pages?|pp?)\b\.?[ \t]{0,9}(\d{1,5})", re.IGNORECASE)
_NUMBER = re.compile(r"(\d{1,2})[ \t*_]{0,9}\][*_ \t:]{0,9}")
_SEEN = re.compile(r"(?i)\b(seen|read) in\b")
_OPENING, _CLOSING = "\"'`\u201c\u00ab", "\"'`\u201d\u00bb"


def cited(
    reply: str, question: Question, library: Library, history: Sequence[Step] = ()
) -> tuple[Evidence, ...]:
    """The sources that a reply names, in order, each once; with the box of the row it saw there. Unverified.

    The mark of each is the number that its line has, else its place among the lines.
    """
    found: list[Evidence] = []
    lines = 0
    for line in reply[:_LONGEST_REPLY].splitlines():
        if (named := _named(line[:_LONGEST_LINE])) is None:
            continue
        lines += 1
        if not (paper := _paper(named.paper_id, question, library)):
            continue
        evidence = replace(named, paper_id=paper, mark=named.mark or lines)
        box = _seen_box(evidence, history) if named.how == "seen" else _box(evidence, history)
        evidence = replace(evidence, bbox=box)
        if all(replace(each, mark=evidence.mark) != evidence for each in found):
            found.append(evidence)
            if len(found) == _MOST:
                break
    return tuple(found)


def _named(line: str) -> Evidence | None:
    """What a line of evidence says, however it is decorated; its paper as it names it, mark 0 for none."""
    said = line.lstrip(" \t>*#-[")
    if not said.lower().startswith("evidence"):
        return None
    said = said[len("evidence") :].lstrip("s]*_ \t:")
    numbered = _NUMBER.match(said)
    said = said[numbered.end() :] if numbered else said
    for page in _PAGE.finditer(said):
        rest = said[page.end() :]
        start = next((at for at, char in enumerate(rest) if char in _OPENING), -1)
        end = max((rest.rfind(char) for char in _CLOSING), default=-1)
        if 0 <= start < end and not any(char.isalnum() for char in rest[end:]):
            paper = said[: page.start()].strip(" \t,;:*`'\"<>[]()")
            how: Literal["seen", "quoted"] = "seen" if _SEEN.search(rest[:start]) else "quoted"
            quote, mark = rest[start + 1 : end].strip(), int(numbered[1]) if numbered else 0
            return Evidence(paper, int(page[1]), None, quote, verified=False, how=how, mark=mark)
    return None


def _paper(name: str, question: Question, library: Library) -> str:
    if name:
        try:
            return str(library.paper(name).id)
        except QuireError:
            return ""
    named = papers_of(question)
    return named[0] if len(named) == 1 else ""


def _box(evidence: Evidence, history: Sequence[Step]) -> Box | None:
    """The box of a row on that page that holds the quote."""
    for row in _rows_seen(history):
        if place_of(row) == (evidence.paper_id, evidence.page):
            texts = (cell for cell in row.values() if isinstance(cell, str))
            if any(find_quote(evidence.quote, text) for text in texts):
                return box_of(row)
    return None


def _seen_box(evidence: Evidence, history: Sequence[Step]) -> Box | None:
    """The box of that page that was looked at last."""
    looked = [each.observation for each in history if each.observation and each.observation.image]
    rows = [row for seen in reversed(looked) for row in reversed(seen.rows)]
    place = (evidence.paper_id, evidence.page)
    return next((box for row in rows if place_of(row) == place and (box := box_of(row))), None)


def gather(value: Any, history: Sequence[Step]) -> tuple[Evidence, ...]:
    """The rows seen that contain the answer, latest first; unverified. Only rows that name a page count.

    They are marked as what was shown, as the answer does not name them.
    """
    wanted = [text for text in _texts(value) if len(text) > 1]
    found: list[Evidence] = []
    for row in _rows_seen(history):
        evidence = _from_row(row, wanted)
        if evidence and evidence not in found:
            found.append(evidence)
            if len(found) == _MOST_GATHERED:
                break
    return tuple(found)


def says(value: Any, text: str) -> bool:
    """Whether a text holds every word and number of an answer."""
    return all(find_quote(each, text) for each in _texts(value))


def shown_evidence(value: Any, history: Sequence[Step]) -> tuple[Evidence, ...]:
    """What the model was shown last, for a text that names no evidence and repeats none; marked as such."""
    from quire.ask.offline.searched import seen_last

    if not isinstance(value, str) or len(value.split()) < _SENTENCE:
        return ()
    return tuple(replace(each, how="shown") for each in seen_last(history)[:_MOST_GATHERED])


def _from_row(row: SeenRow, wanted: Sequence[str]) -> Evidence | None:
    paper, page = place_of(row)
    if not paper or page < 1:
        return None
    for cell in row.values():
        for text in wanted if isinstance(cell, str) else ():
            if place := find_quote(text, cell):
                return Evidence(paper, page, box_of(row), around(cell, place), verified=False, how="shown")
    return None


def _rows_seen(history: Sequence[Step]) -> Iterator[SeenRow]:
    """The rows of all observations, the latest first."""
    for step in reversed(history):
        yield from step.observation.rows if step.observation else ()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping | list | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(each)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def place_of(row: SeenRow) -> tuple[str, int]:
    """The paper and page of a row; "" and -1 where it does not say."""
    page = row.get("page_number")
    paper = str(row.get("pdf_id") or row.get("ref_paper_id") or row.get("paper_id") or "")
    return paper, page if isinstance(page, int) else -1


def box_of(row: SeenRow) -> Box | None:
    """The box in a row's `bbox` or `bounding_box`, if it has four numbers."""
    return _box_from(row.get("bbox") or row.get("bounding_box"))


def _box_from(edges: Any) -> Box | None:
    if not isinstance(edges, list | tuple) or len(edges) != 4:
        return None
    try:
        return Box(*(float(edge) for edge in edges))
    except (TypeError, ValueError):
        return None


_SHOWN = 400  # characters of a quote


def around(text: str, place: tuple[int, int]) -> str:
    """The sentence around a place in a text, at most 400 characters."""
    start = max(text.rfind(". ", 0, place[0]) + 2, text.rfind("\n\n", 0, place[0]) + 2, 0)
    if start < 2 or place[0] - start > _SHOWN // 2:
        start = max(start if start >= 2 else 0, place[0] - _SHOWN // 2)
    end = text.find(". ", place[1])
    end = len(text) if end < 0 else end + 1
    return text[start : min(end, start + _SHOWN)].strip()


def check(evidence: Sequence[Evidence], library: Library, most: int = 0) -> tuple[Evidence, ...]:
    """Each verified, as far as it is; with the titles of its papers and the printed labels of its pages.

    With `most`, what stands behind so many that are found is left out: a page is read anew for each.
    """
    checked: list[Evidence] = []
    for each in evidence:
        checked.append(verify(each, library))
        if most and sum(one.verified for one in checked) == most:
            break
    return describe(checked, library)


def describe(evidence: Sequence[Evidence], library: Library) -> tuple[Evidence, ...]:
    """The same evidence with the titles of its papers and the printed labels of its pages."""
    papers = sorted({each.paper_id for each in evidence if ID.fullmatch(each.paper_id)})
    if not papers:
        return tuple(evidence)
    try:
        rows = library.rows(
            "SELECT CAST(m.paper_id AS VARCHAR), p.page_number, m.title, p.page_label FROM metadata m "
            "JOIN pages p ON p.ref_paper_id = m.paper_id WHERE m.paper_id IN (SELECT unnest(?::UUID[]))",
            [papers],
        ).rows
    except QuireError:
        return tuple(evidence)
    known = {(str(paper), page): (title, label) for paper, page, title, label in rows}
    found = []
    for each in evidence:
        title, label = known.get((each.paper_id, each.page), ("", ""))
        found.append(
            replace(each, paper_title=title or each.paper_title, page_label=label or each.page_label)
        )
    return tuple(found)


def verify(evidence: Evidence, library: Library) -> Evidence:
    """The same evidence, `verified` where its quote is found on its page; what was seen never is."""
    if not evidence.quote or evidence.page < 1 or evidence.how == "seen":
        return replace(evidence, verified=False)
    try:
        text = library.page_text(evidence.paper_id, evidence.page)
    except QuireError:
        return replace(evidence, verified=False)
    if _stands(evidence.quote, text) and _by_place(evidence, library):
        return replace(evidence, verified=True)
    found, box = _in_table(evidence, library)
    if not found:
        found, box = _in_equation(evidence, library)
    return replace(evidence, verified=found, bbox=evidence.bbox or box)


def _by_place(evidence: Evidence, library: Library) -> bool:
    """Whether the file's own characters say the same. Of several paragraphs each must, in order."""
    try:
        pieces = library.page_pieces(evidence.paper_id, evidence.page)
    except QuireError:
        return False
    if not pieces or _from_right(pieces):
        return True  # a scan, or a script whose characters are drawn the other way: only its text is known
    places = Places(pieces)
    paragraphs = [each for each in map(str.strip, evidence.quote.split("\n")) if fold(each).text]
    if places.follow(evidence.quote) or places.is_row(evidence.quote):
        return True
    return len(paragraphs) > 1 and places.follow_in_order(paragraphs)


def _from_right(pieces: Sequence[Piece]) -> bool:
    sample = "".join(each.text for each in pieces[:400])[:4000]
    return sum(unicodedata.bidirectional(sign) in ("R", "AL") for sign in sample) > 0.3 * len(sample)


def _stands(quote: str, text: str) -> bool:
    """Whether a quote is found; of several paragraphs each, in order: an equation may stand between them."""
    start = 0
    for paragraph in filter(None, map(str.strip, quote.split("\n"))):
        place = find_quote(paragraph, text, start=start)
        if place is None:
            return find_quote(quote, text) is not None
        start = place[1]
    return start > 0


MOST_WORDS = 80  # of a quote of a row
_LETTERS = re.compile(r"[^\W\d_]{3}")  # what tells a cell of words from one of a value


def stands_in_row(
    quote: str,
    named: Collection[str],
    held: Sequence[tuple[str, Box | None]],
    above: Collection[str],
) -> tuple[bool, Box | None]:
    """Whether the quote is a part of a row, what names it and a value included; and the value's box.

    A row is `named` by its label, by a part of it, or by a cell of words; it `held` cells with their boxes
    under the heads `above`.
    """
    wanted = words_of_row(quote)
    if not 1 < len(wanted) <= MOST_WORDS:
        return False, None
    names = {tuple(words_of_row(name)) for name in named}
    cells = [(tuple(words_of_row(text)), box) for text, box in held]
    names |= {words for words, _ in cells if _LETTERS.search(" ".join(words))}
    boxes = dict(reversed(cells))
    heads = {tuple(words_of_row(head)) for head in above}
    units = sorted(filter(None, names | heads | boxes.keys()), key=lambda unit: (-len(unit), unit))
    at, found = 0, []
    while at < len(wanted):
        unit = next((unit for unit in units if tuple(wanted[at : at + len(unit)]) == unit), None)
        if unit is None:
            return False, None
        at += len(unit)
        found.append(unit)
    name = next((unit for unit in found if unit in names), None)
    values = [unit for unit in found if unit != name and (unit in boxes or unit in names)]
    if name is None or not values:
        return False, None
    values.sort(key=lambda unit: unit in names)
    return True, next((boxes[unit] for unit in values if boxes.get(unit)), None)


def words_of_row(text: str) -> list[str]:
    """The words as compared: case and accents written apart do not count, signs inside of numbers do."""
    flat = unicodedata.normalize("NFKD", text).casefold().replace("\u2212", "-")
    parts = re.split(r"[\s|:;=,\u2013\u2014\u00b7]", flat)
    return [word for part in parts if (word := part.strip(".()[]\"'*_"))]


def _in_table(evidence: Evidence, library: Library) -> tuple[bool, Box | None]:
    """Whether the quote is of a row of a table on its page, and the box of the first value it names."""
    by_row: dict[tuple[str, int], list[tuple[str, str, str, Box | None]]] = {}
    columns = "CAST(e.ref_table_id AS VARCHAR), e.row_index, e.row_label, e.column_label, e.cell_content"
    order = "AND NOT coalesce(e.is_head, false) ORDER BY e.ref_table_id, e.row_index, e.column_index"
    for table, row, label, head, text, edges in _on_page(evidence, library, "cells", columns, order):
        told = (label or "", head or "", text or "", _box_from(edges))
        by_row.setdefault((table, row), []).append(told)
    for cells in by_row.values():
        labels = [label for label, *_ in cells if label]
        names = {part.strip() for label in labels for part in (label, *label.split(" > "))}
        heads = {part.strip() for _, head, *_ in cells for part in (head, *head.split(" > ")) if head}
        texts = [(text, box) for _, _, text, box in cells if text]
        found, box = stands_in_row(evidence.quote, names | {cells[0][2]}, texts, heads)
        if found:
            return True, box
    return False, None


_LONGEST = 4000  # characters of a quote of LaTeX
_SHORTEST = 5  # characters of it without blanks


def _in_equation(evidence: Evidence, library: Library) -> tuple[bool, Box | None]:
    """Whether the quote is an equation of its page, or a part of one, and the equation's box."""
    wanted = _squeezed(evidence.quote[:_LONGEST])
    if len(wanted) >= _SHORTEST:
        for content, edges in _on_page(evidence, library, "equations", "e.equation_content"):
            if wanted in _squeezed(str(content or "")):
                return True, _box_from(edges)
    return False, None


def _squeezed(text: str) -> str:
    return re.sub(r"\s+|\$", "", text)


def _on_page(
    evidence: Evidence, library: Library, table: str, columns: str, more: str = ""
) -> Sequence[tuple[Any, ...]]:
    """The columns and box of a table's rows on the page of evidence; none where that cannot be read."""
    if not ID.fullmatch(evidence.paper_id):
        return ()
    sql = (
        f"SELECT {columns}, e.bounding_box FROM {table} e JOIN pages p ON e.ref_page_id = p.page_id "
        f"WHERE p.ref_paper_id = ?::UUID AND p.page_number = ? {more}"
    )
    try:
        return library.rows(sql, [evidence.paper_id, evidence.page]).rows
    except QuireError:
        return ()
