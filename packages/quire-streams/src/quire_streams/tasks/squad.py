"""Answers compared as SQuAD does: lower case, no punctuation, no articles, single blanks.

Rajpurkar et al. 2016; the F1 counts tokens as a multiset, as the official script does.
"""

from __future__ import annotations

import re
import string
from collections import Counter

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = frozenset(string.punctuation)


def normalise(answer: str) -> str:
    """The form in which answers are compared."""
    lowered = "".join(char for char in answer.lower() if char not in _PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", lowered).split())


def exact(answer: str, gold: str) -> float:
    """1 if they are the same after normalisation."""
    return float(normalise(answer) == normalise(gold))


def f1(answer: str, gold: str) -> float:
    """Harmonic mean of token precision and recall; yes, no and noanswer count only as a whole (HotpotQA)."""
    said, meant = normalise(answer), normalise(gold)
    if said != meant and {said, meant} & {"yes", "no", "noanswer"}:
        return 0.0
    said_tokens, meant_tokens = said.split(), meant.split()
    common = sum((Counter(said_tokens) & Counter(meant_tokens)).values())
    if not common:
        return float(said == meant)
    precision, recall = common / len(said_tokens), common / len(meant_tokens)
    return 2 * precision * recall / (precision + recall)


def f1_of_sets(answer: str, gold: str) -> float:
    """As StreamBench's published code counts: tokens shared as sets, over the lengths as lists."""
    said, meant = normalise(answer).split(), normalise(gold).split()
    common = len(set(said) & set(meant))
    if not common:
        return 0.0
    precision, recall = common / len(said), common / len(meant)
    return 2 * precision * recall / (precision + recall)
