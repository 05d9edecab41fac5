"""Where authors work, and to whom one writes: from the rows so labelled, each address by itself.

Addresses are parted where a mark or the next number stands, and where an e-mail address ends one. Boxes with
editors, reviewers and correspondence are none of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from quire.pdf.front.imprint import find_emails
from quire.pdf.front.printed import FrontLines, Said, placed
from quire.pdf.geometry import overlap, runs
from quire.pdf.joining import join_texts, tidy
from quire.pdf.layout.rows import Row
from quire.pdf.raw import RawPage, Word, make_line
from quire.pdf.vocabulary import begins_apart, lists, named, opening, plain
from quire.types import Place

_SIGNS = "†‡§¶♠♢♡♣♦♥◇□⋄△▽"  # marks of addresses wherever they stand
_MARK = re.compile(rf"^(?:\d{{1,2}}(?:[,–-]\d{{1,2}})*|[a-z]|[*#⁎∗{_SIGNS}]{{1,2}})[).,]?$")
_TAIL = re.compile(
    r"(?:\b(?:[Aa]uthors?\sfor\s)?[Cc]orrespond(?:ence|ing)\b|\b[Tt]el(?:ephone)?\b\s?[.:]|"
    r"\b[Ff]ax\b\s?[.:]|\b[Ee]-?[Mm]ails?\b\s?:?|\bThese authors\b|✉).*$",
    re.DOTALL,
)
_MAILS = re.compile(r"[{(\[][\w.,;|+ -]{1,200}[})\]]\s?@\s?[\w.-]{1,80}")
_MAIL = re.compile(r"\(?\S{1,60}@\S{1,80}(?:\s?\([A-Z][\w.-]{0,9}\))?\)?[;,]?")
_WITH_NAMES = re.compile(
    r"\((?:[A-Z]\s|Prof\s)[^()]{3,600}\)(?:\s*[;,.]|\s+and\b)\s*"
)  # "(A Quill MD, B Reed PhD);" behind an address
_LEAST = 11  # letters of an address
_LONG = 20  # letters of one word that is an address
_APART = 2.0  # em between addresses in one row
_WRITE = re.compile(
    r"(?:correspond(?:ence|ing)|to whom|address for|requests for (?:materials|reprints)|\bcontact\b)",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?:correspond(?:ence|ing)(?:\s(?:to|author|address|and requests[^.]{0,60}?addressed to))?s?\s?:?|"
    r"addressed to:?)\s*+[*:]?\s*+(?:(?:Dr|Prof(?:essor)?|Mr|Mrs|Ms|Assoc|Assist|MD|PhD)\b\.?\s*+){0,3}"
    r"(?P<name>[^\W\d_][^,;:(@\n]{3,50})",
    re.IGNORECASE,
)
_MAIL_LAST = re.compile(r"@\S+(?:\s?\([\w.]{1,9}\))?\s*$")
_NEAR = 400  # letters behind the word in which the address stands


_Address = list[tuple[Row, str]]  # the rows of an address, and what of each is of it


def read_affiliations(labelled: Sequence[Row], pages: Sequence[RawPage], first: int) -> list[Place]:
    """Where the authors work, in printed order, each with its place."""
    rows = [item for item in labelled if item.label == "affiliation"]
    own = [row for row in rows if row.page == first] or [row for row in rows if row.page <= first + 1]
    if own and own[-1].page == first:
        behind = [row for row in rows if row.page == first + 1]
        goes_on = behind and (behind[0].text[:1] == "(" or own[-1].text.rstrip()[-1:] in ",;&-")
        own += behind if goes_on and behind[0].is_like(own[-1]) else []
    front, back = (_places(some, pages) for some in (own, _under_heading(labelled)))
    return back if len(back) > len(front) else front


def _places(rows: Sequence[Row], pages: Sequence[RawPage]) -> list[Place]:
    """The addresses in rows, without those that are part of another."""
    rows = _by_columns(rows)
    found: dict[str, Place] = {}
    for address in _addresses(rows, _marks_beside(pages, rows)):
        own = [row for row, _ in address]
        whole = join_texts([text for _, text in address])
        for part in _WITH_NAMES.split(whole) if len(_WITH_NAMES.findall(whole)) > 1 else [whole]:
            text = _plain(part)
            told = len(text.split()) > 1 or len(text) >= _LONG
            if sum(map(str.isalpha, text)) >= _LEAST and told:
                found.setdefault(text, placed("affiliations", own, text))
    places = list(found.values())
    return [place for place in places if not any(_is_part(place, other) for other in places)]


def _is_part(place: Place, other: Place) -> bool:
    """Whether it is said again where the other stands, or on another page."""
    if place is other or place.text not in other.text:
        return False
    box = place.bbox
    return place.page != other.page or overlap(box, other.bbox) > 0.5 * box.width * box.height


def _by_columns(rows: Sequence[Row]) -> list[Row]:
    """The rows, those of a grid of authors column by column: their pieces stand far apart."""
    out: list[Row] = []
    grid: list[list[Row]] = []
    for row in rows:
        pieces = _pieces(row)
        last = max((column[-1] for column in grid), key=lambda one: one.line.baseline, default=None)
        fits = 1 < len(grid) >= len(pieces) and not any(_spans(piece, grid) for piece in pieces)
        if last and fits and pieces[0].is_under(last):
            for piece in pieces:  # each under the head that it stands nearest to
                min(grid, key=lambda column: abs(_middle(column[0]) - _middle(piece))).append(piece)
        else:
            out += [one for column in grid for one in column]
            grid = [[piece] for piece in pieces]
    return out + [one for column in grid for one in column]


def _spans(piece: Row, grid: Sequence[Sequence[Row]]) -> bool:
    """Whether it stands under several heads."""
    return sum(piece.line.x0 <= _middle(column[0]) <= piece.line.x1 for column in grid) > 1


def _middle(row: Row) -> float:
    return (row.line.x0 + row.line.x1) / 2


def _pieces(row: Row) -> list[Row]:
    """The parts of a row that stand far apart; a mark stands before its address."""
    words = runs(row.line.words, _goes_with)
    if len(words) == 1:
        return [row]
    return [replace(row, line=make_line(part, row.line.size, row.line.baseline)) for part in words]


def _goes_with(run: Sequence[Word], word: Word) -> bool:
    near = word.x0 - run[-1].x1 < _APART * word.size
    return near or (len(run) == 1 and bool(_MARK.match(run[0].text)))


def _under_heading(labelled: Sequence[Row]) -> list[Row]:
    """The rows under "Author affiliations", at the end of a paper."""
    rows: list[Row] = []
    under = False
    for item in labelled:
        if plain(item.text) in lists()["addresses"]:
            under = True
        elif under:
            text = item.text  # "Twitter ...", "Acknowledgements We thank" stand behind addresses
            other = named(text) or "back" in opening(text) or text.startswith("Twitter ")
            if other or item.label in ("heading", "runin", "ref", "title"):
                break
            rows.append(item)
    return rows


def _addresses(rows: Sequence[Row], marked: set[int]) -> list[_Address]:
    """The rows as addresses, without boxes of other things."""
    reading = _Reading()
    other = False
    last: Row | None = None
    for row in rows:
        starts = id(row) in marked or reading.is_mark(row.line.words[0])
        apart = last is None or not row.is_under(last)
        other = begins_apart(row.text) or (other and not (starts or apart))
        inside = reading.end[-1:] in tuple(",;&-")  # a phrase that goes on in the next column
        if other or starts or (apart and not inside) or reading.ended(row):
            reading.part()
        if not other:
            reading.take(row)
        last = row
    return list(filter(None, reading.done))


@dataclass
class _Reading:
    """Addresses as they are read; the last one is not done yet."""

    done: list[_Address] = field(default_factory=lambda: [[]])
    number: int = 0  # of the last numbered address

    @property
    def end(self) -> str:
        """What was read of the last row."""
        return self.done[-1][-1][1] if self.done[-1] else ""

    def part(self) -> None:
        """Begin another address."""
        if self.done[-1]:
            self.done.append([])

    def is_mark(self, word: Word) -> bool:
        """Whether a word is the mark of the next address: raised, or the next number."""
        if word.script == 1 or word.text[0] in _SIGNS:
            return bool(_MARK.match(word.text))
        plain = word.text.strip(").,")
        return plain.isdecimal() and len(plain) < 3 and int(plain) == self.number + 1

    def ended(self, row: Row) -> bool:
        """Whether the e-mail address that ends the last row was the end, as another row shows."""
        first = row.line.words[0].text
        return bool(_MAIL_LAST.search(self.end)) and not first.startswith("(") and "@" not in first

    def take(self, row: Row) -> None:
        """Read a row; marks within it part addresses, too."""
        for at, word in enumerate(row.line.words):
            parts = at == 0 or word.script == 1 or word.text[0] in _SIGNS or self.end[-1:] in ",;."
            if parts and self.is_mark(word):
                plain = word.text.strip(").,")
                self.number = int(plain) if plain.isdecimal() else self.number
                self.part()
                continue
            address = self.done[-1]
            if not address or address[-1][0] is not row:
                address.append((row, word.text))
            else:
                address[-1] = (row, self.end + (word.text if word.glued else f" {word.text}"))


def _marks_beside(pages: Sequence[RawPage], rows: Sequence[Row]) -> set[int]:
    """Rows to whose left a mark stands as a line of its own."""
    own = {row.page for row in rows}
    near = [page for page in pages if page.number in own]
    marks = [(page.number, line) for page in near for line in page.lines if _MARK.match(line.text)]
    return {
        id(row)
        for row in rows
        for page, line in marks
        if page == row.page
        and abs(line.baseline - row.line.baseline) < 0.6 * row.line.size
        and -1 <= row.line.x0 - line.x1 < 3 * row.line.size
    }


def _plain(text: str) -> str:
    """An address without e-mail addresses, telephones and what follows on correspondence."""
    text = _TAIL.sub("", tidy(text))
    text = _MAIL.sub(" ", _MAILS.sub(" ", text))
    return text.replace(" ,", ",").strip(f" .,;:(*{_SIGNS}")


def read_contact(printed: FrontLines, authors: Sequence[str]) -> Iterator[Said]:
    """Name and e-mail address of whom to write to."""
    for match in _WRITE.finditer(printed.text):
        near = printed.text[match.start() : match.start() + _NEAR]
        mail = next(iter(find_emails(near)), "")
        named = _NAMED.match(near)
        name = _author(named["name"], authors) if named else ""
        name = name or next((author for author in authors if author in near[:200]), "")
        if not (mail or name):
            continue
        end = named.end() if named else match.end() - match.start()
        if mail and mail in near:
            end = near.find(mail) + len(mail)
        name = name or _by_initials(near, authors) or _by_mail(mail, authors)
        for told, value in (("corresponding_author", name), ("corresponding_email", mail)):
            if value:
                yield printed.place(told, match.start(), match.start() + end), value
        return


def _author(text: str, authors: Sequence[str]) -> str:
    """The author that a text begins with."""
    words = {word.lower().strip(".,") for word in text.split()}
    parts = {author: [part.lower().strip(".,") for part in author.split()] for author in authors}
    return next((author for author, own in parts.items() if own and {own[0], own[-1]} <= words), "")


def _by_mail(mail: str, authors: Sequence[str]) -> str:
    """The author whose surname is in an e-mail address."""
    own = mail.partition("@")[0].lower()
    for author in authors:
        plain = unicodedata.normalize("NFKD", author).encode("ascii", "ignore").decode().lower()
        if any(len(part) > 3 and part in own for part in re.split(r"[\s-]+", plain)[1:]):
            return author
    return ""


def _by_initials(text: str, authors: Sequence[str]) -> str:
    """The author whose initials are printed: "addressed to J.E.S."."""
    found = re.search(r"\b((?:[A-Z]\.-?){2,4})", text)
    initials = re.sub(r"\W", "", found[1]) if found else None
    own = {"".join(re.findall(r"(?:^|[\s-])([^\s-])", author)): author for author in reversed(authors)}
    return own.get(initials, "") if initials else ""
