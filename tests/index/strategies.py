"""Random filter trees and the rows that they are tried on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from quire.index.filters import tree as t

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

_box = st.just(t.Field("bbox"))
_texts = st.sampled_from([*{row[f] for row in ROWS for f in TEXT_FIELDS}, "", "x", "\\", "'", "%"])
_numbers = st.one_of(
    st.integers(-100, 100), st.sampled_from([0.5, -1.5, 1e300, 2**62, -(2**62)]), st.floats(-50, 50)
)
_text_values: st.SearchStrategy[t.Node] = st.one_of(
    st.sampled_from(TEXT_FIELDS).map(t.Field), _texts.map(t.Literal)
)
_plain_numbers: st.SearchStrategy[t.Node] = st.one_of(
    st.sampled_from(["id", "page_number"]).map(t.Field),
    _numbers.map(t.Literal),
    st.builds(t.Element, _box, st.integers(0, 5)),
    st.builds(t.Length, _box),
)


def _more_numbers(inner: st.SearchStrategy[t.Node]) -> st.SearchStrategy[t.Node]:
    return st.one_of(
        st.builds(t.Binary, st.sampled_from(["+", "-", "*", "/", "%", "**"]), inner, inner),
        inner.filter(lambda node: not isinstance(node, t.Literal)).map(t.Negative),
    )


numbers = st.recursive(_plain_numbers, _more_numbers, max_leaves=6)
_relations = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
_number_items = st.lists(_numbers, max_size=4).map(lambda values: t.Items(tuple(values)))
_text_items = st.lists(_texts, max_size=4).map(lambda values: t.Items(tuple(values)))
_patterns = st.text("ab%_c\\d", max_size=5).filter(lambda p: (len(p) - len(p.rstrip("\\"))) % 2 == 0)
_one = _numbers.map(lambda value: t.Items((value,)))

_atoms: st.SearchStrategy[t.Node] = st.one_of(
    st.builds(t.Compare, _relations, numbers, numbers),
    st.builds(t.Compare, _relations, _text_values, _text_values),
    st.builds(t.Compare, st.sampled_from(["==", "!="]), _box, _number_items),
    st.builds(t.In, numbers, _number_items),
    st.builds(t.In, _text_values, _text_items),
    st.builds(t.Like, _text_values, _patterns),
    st.builds(t.Contains, st.just("one"), _box, _one),
    st.builds(t.Contains, st.sampled_from(["all", "any"]), _box, _number_items),
)


def _more(inner: st.SearchStrategy[t.Node]) -> st.SearchStrategy[t.Node]:
    parts = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(inner.map(t.Not), st.builds(t.Logical, st.sampled_from(["and", "or"]), parts))


conditions: st.SearchStrategy[t.Node] = st.recursive(_atoms, _more, max_leaves=6)
Build = Callable[[], t.Node]
