"""Random filters, each as its text and as plain Python: the second opinion that SQL is compared with."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

Row = Mapping[str, Any]
TEXT_FIELDS = ["pdf_id", "table_name", "column_name", "primary_key"]
ROWS: list[dict[str, Any]] = [
    {
        "id": i + 1,
        "pdf_id": ["p1", "p2", "it's"][i % 3],
        "page_number": [-1, 1, 2, 7][i % 4],
        "table_name": ["chunks", "images"][i % 2],
        "column_name": ["text_content", "bounding_box"][i % 2],
        "primary_key": ["a", "b%", "c_d", "e\\f", 'g"h', "ü\n"][i % 6],
        "bbox": [[10, 20, 30, 40], [0, 0, 0, 0], [-5, 3, 100, 7], None][i % 4],
    }
    for i in range(24)
]
_RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_ARITHMETIC: dict[str, Callable[[np.float64, np.float64], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "%": np.fmod,
    "**": np.power,
}


@dataclass(frozen=True)
class Written:
    """A filter or a part of one, and its value for a row: None where there is nothing."""

    text: str
    of: Callable[[Row], Any] = field(repr=False)


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _field(name: str) -> Written:
    return Written(name, lambda row: float(row[name]) if isinstance(row[name], int) else row[name])


def _literal(value: float | str) -> Written:
    plain = value if isinstance(value, str) else float(value)
    return Written(_quoted(value) if isinstance(value, str) else f"({value!r})", lambda row: plain)


def _items(values: list[Any]) -> str:
    return f"[{', '.join(_quoted(v) if isinstance(v, str) else repr(v) for v in values)}]"


def _element(position: int) -> Written:
    return Written(
        f"bbox[{position}]",
        lambda row: float(row["bbox"][position]) if row["bbox"] and position < len(row["bbox"]) else None,
    )


_LENGTH = Written("array_length(bbox)", lambda row: None if row["bbox"] is None else float(len(row["bbox"])))


def _calculated(sign: str, left: Written, right: Written) -> Written:
    def of(row: Row) -> float | None:
        a, b = left.of(row), right.of(row)
        if a is None or b is None or (sign in "/%" and b == 0):
            return None
        with np.errstate(all="ignore"):
            return float(np.float64(_ARITHMETIC[sign](np.float64(a), np.float64(b))))

    return Written(f"({left.text} {sign} {right.text})", of)


def _negative(inner: Written) -> Written:
    def of(row: Row) -> float | None:
        value = inner.of(row)
        return None if value is None else -value

    return Written(f"(-{inner.text})", of)


def _compared(relation: str, left: Written, right: Written) -> Written:
    def of(row: Row) -> bool:
        sides = (left.of(row), right.of(row))
        if None in sides or not all(isinstance(side, str) or np.isfinite(side) for side in sides):
            return False
        return _RELATIONS[relation](*sides)

    return Written(f"{left.text} {relation} {right.text}", of)


def _boxes(relation: str, values: list[Any]) -> Written:
    return Written(
        f"bbox {relation} {_items(values)}",
        lambda row: row["bbox"] is not None and _RELATIONS[relation](row["bbox"], values),
    )


def _among(operand: Written, values: list[Any]) -> Written:
    return Written(f"{operand.text} in {_items(values)}", lambda row: operand.of(row) in values)


def _like(operand: Written, pattern: str) -> Written:
    wild = {"%": "(?s:.*)", "_": "(?s:.)"}
    parts = re.findall(r"\\(?s:.)|(?s:.)", pattern)
    regex = "".join(wild.get(part) or re.escape(part[-1]) for part in parts)
    text = f"{operand.text} like {_quoted(pattern)}"
    return Written(text, lambda row: re.fullmatch(regex, operand.of(row), re.DOTALL) is not None)


def _contains(how: str, values: list[Any]) -> Written:
    listed = repr(values[0]) if not how else _items(values)
    ask = any if how == "_any" else all
    return Written(
        f"array_contains{how}(bbox, {listed})",
        lambda row: row["bbox"] is not None and ask(value in row["bbox"] for value in values),
    )


def _joined(word: str, parts: list[Written]) -> Written:
    ask = all if word == "and" else any
    return Written(
        f" {word} ".join(f"({part.text})" for part in parts), lambda row: ask(part.of(row) for part in parts)
    )


def _negated(part: Written) -> Written:
    return Written(f"not ({part.text})", lambda row: not part.of(row))


_values = st.one_of(
    st.integers(-100, 100), st.sampled_from([0.5, -1.5, 1e300, 2**62, -(2**62)]), st.floats(-50, 50)
)
_words = st.sampled_from([*{row[f] for row in ROWS for f in TEXT_FIELDS}, "", "x", "\\", "'", "%"])
_texts = st.sampled_from(TEXT_FIELDS).map(_field) | _words.map(_literal)
_numbers = st.recursive(
    st.one_of(
        st.sampled_from(["id", "page_number"]).map(_field),
        _values.map(_literal),
        st.integers(0, 5).map(_element),
        st.just(_LENGTH),
    ),
    lambda inner: st.one_of(
        st.builds(_calculated, st.sampled_from(list(_ARITHMETIC)), inner, inner), inner.map(_negative)
    ),
    max_leaves=6,
)
_relations = st.sampled_from(list(_RELATIONS))
_lists = st.lists(_values, max_size=4)
_patterns = st.text("ab%_c\\d", max_size=5).filter(lambda p: (len(p) - len(p.rstrip("\\"))) % 2 == 0)
_atoms = st.one_of(
    st.builds(_compared, _relations, _numbers, _numbers),
    st.builds(_compared, _relations, _texts, _texts),
    st.builds(_boxes, st.sampled_from(["==", "!="]), _lists),
    st.builds(_among, _numbers, _lists),
    st.builds(_among, _texts, st.lists(_words, max_size=4)),
    st.builds(_like, _texts, _patterns),
    st.builds(_contains, st.just(""), st.lists(_values, min_size=1, max_size=1)),
    st.builds(_contains, st.sampled_from(["_all", "_any"]), _lists),
)
conditions = st.recursive(
    _atoms,
    lambda inner: st.one_of(
        inner.map(_negated),
        st.builds(_joined, st.sampled_from(["and", "or"]), st.lists(inner, min_size=2, max_size=3)),
    ),
    max_leaves=6,
)
