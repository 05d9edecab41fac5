"""Sentences of a text, with their offsets, numbers in words, and words that say nothing by themselves.

A full stop ends a sentence unless it stands in an abbreviation ("et al.", "Fig.", initials) or before
something that goes on in lower case. The marks of Chinese and Japanese end one without a blank. Rules only.

    [text[a:b] for a, b in sentences("See Fig. 2. It works.")]   # ['See Fig. 2.', 'It works.']
"""

from __future__ import annotations

import re

_TO_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
_TENS = "thirty forty fifty sixty seventy eighty ninety hundred"
NUMBER_WORDS = {word: number for number, word in enumerate(_TO_TWENTY.split())} | {
    word: 10 * tens for tens, word in enumerate(_TENS.split(), start=3)
}
"""English words of numbers, with the numbers."""
ORDINALS = {
    word: number
    for number, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
        "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split(),
        start=1,
    )
}
"""English words of places in an order, with the places from 1."""
FUNCTION_WORDS = frozenset(
    """a about above after again against all also am an and any are as at be because been before being below
    between both but by can cannot could did do does doing down during each few for from further had has
    have having he her here hers him his how however i if in into is it its itself may me might more most
    must my no nor not of off on once only or other our ours out over own same she should since so some such
    than that the their theirs them then there these they this those through thus to too under until up upon
    us very via was we were what when where whether which while who whom why will with within without would
    you your""".split()
)
"""English words that no search and no summary counts; both add their own."""
_END = re.compile(
    r"([.!?؟])([\"'”’)\]]*(?:\^[\d,–-]+|\[\d[\d,\s–-]*\])?)(?=\s|$)|[。！？｡]+[”’」』）)\]]*|\n{2,}"
)
_UNSPACED = re.compile(r"[。！？｡][”’」』）)\]]*$")
_SHORT = re.compile(
    r"(?:^|[\s(\[])(?:[A-Z]|(?-i:(?:[A-Z]\.){1,5}[A-Z])|al|etc|e\.g|i\.e|cf|vs|viz|ca|approx|resp|incl|fig|figs|"
    r"tab|eq|eqs|eqn|sec|sect|ch|chap|ref|refs|no|nos|vol|pp|ed|eds|dr|prof|mr|mrs|ms|st|jr|sr|inc|ltd|co|corp|dept|univ|spp|sp|var|subsp|"
    r"z\.b|d\.h|bzgl|bzw|ggf|sog|usw|vgl|abb|nr|bd|hrsg|u\.a)$",
    re.IGNORECASE,
)
_MAY_END = re.compile(r"\b(?:al|etc|resp)$|[A-Z]\.[A-Z]$")
_FIRST = (
    "After|All|Although|An?|And|As|At|But|By|For|He|However|If|In|It|On|Our|She|The|Then|There|These|"
    "They|This|Those|Thus|To|We|When|While"
)
_BEGINS = re.compile(rf"[(\"“]*(?:{_FIRST})\b")  # begins a sentence, and no name
_LETTER = re.compile(r"\b[a-z]{2,} [A-Z]$")  # "in R", "vitamin C": a name, or an initial
_GOES_AHEAD = re.compile(rf"(?!(?:An?|He|She|On|To)\b){_BEGINS.pattern} [a-z]")  # and no surname
_OF_NUMBERS = "(?<!(?i:log|exp|sin|cos|tan|mol|min|sec))"  # behind a function or unit: a base or a power
# Behind a word or a stop, and no unit (cm^2), charge (Al^3+) or power (10^4); behind a short word, a bracket
# or a blank more than a small digit. And the number that a footnote begins with, "10In our ...", but that of
# no isotope ("4He").
_RAISED = re.compile(
    r"(?:(?:(?<=[^\W\d_]{4})(?<![fpnmk\u00b5\u03bc]mol)|(?<=[.,;:]))\^\[?"
    rf"|(?:(?<=[^\W\d_]{{3}}){_OF_NUMBERS}|(?<=[^\W\d_]{{2}}\))|(?<=[^\W\d_]{{3}}){_OF_NUMBERS} )\^\[?"
    r"(?=\d\d|\d[,\u2013-]\d|[5-9]))"
    r"\d{1,3}(?:[,\u2013-]\d{1,3}){0,20}\]?(?![\d+\u2212-])"
    rf"|\A\d{{1,2}}(?=(?:{_FIRST}) [a-z])(?!(?:A|As|At|He) )"
)
_ASCII_SIGNS = bytes(code for code in range(128) if not chr(code).isalnum())


def sentences(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence, without the space between them."""
    out: list[tuple[int, int]] = []
    start = 0
    for match in _END.finditer(text):
        end = match.end()
        if match.group(1) == "." and _goes_on(text, match.start(), end):
            continue
        _add(out, text, start, end)
        start = end
    _add(out, text, start, len(text))
    return out


def _goes_on(text: str, stop: int, end: int) -> bool:
    before = text[max(0, stop - 12) : stop]
    after = text[end : end + 15].lstrip()
    if _SHORT.search(before):
        # "et al. The", "the U.S. The" and "in R. The" may end a sentence, but "J. The", "Fig." never do.
        ended = _MAY_END.search(before)
        if _LETTER.search(before):
            return not _GOES_AHEAD.match(after)
        return not (ended and (_BEGINS.match(after) if "." in ended[0] else after[:1].isupper()))
    return after[:1].islower()


def sentence_texts(text: str) -> list[str]:
    """The sentences themselves, each in one line."""
    return [" ".join(text[start:end].split()) for start, end in sentences(text)]


def without_marks(text: str) -> str:
    """A text as it is shown: without the raised numbers that point to references, which print as "^32,34"."""
    return _RAISED.sub("", text)


def bare(text: str) -> str:
    """The letters and digits of a text in lower case, by which it is known again."""
    if text.isascii():  # ten times as fast
        return text.lower().encode().translate(None, _ASCII_SIGNS).decode()
    return "".join(filter(str.isalnum, text.lower()))


def space_after(sentence: str) -> str:
    """What stands between a sentence and the next of its paragraph: nothing in Chinese and Japanese."""
    return "" if _UNSPACED.search(sentence) else " "


def _add(out: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    lead = len(piece) - len(piece.lstrip())
    piece = piece.strip()
    if piece:
        out.append((start + lead, start + lead + len(piece)))
