"""The form that an answer is asked in, read from words or a JSON schema, and checked on a value.

    wanted = read_format("Your answer should be a Python float rounded to 2 decimals.")
    wanted.coerce("81.234 %")   ->  81.23
    wanted.coerce("many")       AnswerFormatError: The answer must be a number, not 'many'.

A value is mended only where its meaning stays the same: `"3"` for 3, `4.0` for 4, a JSON text for what it
says. An empty format accepts anything.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quire.agents.json_schema import check_schema
from quire.errors import AnswerFormatError

_NUMBER = re.compile(r"[-+\u2212]?\d[\d,]*\.?\d*(?:[eE][-+]?\d+)?|[-+\u2212]?\.\d+")
_YES = {"yes", "true", "y", "1"}
_NO = {"no", "false", "n", "0"}
_KINDS = {
    "list": r"\b(?:lists?|arrays?|tuple)\b",
    "dict": r"\b(?:dicts?|dictionar(?:y|ies)|json object|objects?)\b",
    "bool": r"\b(?:bools?|booleans?|true or false|true/false)\b",
    "int": r"\b(?:ints?|integers?|whole numbers?)\b",
    "float": r"\b(?:floats?|decimal|real number|numbers?|percentages?|numeric)\b",
    "str": r"\b(?:str|strings?|words?|phrases?|sentences?|text|paragraph)\b",
}
_SMALL = {
    w: n
    for n, w in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen twenty".split()
    )
}


@dataclass(frozen=True, slots=True)
class AnswerFormat:
    """A form: `kind` is one of any, str, int, float, bool, list, dict.

    `items` is the kind of a list's items, `digits` the number of decimals that a float is rounded to,
    `choices` the only texts allowed, `schema` a JSON schema that the value must satisfy.
    """

    kind: str = "any"
    items: str = "any"
    digits: int | None = None
    choices: tuple[str, ...] = ()
    schema: Mapping[str, Any] | None = None
    words: str = ""

    def coerce(self, value: Any) -> Any:
        """The value in this form.

        Raises:
            AnswerFormatError: it cannot be read as that; the message says what was wanted.
        """
        read = _coerce(value, self.kind, self.items)
        if isinstance(read, float) and self.digits is not None:
            read = round(read, self.digits)
        if self.choices and isinstance(read, str):
            read = _choose(read, self.choices)
        if self.schema is not None:
            problem = check_schema(read, self.schema)
            if problem:
                raise AnswerFormatError(f"The answer does not fit its JSON schema: {problem}.")
        return read


def read_format(words: str = "", schema: Mapping[str, Any] | None = None) -> AnswerFormat:
    """The form that is described in words, or by a JSON schema, or by a type's name (`int`)."""
    if schema is not None:
        return _from_schema(schema)
    text = words.lower()
    first = {kind: match.start() for kind, pattern in _KINDS.items() if (match := re.search(pattern, text))}
    kind = min(first, key=lambda each: first[each], default="any")
    items = "any"
    if kind == "list":
        rest = {each: at for each, at in first.items() if each != "list" and at > first["list"]}
        items = min(rest, key=lambda each: rest[each], default="any")
    digits = re.search(r"(\d+|one|two|three|four) (?:decimal|digits? after|places)", text)
    return AnswerFormat(
        kind, items, _count(digits[1]) if digits else None, _choices(words, kind), None, words
    )


def _count(word: str) -> int:
    return int(word) if word.isdigit() else _SMALL[word]


def _choices(words: str, kind: str) -> tuple[str, ...]:
    if kind not in ("any", "str"):
        return ()
    quoted = re.findall(r"[\"'\u201c\u2018]([^\"'\u201c\u201d\u2018\u2019]{1,40})[\"'\u201d\u2019]", words)
    listed = re.search(r"(?:either|one of|must be|should be|is|:)\W+[\"'\u201c][^.]*\bor\b", words)
    if len(quoted) > 1 and listed:
        return tuple(quoted)
    return ("Yes", "No") if re.search(r"\byes\s*(?:or|/)\s*no\b", words, re.IGNORECASE) else ()


def _from_schema(schema: Mapping[str, Any]) -> AnswerFormat:
    names = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list"}
    names["object"] = "dict"
    kind = names.get(str(schema.get("type")), "any")
    inner = schema.get("items")
    items = names.get(str(inner.get("type")), "any") if isinstance(inner, Mapping) else "any"
    return AnswerFormat(kind, items, schema=schema, words=json.dumps(schema, sort_keys=True, default=str))


def _coerce(value: Any, kind: str, items: str) -> Any:
    if kind == "any" or value is None:
        return value
    return {"str": _text, "int": _int, "float": _float, "bool": _bool, "dict": _dict}.get(
        kind, lambda given: _list(given, items)
    )(value)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value.strip()
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)


def _float(value: Any) -> float:
    if isinstance(value, bool):
        raise AnswerFormatError(f"The answer must be a number, not {value}.")
    if isinstance(value, int | float):
        number = float(value)
    elif isinstance(value, str):
        number = _number_in(value)
    else:
        raise AnswerFormatError(f"The answer must be a number, not {str(value)[:60]}.")
    if not math.isfinite(number):
        raise AnswerFormatError("The answer must be a finite number.")
    return number


def _number_in(text: str) -> float:
    bare = text.strip().lower()
    if bare in _SMALL:
        return float(_SMALL[bare])
    found = _NUMBER.findall(text)
    if len(found) != 1 and not re.match(rf"^\W*(?:{_NUMBER.pattern})\s*(?:[%(\u00b1]|\+/-)", text):
        raise AnswerFormatError(f"The answer must be a number, not {text[:60]!r}.")
    return float(found[0].replace(",", "").replace("\u2212", "-"))


def _int(value: Any) -> int:
    number = _float(value)
    if number != int(number):
        raise AnswerFormatError(f"The answer must be a whole number, not {number}.")
    return int(number)


def _bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().strip(".").lower()
    if word in _YES | _NO:
        return word in _YES
    raise AnswerFormatError(f"The answer must be true or false, not {str(value)[:60]!r}.")


def _list(value: Any, items: str) -> list[Any]:
    if isinstance(value, str):
        value = _literal(value, (list, tuple)) or value
    if isinstance(value, str | int | float | bool):
        value = [value]
    if not isinstance(value, list | tuple):
        raise AnswerFormatError(f"The answer must be a list, not {str(value)[:60]!r}.")
    return [_coerce(each, items, "any") for each in value]


def _dict(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        value = _literal(value, (dict,))
    if not isinstance(value, Mapping):
        raise AnswerFormatError("The answer must be an object with named fields.")
    return {str(key): each for key, each in value.items()}


def _literal(text: str, kinds: tuple[type, ...]) -> Any:
    """The JSON or Python literal in the text, if it is of one of these kinds."""
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text.strip())
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
        if isinstance(value, kinds):
            return value
    return None


def _choose(text: str, choices: tuple[str, ...]) -> str:
    for choice in choices:
        if text.strip(" .").lower() == choice.strip(" .").lower():
            return choice
    raise AnswerFormatError(f"The answer must be one of {', '.join(choices)}, not {text[:60]!r}.")
