"""The form that an answer is asked in, read from words or a JSON schema, and checked on a value.

    wanted = read_format("Your answer should be a list of a string and a float.")
    wanted.coerce('["ELECTRA", "96.9"]')    ->  ["ELECTRA", 96.9]
    read_format("a single integer").coerce("many")
        AnswerFormatError: The answer must be a whole number, not 'many'.

An answer is never changed behind its author's back. A value becomes another one only where nothing is lost:
`"3"` is 3 where a number is asked, a JSON or Python literal is what it spells where a list or an object is;
everything else is passed through as it is ("58.06%" stays so, and so does one text where a list is asked). It
is refused only where it cannot be meant: a text without any digit for a number, a number for a list,
something else than the only choices there are, and numbers that no JSON reader takes (NaN, infinity, more
than some 300 digits).

Words are read cautiously: a form counts only where the sentence says it outright. An empty format accepts
anything.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quire.ask.form_words import Form, closed_choices, read_words
from quire.ask.json_schema import check_schema, schema_form
from quire.errors import AnswerFormatError
from quire.literals import MAX_CHARS, MAX_DEPTH, NotALiteral, read

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

    def coerce(self, value: Any) -> Any:
        """The value in this form.

        Raises:
            AnswerFormatError: it cannot be meant as that; the message says what was wanted.
        """
        check_sound(value)
        read_value = _fitted(value, self.form)
        if self.schema is not None:
            problem = check_schema(read_value, self.schema)
            if problem:
                raise AnswerFormatError(f"The answer does not fit its JSON schema: {problem}.")
        else:
            _refuse(read_value, self.form, self.choices)
        return read_value


def read_format(words: str = "", schema: Mapping[str, Any] | None = None) -> AnswerFormat:
    """The form that is described in words, or by a JSON schema, or by a type's name (`int`)."""
    if schema is not None:
        told = json.dumps(schema, sort_keys=True, default=str)
        return AnswerFormat(schema_form(schema), schema=schema, words=told)
    form = read_words(words)
    return AnswerFormat(form, closed_choices(words) if form.kind in ("any", "str") else (), None, words)


def check_sound(value: Any) -> None:
    """Refuse what cannot be stored or sent as JSON.

    Raises:
        AnswerFormatError: a number is not finite or too long, or the value is too deep or too large.
    """
    level, size = [value], 0
    for _ in range(MAX_DEPTH + 1):
        for each in level:
            size += len(each) if isinstance(each, str) else 1
            if isinstance(each, int | float) and not _finite(each):
                raise AnswerFormatError("The answer holds a number that is not finite or too large.")
        if size > MAX_CHARS:
            raise AnswerFormatError(f"The answer is longer than {MAX_CHARS} characters.")
        level = [inner for each in level for inner in _inside(each)]
        if not level:
            return
    raise AnswerFormatError(f"The answer is nested deeper than {MAX_DEPTH} levels.")


def sound(value: Any) -> bool:
    """Whether `check_sound` takes the value."""
    try:
        check_sound(value)
    except AnswerFormatError:
        return False
    return True


def _inside(value: Any) -> Sequence[Any]:
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    return value if isinstance(value, list | tuple) else ()


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
    if choices and isinstance(value, str) and not any(_same(value, choice) for choice in choices):
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


def _same(text: str, choice: str) -> bool:
    return text.strip(" .").lower() == choice.strip(" .").lower()
