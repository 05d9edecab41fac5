"""Is this text the gold text? Exactly, or nearly.

Contract: texts are compared in Unicode NFC without outer blanks. `lowercase` folds case, `ignore_blank`
removes every blank inside. A text may also be spelled as a quoted literal; a number or truth value counts
by its spelling (gold "2048", answer 2048). A list of one text is that text; longer lists and mappings are
never texts.

`fuzz_method` is one of `ratio`, `partial_ratio`, `token_sort_ratio`, `token_set_ratio`, with a threshold from
0 to 100; a likeness is rounded to whole numbers, and the two of tokens look at letters and digits only,
without case, as those of fuzzywuzzy do. The two that compare a part with a whole would call any single letter
of the gold a full match: for them an answer shorter than half the gold is wrong.

    >>> exact("'refinement' ", "Refinement", lowercase=True).value
    1.0
"""

from __future__ import annotations

import json
import re
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from quire.eval.scorers.scores import right, scorer, shorten, wrong
from quire.literals import MAX_CHARS, NotALiteral, read, unfence
from quire.types import Score

FuzzMethod = Literal["ratio", "partial_ratio", "token_sort_ratio", "token_set_ratio"]
_PART_OF_WHOLE = {"partial_ratio", "token_set_ratio"}
_BLANK = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class TextRule:
    """How two texts are compared. A threshold below 0 asks for equality."""

    lowercase: bool = False
    ignore_blank: bool = False
    fuzz_method: FuzzMethod = "ratio"
    threshold: float = -1

    def normal(self, text: str) -> str:
        """The text as it is compared."""
        text = unicodedata.normalize("NFC", text).strip()
        if self.ignore_blank:
            text = _BLANK.sub("", text)
        return text.lower() if self.lowercase else text


@scorer
def exact(prediction: Any, gold: str, lowercase: bool = False, ignore_blank: bool = False) -> Score:
    """1 if the texts are equal. Published as `eval_string_exact_match`."""
    return _score(prediction, gold, TextRule(lowercase, ignore_blank))


@scorer
def fuzzy(
    prediction: Any,
    gold: str,
    fuzz_method: FuzzMethod = "ratio",
    threshold: float = 95,
    ignore_blank: bool = False,
    lowercase: bool = False,
) -> Score:
    """1 if the texts are alike by at least `threshold` of 100. Published as `eval_string_fuzzy_match`."""
    return _score(prediction, gold, TextRule(lowercase, ignore_blank, fuzz_method, threshold))


def _score(prediction: Any, gold: str, rule: TextRule) -> Score:
    reason = difference(only_text(prediction), gold, rule)
    return wrong(reason) if reason else right(f"It says {shorten(gold)}.")


def only_text(prediction: Any) -> Any:
    """The text in a list of one, spelled or not; anything else as it is."""
    value = prediction
    if isinstance(value, str) and unfence(value)[:1] in ("[", "("):
        try:
            value = read(value)
        except NotALiteral:
            return prediction
    one = isinstance(value, (list, tuple)) and len(value) == 1 and isinstance(value[0], str)
    return value[0] if one else prediction


def difference(prediction: Any, gold: str, rule: TextRule) -> str:
    """Why the prediction is not the gold text, or "" if it is."""
    spellings = spelled(prediction)
    if not spellings:
        return f"A text was asked; {shorten(prediction)} is none."
    reasons = [_difference(rule.normal(text), rule.normal(gold), rule) for text in spellings]
    return "" if "" in reasons else reasons[0]


def spelled(prediction: Any) -> list[str]:
    """The texts that a prediction may be meant to spell; none for a list, a mapping or nothing."""
    if isinstance(prediction, (bool, int, float)):
        return list(dict.fromkeys([repr(prediction), json.dumps(prediction)]))
    if not isinstance(prediction, str):
        return []
    bare = unfence(prediction)
    texts = [prediction] if bare == prediction.strip() else [prediction, bare]
    if bare[:1] in "'\"rR" and bare[-1:] in "'\"" and len(bare) <= MAX_CHARS:
        with suppress(NotALiteral):
            inner = read(bare)
            texts += [inner] if isinstance(inner, str) else []
    return texts


def _difference(prediction: str, gold: str, rule: TextRule) -> str:
    if prediction == gold:
        return ""
    if rule.threshold < 0:
        return f"{shorten(prediction)} is not {shorten(gold)}."
    if rule.fuzz_method in _PART_OF_WHOLE and 2 * len(prediction) < len(gold):
        return f"{shorten(prediction)} is less than half of {shorten(gold)}."
    from rapidfuzz import fuzz, utils

    words = utils.default_process if rule.fuzz_method.startswith("token") else None
    alike = round(getattr(fuzz, rule.fuzz_method)(prediction, gold, processor=words))
    needed = percent(rule.threshold)
    if alike >= needed:
        return ""
    return f"{shorten(prediction)} is like {shorten(gold)} by {alike:.0f} of 100, {needed:g} are needed."


def percent(threshold: float) -> float:
    """The threshold out of 100. One that is given as a share of 1 (0.9) is meant as 90."""
    return threshold * 100 if 0 < threshold <= 1 else threshold


@scorer
def relevant(
    prediction: Any, question: str, reference_answer: str | list[str], threshold: float = 95
) -> Score:
    """1 if it is one of the titles. Published as `eval_paper_relevance_with_reference_answer`.

    Titles are compared without case; runs of blanks count as one, as in a title that is cut over lines.
    """
    titles = [reference_answer] if isinstance(reference_answer, str) else reference_answer
    prediction = only_text(prediction)
    if not isinstance(prediction, str):
        return wrong(f"A title was asked; {shorten(prediction)} is none.")
    rule = TextRule(lowercase=True, threshold=threshold)
    for title in titles:
        for said in spelled(prediction):
            if not difference(_folded(said), _folded(title), rule):
                return right(f"It is {shorten(title)}.")
    return wrong(f"{shorten(prediction)} is not {shorten(titles[0] if titles else '')}.")


def _folded(title: str) -> str:
    return " ".join(title.split())
