"""What a reader knows of question forms: which kinds of answers each form wants.

    form_of(take_apart("In what year was it built?")).shares -> {"year": 0.95, "date": 0.05}

A form is recognised by its question word and the noun asked for. The shares are estimates by hand, made with
the development questions in view.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from quire.tasks.offline.hotpotqa import gazetteer
from quire.tasks.offline.hotpotqa.asked import Asked
from quire.tasks.offline.hotpotqa.kinds import KINDS, Kind
from quire.tasks.offline.hotpotqa.words import stem

_LEAST = 0.01  # share of a kind that nothing speaks for
Shares = Mapping[Kind, float]


@dataclass(frozen=True, slots=True)
class Form:
    """A form of questions: how it is recognised, and the shares of the kinds of its answers."""

    name: str
    fits: Callable[[Asked], bool]
    shares: Shares


def _heads(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split())


_TIMES = _heads("date day month time")
_COUNTS = _heads("population number age percentage height length size rank index amount")
_NATURES = _heads(
    "type kind sort genre profession occupation career species animal instrument sport color language thing "
    "genus media form achievement nickname product services religion style family"
)
_PLACES = gazetteer.PLACE_NOUNS | _heads("stadium arena airport")
_PERSONS = gazetteer.PERSON_NOUNS | _heads("star member character celebrity champion")
_NATIONALITY = stem("nationality")

FORMS = (
    Form("choice", lambda asked: "has:or" in asked.form, {"offered": 0.9, "name": 0.05, "person": 0.05}),
    Form("verdict", lambda asked: asked.word in ("be", "do", "have", "can"), {"verdict": 1.0}),
    Form("year", lambda asked: asked.head == "year", {"year": 0.95, "date": 0.05}),
    Form(
        "date",
        lambda asked: asked.word == "when" or asked.head in _TIMES,
        {"date": 0.55, "year": 0.4, "phrase": 0.05},
    ),
    Form("count", lambda asked: asked.word == "how" or asked.head in _COUNTS, {"count": 0.9, "phrase": 0.1}),
    Form("people", lambda asked: asked.head == _NATIONALITY, {"people": 0.95, "name": 0.05}),
    Form("nature", lambda asked: "has:kind" in asked.form, {"phrase": 0.8, "name": 0.2}),
    Form(
        "place",
        lambda asked: asked.word == "where" or asked.head in _PLACES,
        {"place": 0.6, "name": 0.35, "group": 0.05},
    ),
    Form(
        "person",
        lambda asked: asked.word in ("who", "whom", "whose") or asked.head in _PERSONS,
        {"person": 0.7, "name": 0.3},
    ),
    Form(
        "group",
        lambda asked: asked.head in gazetteer.GROUP_NOUNS,
        {"group": 0.45, "name": 0.5, "place": 0.05},
    ),
    Form(
        "work",
        lambda asked: asked.head in gazetteer.WORK_NOUNS,
        {"work": 0.5, "name": 0.45, "person": 0.05},
    ),
    Form(
        "nature",
        lambda asked: asked.head in _NATURES or bool({"has:both", "has:same", "has:common"} & asked.form),
        {"phrase": 0.8, "name": 0.2},
    ),
)
_ANY_FORM: Shares = {
    "name": 0.4, "phrase": 0.25, "person": 0.15, "count": 0.05, "group": 0.05, "place": 0.05, "work": 0.05,
}  # fmt: skip
OTHER = Form("other", lambda _: True, _ANY_FORM)
# Without knowing the form: the shares of kinds among all questions.
GUESS: Shares = {
    "name": 0.3, "person": 0.14, "phrase": 0.1, "verdict": 0.09, "offered": 0.09, "place": 0.07,
    "count": 0.06, "year": 0.05, "work": 0.04, "group": 0.03, "date": 0.02, "people": 0.01,
}  # fmt: skip


def form_of(asked: Asked) -> Form:
    """The first form that fits."""
    return next((form for form in FORMS if form.fits(asked)), OTHER)


def smoothed(shares: Shares) -> dict[Kind, float]:
    """Every kind with at least a small share, adding up to 1."""
    raw = {kind: shares.get(kind, 0.0) + _LEAST for kind in KINDS}
    total = sum(raw.values())
    return {kind: share / total for kind, share in raw.items()}
