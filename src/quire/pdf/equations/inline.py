r"""Formulas, raised and lowered signs within running text, where fonts and baselines leave no doubt.

    spans(text, starts, lines)      # (InlineSpan(12, 15, "math", "x_{i}"), InlineSpan(40, 43, "sup", "12"))

The text stays as it is; forms that can show more (Markdown, HTML, JATS) write the spans. A formula is a run
of signs and operands: letters of a mathematical font, slanted letters that have a script or stand beside a
relation, numbers among them. What could be a word, a unit or the mark of a note is none, nor what touches
signs that were not understood, for it may be a part of more.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from quire.pdf.equations.atoms import SMALL, TexClass, is_extension, is_prime, symbol
from quire.pdf.equations.line import glue
from quire.pdf.joining import tidy
from quire.pdf.prose import has_relation, mathematical
from quire.pdf.raw import Line, Word, typewriter
from quire.types import InlineSpan

_NUMBER = re.compile(r"[-−–+]?\d+(?:\.\d+)?")
_PIECE = re.compile(r"\.{3}|(?<![\d.])[-−–]?\d+(?:\.\d+)?|[=<>≤≥≈≡≠±×÷·∼+−∈→]|[()\[\],;.]")
_PLAIN = re.compile(r"Symbol", re.IGNORECASE)  # letters of units and names come from it, too
_DRAWN = re.compile(r"\.{3}|[.,;<>]|[^.,;<>]+")  # of one mathematical font
_MINUS = re.compile(r"[-−–]\d{1,3}")
_MARKS = re.compile(r"[\w*†‡§¶#,;\-−–+()′']{1,16}")  # of notes and references, powers, charges
_BASE = re.compile(r"[\w)\]}.,;:%'\"’”]$")
_WORD = re.compile(r"[A-Za-z]{3}")
_AROUND = re.compile(r"[\w√∑∏∫^_/\\=<>+−×]")  # signs that make of what touches them a part of something
_CALLS = re.compile(rf"(?:{_AROUND.pattern}|\w[(\[])$")  # and a function with its bracket
_DRIFT = 3  # characters between two words of a text, at most
_LIKE = 0.05  # of the size: signs of one script
_GROUPS = {
    TexClass.OPEN: "open", TexClass.CLOSE: "close", TexClass.PUNCTUATION: "comma",
    TexClass.RELATION: "sign", TexClass.BINARY: "sign",
}  # fmt: skip
_ACCENTS = {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0308": "ddot", "\u0307": "dot"}
_DOTS = ("...", "…", "⋯")
_OPERANDS = frozenset((TexClass.ORD, TexClass.DIGIT, TexClass.LETTER))
_ENDS = ("operand", "number", "script", "close")


@dataclass(frozen=True, slots=True)
class _Term:
    """A word as a part of a formula. `sure`: a letter of a mathematical font.

    `kind` is operand, number, sign, open, close, comma, script; or text, small: what ends a formula.
    """

    kind: str
    latex: str
    word: Word
    sure: bool = False
    relates: bool = False


def spans(text: str, starts: Sequence[int], lines: Sequence[Line]) -> tuple[InlineSpan, ...]:
    """The spans of a paragraph: its text, where its lines begin in that, and the lines as printed."""
    found: list[InlineSpan] = []
    for start, line in zip(starts, lines, strict=False):
        if any([word.script or mathematical(word.font) for word in line.words]) or has_relation(line.text):
            found += sorted(_of_line(text, start, line))
    return tuple(found)


def _of_line(text: str, start: int, line: Line) -> Iterator[InlineSpan]:
    words = [piece for word in line.words for piece in _pieces(word)]
    places = _placed(text, start, words)
    tokens = [_token(word, line.size) for word in words]
    taken: set[int] = set()
    for first, end in _formulas(tokens):
        own = [place for place in places[first:end] if place is not None]
        latex = _latex(tokens[first:end])
        if latex and len(own) == end - first and not text[own[-1][1] : own[-1][1] + 1].isdigit():
            yield InlineSpan(own[0][0], own[-1][1], "math", latex)
            taken.update(range(first, end))
    for at in range(1, len(words)):
        place = places[at]
        if place and at not in taken and _is_script(words, at, line.size):
            raised = words[at].script > 0
            caret = raised and text[place[0] - 1] == "^"
            yield InlineSpan(place[0] - caret, place[1], "sup" if raised else "sub", words[at].text)


def _pieces(word: Word) -> list[Word]:
    """A word as numbers, signs and brackets if it is nothing else: `<0.05)` is three."""
    parts = (_DRAWN if mathematical(word.font) else _PIECE).findall(word.text)
    if word.script or len(parts) < 2 or "".join(parts) != word.text:
        return [word]
    return [word._replace(text=part, glued=word.glued or at > 0) for at, part in enumerate(parts)]


def _placed(text: str, start: int, words: Sequence[Word]) -> list[tuple[int, int] | None]:
    """Where each word stands in the text, from where the line begins; None where it is not there as it is."""
    found: list[tuple[int, int] | None] = []
    at, slack = start, 0
    for word in words:
        own = tidy(word.text)
        place = text.find(own, at, at + len(own) + _DRIFT + slack)
        if place < 0 or not own:
            found.append(None)
            slack += len(word.text) + 1
            continue
        found.append((place, place + len(own)))
        at, slack = place + len(own), 0
    return found


def _is_script(words: Sequence[Word], at: int, size: float) -> bool:
    """Whether a word is surely raised or lowered behind a word of the line, and alone there."""
    word, base = words[at], words[at - 1]
    alone = at + 1 == len(words) or not words[at + 1].script or not words[at + 1].glued
    plain = not base.script and base.size > SMALL * size and bool(_BASE.search(base.text))
    return bool(word.script) and word.glued and alone and plain and bool(_MARKS.fullmatch(word.text))


def _token(word: Word, size: float) -> _Term:
    text = word.text
    latex = _signs(word)
    if is_extension(word.font):  # a part of a large sign, read as a letter
        return _Term("small", latex, word)
    if word.script:
        return _Term("script" if latex and word.glued else "small", latex, word)
    if word.size < SMALL * size:
        return _Term("small", text, word)
    if _NUMBER.fullmatch(text):
        return _Term("number", text.replace("−", "-").replace("–", "-"), word)
    kinds = {found.kind for sign in text if (found := symbol(ord(sign), word))}
    if not latex or _WORD.search(text):
        return _Term("text", text, word)
    if text in _DOTS:
        return _Term("operand", r"\ldots", word)
    if len(kinds) == 1 and (kind := next(iter(kinds))) in _GROUPS:
        known = len(text) == 1 and text not in ":-–*"
        return _Term(_GROUPS[kind] if known else "text", latex, word, relates=kind is TexClass.RELATION)
    sure = mathematical(word.font) and not _PLAIN.search(word.font)
    variable = len(text) == 1 and word.italic and not typewriter(word.font)
    operand = kinds <= _OPERANDS and (sure or variable)
    return _Term("operand" if operand else "text", latex, word, sure)


def _signs(word: Word) -> str:
    """All signs of a word as LaTeX; "" if one cannot be told."""
    found = [symbol(ord(sign), word) for sign in word.text]
    known = [
        each
        for each in found
        if each and each.kind not in (TexClass.ACCENT, TexClass.SLASH, TexClass.RADICAL)
    ]
    if len(known) < len(found):
        return ""
    if (
        len(word.text) == 1
        and word.italic
        and (accent := _ACCENTS.get(unicodedata.normalize("NFD", word.text)[1:]))
    ):
        return rf"\{accent}{{{unicodedata.normalize('NFD', word.text)[0]}}}"
    latex = ""
    for each in known:
        latex = glue(latex, each.latex)
    upright = len(known) > 1 and all(each.kind is TexClass.LETTER for each in known)
    return rf"\mathrm{{{latex}}}" if upright else latex


def _formulas(tokens: Sequence[_Term]) -> Iterator[tuple[int, int]]:
    """Runs of tokens that are formulas, as first and end."""
    first = 0
    for at in range(len(tokens) + 1):
        if at < len(tokens) and not _ends(tokens, first, at):
            continue
        own = _kept(tokens, first, at)
        if own and _stands_alone(tokens, *own) and _is_sure(tokens[slice(*own)]):
            yield own
        first = at + (at < len(tokens) and tokens[at].kind in ("text", "small", "comma"))


def _ends(tokens: Sequence[_Term], first: int, at: int) -> bool:
    """Whether a formula ends before a token: a word, a comma outside of brackets, a second operand."""
    token = tokens[at]
    if token.kind in ("text", "small"):
        return True
    if token.kind == "comma":
        return _depth(tokens[first:at]) <= 0 and not _is_point(tokens, at)
    if at == first or token.kind not in ("operand", "number", "open") or token.word.glued:
        return False
    before = tokens[at - 1]
    return before.kind in _ENDS and not (before.sure and token.sure)


def _is_point(tokens: Sequence[_Term], at: int) -> bool:
    """Whether a stop is that of a number whose digits stand apart from it, as in TeX."""
    kinds = [token.kind for token in tokens[at - 1 : at + 2]]
    glued = all(token.word.glued for token in tokens[at : at + 2])
    return tokens[at].word.text == "." and kinds == ["number", "comma", "number"] and glued


def _opened(token: _Term) -> int:
    return (token.kind == "open") - (token.kind == "close")


def _depth(tokens: Sequence[_Term]) -> int:
    return sum(map(_opened, tokens))


def _kept(tokens: Sequence[_Term], first: int, end: int) -> tuple[int, int] | None:
    """The run, without brackets around it but those of a list; None if it is no formula, or a part of one."""
    while first < end and tokens[first].kind == "open" and _depth(tokens[first:end]) > 0:
        first += 1
    while first < end and tokens[end - 1].kind == "close" and _depth(tokens[first:end]) < 0:
        end -= 1
    kinds = [token.kind for token in tokens[first:end]]
    if len(kinds) > 2 and (kinds[0], kinds[-1]) == ("open", "close") and "comma" not in kinds:
        first, end = first + 1, end - 1
    depths = [*accumulate(map(_opened, tokens[first:end]))]  # one look, however long the run is
    if not depths or depths[-1] or min(depths) < 0:
        return None
    whole = tokens[first].kind in ("operand", "number", "open") and tokens[end - 1].kind in _ENDS
    return (first, end) if whole else None


def _stands_alone(tokens: Sequence[_Term], first: int, end: int) -> bool:
    """Whether nothing that may belong to the run touches it, on either side."""
    at = first
    while at and tokens[at - 1].kind == "open":  # of a function that is a word?
        at -= 1
    if at and (tokens[at].word.glued or tokens[at - 1].kind == "small"):
        before = tokens[at - 1]
        if before.kind in ("small", "script") or _CALLS.search(before.word.text):
            return False
    if first and tokens[first - 1].kind in ("sign", "script"):
        return False
    if end == len(tokens):
        return True
    after = tokens[end]
    if after.kind in ("small", "script", "sign"):
        return False
    return not after.word.glued or (after.kind != "open" and not _AROUND.match(after.word.text[0]))


def _is_sure(own: Sequence[_Term]) -> bool:
    letters = [token for token in own if token.kind == "operand" and token.word.text not in _DOTS]
    scripts = list(_based(own))
    if not letters:
        return bool(scripts) and all(_is_power(base, script) for base, script in scripts)
    if not all(_belongs(base, script) for base, script in scripts):
        return False
    if all(token.sure for token in letters) or any(token.relates for token in own[1:-1]):
        return True
    return all(letter.sure or any(base is letter for base, _ in scripts) for letter in letters)


def _based(own: Sequence[_Term]) -> Iterator[tuple[_Term, _Term]]:
    """Each script with what it hangs on."""
    base = own[0]
    for token in own:
        if token.kind == "script":
            yield base, token
        else:
            base = token


def _is_power(base: _Term, script: _Term) -> bool:
    """10 to the third, and a number to something below zero."""
    below = bool(_MINUS.fullmatch(script.word.text))
    return script.word.script > 0 and base.kind == "number" and (base.latex == "10" or below)


def _belongs(base: _Term, script: _Term) -> bool:
    """A script that is no mark of a note: lowered, or one digit or letter, or below zero."""
    text = script.word.text
    short = script.word.script < 0 or len(text) == 1 or bool(_MINUS.fullmatch(text))
    return base.sure or (short and base.kind in ("operand", "close")) or _is_power(base, script)


def _latex(own: Sequence[_Term]) -> str:
    r"""The run as LaTeX; "" where scripts stand on scripts."""
    out = ""
    script: Word | None = None
    for token in own:
        word = token.word
        if token.kind != "script":
            out, script = glue(out, token.latex) + " " * (word.text == ","), None
        elif script is None and word.script > 0 and is_prime(word.text, word.font):
            out += "'" * len(word.text)
        elif script is None or script.script != word.script:
            out += ("^" if word.script > 0 else "_") + "{" + token.latex + "}"
            script = word
        elif abs(script.size - word.size) > _LIKE * script.size or abs(script.baseline - word.baseline) > 0.5:
            return ""
        else:
            out = glue(out[:-1], token.latex) + "}"
    return " ".join(out.replace("<", r"\lt").replace(">", r"\gt").split())
