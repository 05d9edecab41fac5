"""What words say of an answer's form: its kind, and that of its elements, each for itself.

    read_words("a list of a string and a float").element(1, 2)              ->  Form("float")
    read_words("a Python list of two elements, the first is an integer")    ->  ... element(0, 2) is "int"
    read_words("The title, with the year if there is one.")                 ->  Form("any")

Contract: one pass over at most `MAX_CHARACTERS`; no regular expression looks at more than a word. A kind is
taken from the first word of the sentence that is not one of `_FILLERS`; examples ("e.g. ...", quoted text)
say nothing. `outright` is true where no other kind is named: only then may a value be refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

MAX_CHARACTERS = 4000
_WORD = re.compile(r"[a-z]{1,30}(?:-th)?|\d{1,9}|[.,;:]")
_EXAMPLE = re.compile(r"\be\.?g\.?[\s,:]|\bfor example\b|\bsuch as\b|\blike \W")
_QUOTED = re.compile(r"\"[^\"\n]{0,200}\"|\u201c[^\u201d\n]{0,200}\u201d|[\[{(][^\])}\n]{0,400}[\])}]")
_KINDS = {
    "list": "list lists array arrays tuple",
    "dict": "dict dicts dictionary dictionaries object objects json",
    "bool": "bool bools boolean booleans",
    "int": "int ints integer integers",
    "float": "float floats floating decimal number numbers percentage percentages numeric",
    "str": "str string strings word words phrase phrases sentence sentences text texts paragraph paragraphs "
    "name names title formula",
}
_KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words.split()}
_FILLERS = frozenset(
    "your the answer answers should must be is are in as a an of one single python python's valid just only "
    "exact exactly plain raw short brief concise whole real rounded positive two three four five six seven "
    "eight nine ten several please return give provide output write respond reply with type value format "
    "element elements item items which will represent represents representing indicating list's "
    "first-level free form".split()
)
_ORDINALS = {
    word: place
    for place, words in enumerate(
        (
            "first 1st 1",
            "second 2nd 2",
            "third 3rd 3",
            "fourth 4th 4",
            "fifth 5th 5",
            "sixth 6th 6",
            "seventh 7th 7",
            "eighth 8th 8",
        )
    )
    for word in words.split()
    if not word.isdigit()
}
_STOPS = frozenset(".,;:")


@dataclass(frozen=True, slots=True)
class Form:
    """A kind, and the forms of what is inside: `items` by place, `every` for all, `fields` by name."""

    kind: str = "any"
    items: tuple[Form, ...] = ()
    every: Form | None = None
    last: Form | None = None
    fields: Mapping[str, Form] = field(default_factory=dict)
    outright: bool = False

    def element(self, place: int, count: int) -> Form:
        """The form of one element of `count`."""
        if self.last is not None and place == count - 1:
            return self.last
        if place < len(self.items) and self.items[place].kind != "any":
            return self.items[place]
        return self.every or Form()

    def field(self, name: str) -> Form:
        """The form of a named field."""
        return self.fields.get(name) or self.every or Form()


def read_words(words: str) -> Form:
    """The form that the words describe."""
    said = _QUOTED.sub(" ", words[:MAX_CHARACTERS].lower())
    example = _EXAMPLE.search(said)
    tokens = _WORD.findall(said[: example.start()] if example else said)
    kind, rest = _leading(tokens)
    if kind == "any":
        return Form()
    others = {_KIND_OF[token] for token in rest if token in _KIND_OF}
    if kind == "list":
        outright = "otherwise" not in rest and "if" not in rest
        return Form("list", _by_place(rest), _each(rest), _last(rest), outright=outright)
    alike = {"float", "int"} if kind in ("float", "int") else {kind}
    free = not (others - alike) and not {"or", "if", "otherwise"} & set(rest)
    if kind in ("int", "float") and rest[:1] == ["point"]:
        rest = rest[1:]
    return Form(_narrowed(kind, rest), outright=free)


def _narrowed(kind: str, rest: Sequence[str]) -> str:
    """`integer number` and `floating point number` are what their first word says."""
    return "int" if kind == "float" and rest[:1] and _KIND_OF.get(rest[0]) == "int" else kind


def _leading(tokens: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The kind that the first telling word names, and the words after it."""
    for place, token in enumerate(tokens):
        if token in _KIND_OF:
            rest = tokens[place + 1 :]
            # "a string list" is a list, "a JSON object" an object, "an integer list" a list.
            if rest[:1] and _KIND_OF.get(rest[0]) in ("list", "dict"):
                return _KIND_OF[rest[0]], rest[1:]
            return _KIND_OF[token], rest
        if token not in _FILLERS and not token.isdigit():
            break
    return "any", ()


def _each(rest: Sequence[str]) -> Form | None:
    """`list of strings`: the kind of all elements, if it is only one."""
    if rest[:1] != ["of"]:
        return None
    clause = _clause(rest[1:])
    kinds = [token for token in clause if token in _KIND_OF]
    kind, _ = _leading(clause)
    if len({_KIND_OF[token] for token in kinds}) == 1 and kind != "any":
        return Form(kind)
    return None


def _by_place(rest: Sequence[str]) -> tuple[Form, ...]:
    """`of a string and a float`, or `the first is a string, the second a float`."""
    found: dict[int, Form] = {}
    places = [(at, _ORDINALS[token]) for at, token in enumerate(rest) if token in _ORDINALS]
    for number, (at, place) in enumerate(places):
        end = places[number + 1][0] if number + 1 < len(places) else len(rest)
        kind, after = _leading(_told(rest[at + 1 : end]))
        if kind != "any" and place not in found:
            found[place] = Form(kind, every=_each(after) if kind == "list" else None)
    if not found and rest[:1] == ["of"]:
        clause = _clause(rest[1:])
        parts = " ".join(token for token in clause).replace(" followed by ", " and ").split(" and ")
        kinds = [_leading(part.split())[0] for part in parts]
        if len(kinds) > 1 and "any" not in kinds:
            found = {place: Form(kind) for place, kind in enumerate(kinds)}
    return tuple(found.get(place, Form()) for place in range(max(found, default=-1) + 1))


def _last(rest: Sequence[str]) -> Form | None:
    if "last" not in rest:
        return None
    kind, _ = _leading(_told(rest[rest.index("last") + 1 :]))
    return Form(kind) if kind != "any" else None


def _told(tokens: Sequence[str]) -> Sequence[str]:
    """The words after the first "is", "should be", "represents", or a comma."""
    for at, token in enumerate(tokens[:6]):
        if token in ("is", "be", "being", "are", ","):
            return tokens[at + 1 :]
    return tokens


def _clause(tokens: Sequence[str]) -> Sequence[str]:
    end = next((at for at, token in enumerate(tokens) if token in _STOPS), len(tokens))
    return tokens[:end]


_CHOICE = re.compile(r"[\"'\u201c\u2018]([^\"'\u201c\u201d\u2018\u2019\n]{1,40})[\"'\u201d\u2019]")
_OFFERED = ("either", "one of", "must be", "should be", "answer with", "choose")


def closed_choices(words: str) -> tuple[str, ...]:
    """The only texts that are allowed, if the words close the choice: `either "A" or "B"`, `Yes or No`."""
    said = words[:MAX_CHARACTERS]
    lowered = said.lower()
    if _EXAMPLE.search(lowered):
        return ()
    found = list(_CHOICE.finditer(said))
    if len(found) > 1:
        before = lowered[: found[0].start()].rstrip(" :")
        between = [lowered[one.end() : two.start()] for one, two in zip(found, found[1:], strict=False)]
        joined = all(not gap.replace("or", "").strip(" ,/") for gap in between)
        if joined and any("or" in gap or "/" in gap for gap in between) and before.endswith(_OFFERED):
            return tuple(match[1] for match in found)
    bare = " ".join(lowered.replace("/", " or ").strip(" .").split())
    return ("Yes", "No") if bare.endswith(("yes or no", "either yes or no")) and len(bare) < 60 else ()
