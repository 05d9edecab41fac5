"""The form that an answer is asked in, read from words or a JSON schema, and checked on a value.

    wanted = read_format("Your answer should be a list of a string and a float.")
    wanted.coerce('["ELECTRA", "96.9"]')    ->  ["ELECTRA", 96.9]
    read_format("a single integer").coerce("many")
        AnswerFormatError: The answer must be a whole number, not 'many'.

An answer is never changed behind its author's back. A value becomes another one only where nothing is lost:
`"3"` is 3 where a number is asked, a JSON or Python literal is what it spells where a list or an object is;
an object that holds nothing but an `answer` is that answer, unless an object is wanted;
everything else is passed through as it is ("58.06%" stays so, and so does one text where a list is asked).
It is refused only where it cannot be meant: a text without any digit for a number, a number for a list,
something else than the only choices there are, and numbers that no JSON reader takes (NaN, infinity, more
than some 300 digits).

Words are read cautiously, in one pass over at most `MAX_CHARACTERS`: a kind is taken from the first word of
the sentence that is not one of `_FILLERS`; examples ("e.g. ...", quoted text) say nothing. `outright` is
true where no other kind is named: only then may a value be refused. An empty format accepts anything.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from quire.ask.json_schema import DEEPEST, check_schema
from quire.errors import AnswerFormatError
from quire.literals import NotALiteral, find_excess, read
from quire.text import ORDINALS

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
    following = [word for word in rest[:2] if word != "point"]  # "floating point number" is a float
    if kind == "float" and following and _KIND_OF.get(following[0]) == "int":
        kind = "int"
    return Form(kind, outright=free)


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
    kind, _ = _leading(clause)
    alike = len({_KIND_OF[token] for token in clause if token in _KIND_OF}) == 1
    return Form(kind) if alike and kind != "any" else None


def _by_place(rest: Sequence[str]) -> tuple[Form, ...]:
    """`of a string and a float`, or `the first is a string, the second a float`."""
    found: dict[int, Form] = {}
    places = [(at, ORDINALS[token] - 1) for at, token in enumerate(rest) if token in ORDINALS]
    for number, (at, place) in enumerate(places):
        end = places[number + 1][0] if number + 1 < len(places) else len(rest)
        kind, after = _leading(_told(rest[at + 1 : end]))
        if kind != "any" and place not in found:
            found[place] = Form(kind, every=_each(after) if kind == "list" else None)
    if not found and rest[:1] == ["of"]:
        clause = _clause(rest[1:])
        parts = " ".join(clause).replace(" followed by ", " and ").split(" and ")
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


_INTEGER = re.compile(r"[-+]?\d{1,300}")
_FLOAT = re.compile(r"[-+]?(?:\d{1,300}(?:\.\d{0,300})?|\.\d{1,300})(?:[eE][-+]?\d{1,3})?")
_MINUS = "\u2212"
_TRUTHS = {"yes": True, "true": True, "no": False, "false": False}
_NOUNS = {"int": "a whole number", "float": "a number", "bool": "true or false"}


@dataclass(frozen=True, slots=True)
class AnswerFormat:
    """A form: `form` is what the words or the schema say of the value and its elements.

    `choices` are the only texts allowed, `schema` a JSON schema that the value must satisfy.
    """

    form: Form = Form()
    choices: tuple[str, ...] = ()
    schema: Mapping[str, Any] | None = None
    words: str = ""

    @property
    def kind(self) -> str:
        """One of any, str, int, float, bool, list, dict."""
        return self.form.kind

    def is_none(self, value: Any) -> bool:
        """Whether it says that there is none: None, or `{"answer": null}` where no object is asked for."""
        return self._plain(value) is None

    def coerce(self, value: Any) -> Any:
        """The value in this form.

        Raises:
            AnswerFormatError: it cannot be meant as that; the message says what was wanted.
        """
        if problem := unsound(value):
            raise AnswerFormatError(problem)
        read_value = _fitted(self._plain(value), self.form)
        if self.schema is not None:
            if problem := check_schema(read_value, self.schema):
                raise AnswerFormatError(f"The answer does not fit its JSON schema: {problem}.")
        else:
            _refuse(read_value, self.form, self.choices)
        return read_value

    def _plain(self, value: Any) -> Any:
        return value if self.schema is not None or self.kind == "dict" else _unwrapped(value)


def read_format(words: str = "", schema: Mapping[str, Any] | None = None) -> AnswerFormat:
    """The form that is described in words, or by a JSON schema, or by a type's name (`int`)."""
    if schema is not None:
        told = json.dumps(schema, sort_keys=True, default=str)
        return AnswerFormat(schema_form(schema), schema=schema, words=told)
    form = read_words(words)
    return AnswerFormat(form, closed_choices(words) if form.kind in ("any", "str") else (), None, words)


_SCHEMA_KINDS = {
    "string": "str", "integer": "int", "number": "float", "boolean": "bool",
    "array": "list", "object": "dict",
}  # fmt: skip


def schema_form(schema: Any, depth: int = 0) -> Form:
    """The kinds that a schema names, for what is inside too."""
    if not isinstance(schema, Mapping) or depth > DEEPEST:
        return Form()
    named, fields = schema.get("type"), schema.get("properties")
    inner = schema_form(schema.get("items"), depth + 1) if "items" in schema else None
    known = fields.items() if isinstance(fields, Mapping) else ()
    return Form(
        _SCHEMA_KINDS.get(named, "any") if isinstance(named, str) else "any",
        every=inner,
        fields={str(name): schema_form(each, depth + 1) for name, each in known},
    )


def unsound(value: Any) -> str:
    """Why a value cannot be stored or sent as JSON, "" if it can: too deep, too large, or not finite."""
    return find_excess(value, _not_finite)


def _not_finite(part: Any) -> str:
    wrong = isinstance(part, int | float) and not _finite(part)
    return "The answer holds a number that is not finite or too large." if wrong else ""


def _finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def _fitted(value: Any, form: Form) -> Any:
    """The value with everything converted that loses nothing by it."""
    if isinstance(value, str) and form.kind in ("list", "dict"):
        value = _literal(value, list if form.kind == "list" else dict)
    if isinstance(value, list | tuple) and form.kind == "list":
        return [_fitted(each, form.element(place, len(value))) for place, each in enumerate(value)]
    if isinstance(value, Mapping) and form.kind == "dict":
        return {str(key): _fitted(each, form.field(str(key))) for key, each in value.items()}
    convert = _SCALARS.get(form.kind)
    return convert(value) if convert else value


def _unwrapped(value: Any) -> Any:
    """The answer of `{"answer": 126}`, as an object or as a text; else the value."""
    spelt = _literal(value, dict) if isinstance(value, str) and value.lstrip().startswith("{") else value
    return spelt["answer"] if isinstance(spelt, Mapping) and [*spelt] == ["answer"] else value


def _literal(text: str, kind: type) -> Any:
    """The list or dictionary that a text spells, or the text."""
    try:
        value = read(text, spoken=True)
    except NotALiteral:
        return text
    return value if isinstance(value, kind) else text


def _whole(value: Any) -> Any:
    if isinstance(value, str) and _INTEGER.fullmatch(_bare(value)):
        return int(_bare(value))
    number = _real(value)
    return int(number) if isinstance(number, float) and number.is_integer() else number


def _real(value: Any) -> Any:
    if not isinstance(value, str) or not _FLOAT.fullmatch(_bare(value)):
        return value
    bare = _bare(value)
    number = int(bare) if _INTEGER.fullmatch(bare) else float(bare)
    return number if _finite(number) else value


def _bare(text: str) -> str:
    return text.strip().replace(_MINUS, "-")


def _truth(value: Any) -> Any:
    return _TRUTHS.get(value.strip().lower().rstrip("."), value) if isinstance(value, str) else value


_SCALARS: Mapping[str, Callable[[Any], Any]] = {"int": _whole, "float": _real, "bool": _truth}


def _refuse(value: Any, form: Form, choices: Sequence[str]) -> None:
    """Send back what cannot be meant as the form, where the words say outright what is wanted."""
    shown = repr(value)[:60]
    folded = [choice.strip(" .").lower() for choice in choices]
    if choices and isinstance(value, str) and value.strip(" .").lower() not in folded:
        raise AnswerFormatError(f"The answer must be one of {', '.join(choices)}, not {shown}.")
    if not form.outright or value is None:
        return
    if form.kind in _NOUNS and not _may_be(value, form.kind):
        raise AnswerFormatError(f"The answer must be {_NOUNS[form.kind]}, not {shown}.")
    if form.kind == "list" and isinstance(value, bool | int | float | Mapping):
        raise AnswerFormatError(f"The answer must be a list, not {shown}.")
    if form.kind == "dict" and not isinstance(value, str | Mapping):
        raise AnswerFormatError("The answer must be an object with named fields.")


def _may_be(value: Any, kind: str) -> bool:
    """Whether a value that was not converted may still be meant as a number or truth value."""
    if kind == "bool":
        return isinstance(value, bool | int)
    if isinstance(value, str):
        return any(char.isdigit() for char in value) and not _too_long(value)
    return isinstance(value, int | float) and not isinstance(value, bool)


def _too_long(text: str) -> bool:
    """Whether a text spells a number, and one that is too large to be read."""
    bare = _bare(text).replace(",", "").replace("_", "")
    digits = sum(char.isdigit() for char in bare)
    if len(bare) - digits > 5 or (digits <= 300 and "e" not in bare.lower()):
        return False
    try:
        return not math.isfinite(float(bare))
    except ValueError:
        return False
