"""Whether two questions ask the same in other words: alike in meaning, and told apart by no word.

A false match is worse than none, and questions that differ in one word are the most alike of all, whatever
the word. So likeness of vectors decides only where every word that carries meaning stands in both questions,
up to its ending and to words that questions use alike (number and how many, share and percentage); a number,
a name, a negation, another kind of question, or one side of a contrast (before and after) tells them apart.
`benchmarks/same_question.py` measures it.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable

from quire.search.analyzer import stemmer
from quire.text import NUMBER_WORDS, ORDINALS

# Cosine from which questions that no word tells apart are taken to be the same, by encoder; others never are.
FLOORS = {"text_sentence_transformers_all_minilm_l6_v2": 0.70, "hash-512": 0.50}
# Cosine from which a past question may be the same: its answer is shown beside it, for a person to decide.
MAYBE = {"text_sentence_transformers_all_minilm_l6_v2": 0.65, "hash-512": 0.60}
# Cosine from which a past question is worth its tokens in a prompt.
AKIN = {"text_sentence_transformers_all_minilm_l6_v2": 0.45}

_WORD = re.compile(r"[^\W_]+(?:[.,][0-9]+)?")
_NUMBERS = frozenset({*NUMBER_WORDS, *ORDINALS}) - {"one"}  # "the one that", "which one"
_CONTRASTS = tuple(
    tuple(frozenset(side.split()) for side in line.split("|"))
    for line in (
        "max maximum highest largest biggest most greatest best top upper above over more greater "
        "higher larger longer better longest strongest fastest increase increased rise rose gain older oldest"
        "|min minimum lowest smallest least worst bottom lower below under less fewer smaller shorter worse "
        "shortest weakest slowest decrease decreased fall fell loss younger youngest colder coldest",
        "before prior previous earlier first start started begin|after later following last end ended final",
        "with including include included|without excluding exclude excluded omitted",
        "men man male males boys father fathers|women woman female females girls mother mothers",
        "train training trained|test testing tested|validation dev development",
        "precision|recall|accuracy|f1",
        "mean average|median|total sum overall|variance deviation",
        "width wide|height high tall|depth deep|length long",
        "input inputs|output outputs",
        "treatment treated intervention|control controls placebo untreated",
        "advantage advantages benefit strengths|disadvantage disadvantages drawback limitation weakness",
        "encoder|decoder",
        "left|right",
        "author authors|page pages|table tables|figure figures|section sections|reference references"
        "|equation equations",
        "who|when|where|why",
        "positive|negative",
        "adult adults|child children infant infants",
        "true|false",
        "alive survived surviving|dead died dying",
    )
)
# Words that questions use alike, a group a line; and those that carry no meaning of their own.
_ALIKE = {
    word: line.split()[0]
    for line in (
        "many number count amount quantity",
        "% percent percentage share fraction proportion rate",
        "average mean averaged",
        "highest maximum max largest biggest greatest most top",
        "lowest minimum min smallest least fewest bottom",
        "type kind sort category",
        "large big",
        "small little",
        "method technique approach procedure",
        "image picture photo",
        "model net network",
        "paper article study work publication",
        "people persons",
        "years yrs",
        "reason why cause",
        "size big",
        "topic subject about",
    )
    for word in line.split()
}
_EMPTY = frozenset(
    "s t m re ve ll d "
    "a an and any are as at be been being by can could did do does for from get gets got give given gives "
    "go had has have how i in into is it its me of on one or please said say says show shown so take "
    "taken takes tell that the their them there these they this those to use used uses using was we were "
    "what what's when where which who whom will with would you your much report reported according "
    "authors author find found name named names called call need needed "
    "".split()
)
_ORDERED = frozenset("than versus vs over beat beats cite cites cited outperform outperforms into".split())
_KINDS = frozenset("who when where why how".split())
_AUXILIARIES = frozenset("is are was were do does did can could has have had will would should".split())
_MEASURED = frozenset(
    "many much long deep far often old big large high wide heavy fast tall thick hot few small".split()
)
_NEGATIONS = frozenset(
    "no not never none neither nor cannot without lack lacks lacking except fail fails".split()
)


# Of how questions are read: words that were stored by another one are read again.
VERSION = zlib.crc32(repr((sorted(_ALIKE.items()), sorted(_EMPTY), _WORD.pattern)).encode())


def meaning_words(question: str) -> str:
    """The words that carry meaning, as one text: questions of different ones are told apart."""
    return " ".join(sorted(_content(_words(question))))


def same_question(question: str, other: str, likeness: float, encoder: str) -> bool:
    """Whether both ask the same; `likeness` is the cosine of their vectors by `encoder`."""
    return likeness >= FLOORS.get(encoder, 2.0) and not told_apart(question, other)


def maybe_same(question: str, other: str, likeness: float, encoder: str) -> bool:
    """Whether a person may be shown one as the other: alike, and neither negated nor opposed by a word."""
    one, two = _words(question), _words(other)
    if bool(_NEGATIONS & one) != bool(_NEGATIONS & two) or any(_opposed(s, one, two) for s in _CONTRASTS):
        return False
    return likeness >= MAYBE.get(encoder, 2.0)


def told_apart(question: str, other: str) -> bool:
    """Whether a number, a name, a negation or a contrast stands in one question and not in the other."""
    one, two = _words(question), _words(other)
    if _marks(one) != _marks(two) or bool(_NEGATIONS & one) != bool(_NEGATIONS & two):
        return True
    if not _names(question) <= two or not _names(other) <= one:
        return True
    if any(_opposed(sides, one, two) for sides in _CONTRASTS):
        return True
    if _kind(question) != _kind(other) or _content(one) != _content(two):
        return True
    return bool(_ORDERED & (one | two)) and _sequence(question) != _sequence(other)


def opposed(word: str, question: str) -> bool:
    """Whether a word is on the other side of a contrast than the question: "lowest", if it says "highest"."""
    one, two = _words(word), _words(question)
    return any(_opposed(sides, one, two) for sides in _CONTRASTS)


def _words(question: str) -> frozenset[str]:
    text = re.sub(r"n['\u2019]t\b", " not", question.lower())
    return frozenset(word.removesuffix("'s") for word in _WORD.findall(text))


def _kind(question: str) -> str:
    """Who, when, where, why, how, yes or no ("is"), else "what", which counts and measures are too."""
    words: list[str] = _WORD.findall(question.lower())
    if words and words[0] in _AUXILIARIES:
        return "is"
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word in _KINDS and not (word == "how" and following in _MEASURED):
            return word
    return "what"


def _sequence(question: str) -> list[str]:
    """The words that carry meaning, in their order."""
    return [word for word in _WORD.findall(question.lower()) if word not in _EMPTY]


def _content(words: Iterable[str]) -> frozenset[str]:
    """What words carry meaning, without their endings, words that questions use alike as one."""
    kept = [_ALIKE.get(word, word) for word in words if word not in _EMPTY]
    return frozenset(stemmer().stemWords(kept))


def _marks(words: Iterable[str]) -> frozenset[str]:
    """Numbers, and whatever else has a digit."""
    return frozenset(word for word in words if word in _NUMBERS or any(map(str.isdigit, word)))


def _names(question: str) -> frozenset[str]:
    """Words with a capital inside, or in front but not at the question's start; single letters."""
    found = _WORD.findall(question)
    inner = (word for word in found if word[1:] != word[1:].lower())
    capital = (word for word in found[1:] if word[:1].isupper())
    single = (word for word in found if len(word) == 1 and word.lower() not in "aisto")
    return frozenset(word.lower() for word in (*inner, *capital, *single))


def _opposed(sides: tuple[frozenset[str], ...], one: frozenset[str], two: frozenset[str]) -> bool:
    """Whether the questions stand on different sides of a contrast, and both on some."""
    first = {number for number, side in enumerate(sides) if side & one}
    second = {number for number, side in enumerate(sides) if side & two}
    return bool(first) and bool(second) and first != second
