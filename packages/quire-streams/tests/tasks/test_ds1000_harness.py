"""What a hostile text can ask for, and what honest values become on their way to the judge."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as strategies

from quire_streams.tasks.ds1000_harness import NotData, builders, figures
from quire_streams.tasks.ds1000_harness.values import dumps, loads

pd: Any = pytest.importorskip("pandas")


def _text(*nodes: list[Any]) -> str:
    """A text whose value is its last node."""
    return json.dumps({"nodes": nodes, "root": [len(nodes) - 1]})


def _object(name: str, *arguments: object, state: tuple[object, ...] = ()) -> str:
    """A text that asks for an object: whoever is called by name is called with these texts and numbers."""
    return _text(
        ["list", *arguments], ["dict", *state], ["object", name, [0], [1] if state else None, None, None]
    )


ATTACKS = {
    "eval": _object("builtins.eval", "1"),
    "getattr": _object("builtins.getattr", 1, "real"),
    "map": _object("builtins.map", 1),
    "import": _object("builtins.__import__", "os"),
    "open": _object("builtins.open", "/etc/passwd"),
    "type": _object("builtins.type", "Same"),
    "shell": _object("os.system", "true"),
    "process": _object("subprocess.Popen", "true"),
    "runstring": _object("numpy.testing.runstring", "1"),
    "numpy load": _object("numpy.load", "x.npy", None, True),
    "memmap": _object("numpy.memmap", "/etc/passwd"),
    "data source": _object("numpy.DataSource", "/"),
    "fromfile": _object("numpy.fromfile", "/etc/passwd"),
    "reconstruct": _object("numpy.core.multiarray._reconstruct"),
    "read_pickle": _object("pandas.read_pickle", "x"),
    "pandas eval": _object("pandas.eval", "1 + 1"),
    "dotted frame": _object("pandas.DataFrame.to_csv", "x"),
    "torch hub": _object("torch.hub.load", "user/repo", "x"),
    "torch load": _object("torch.load", "x"),
    "torch storage": _object("torch.storage._load_from_bytes", ""),
    "joblib": _object("joblib.load", "x"),
    "partial": _object("functools.partial", 1),
    "attrgetter": _object("operator.attrgetter", "a"),
    "module of a builder": _object(f"{builders.__name__}.importlib.import_module", "os"),
    "function of a builder": _object(f"{builders.__name__}.array", ""),
    "called through a name": _object("datetime.date.fromordinal", 1),
    "a class's class": _object("builtins.object.__subclasses__"),
    "new object": _object("builtins.object"),
    "int is not called": _object("builtins.int", "1"),
    "no builder": _text(["importlib.import_module", "os"]),
    "type of a class": _text(["type", "builtins.type"]),
    "type of another": _text(["type", "os._wrap_close"]),
    "attributes of a container": _object("collections.OrderedDict", state=("a", 1)),
    "elements of an array": _text(
        ["list"], ["list", 1], ["object", "datetime.timedelta", [0], None, [1], None]
    ),
    "items of a list": _text(["list"], ["dict", 0, 1], ["object", "collections.deque", [0], None, None, [1]]),
    "a tuple in itself": _text(["tuple", [0]]),
}


@pytest.mark.parametrize("name", sorted(ATTACKS))
def test_a_text_asks_for_more_than_data(name: str) -> None:
    with pytest.raises(NotData):
        loads(ATTACKS[name])


@pytest.mark.parametrize(
    "text", ['{"nodes": [], "root": [0]}', "[]", "{}", "no JSON", _text(["list", {"a": 1}])]
)
def test_what_is_no_such_text_is_an_error(text: str) -> None:
    with pytest.raises((ValueError, LookupError, TypeError)):
        loads(text)


def test_depth_ends_in_an_error() -> None:
    chain: list[list[Any]] = [["list"], *(["list", [number]] for number in range(100_000))]
    with pytest.raises(RecursionError):
        loads(_text(*chain))


def test_parts_of_figures_cannot_be_made_to_agree() -> None:
    pytest.importorskip("matplotlib")
    name = "matplotlib.text.Text"
    assert type(loads(_object(name), parts_of_figures=True)).__name__ == "Text"
    for state in (("get_text", 1), ("__class__", 1), ("set_text", 1), (1, 1), ("sticky_edges", 1)):
        with pytest.raises(NotData):
            loads(_object(name, state=state), parts_of_figures=True)
    with pytest.raises(NotData):
        loads(_object(name, "an argument"), parts_of_figures=True)
    for name in (
        "matplotlib.animation.FFMpegWriter",  # not listed
        "matplotlib.backend_bases.FigureManagerBase",  # not a part of a figure
        "matplotlib.figure.figaspect",  # a function
        "matplotlib.figure.np.load",  # something that a listed module has imported
        "matplotlib.text.Text.set_text",
        "matplotlib.text.Text.__class__",
    ):
        for text in (_object(name), _text(["type", name])):
            with pytest.raises(NotData):
                loads(text, parts_of_figures=True)


def test_a_result_is_no_part_of_a_figure() -> None:
    with pytest.raises(NotData, match=r"matplotlib\.text\.Text is not data"):
        loads(_object("matplotlib.text.Text"))


@pytest.mark.parametrize(
    "value",
    [
        builders.array, print, "text", [1, (2.5, {"a": {1, 2}})], datetime(2020, 1, 2, tzinfo=UTC),
        Decimal("1.5"), slice(1, 2), 1 + 2j, range(4), {"a": b"b"}, None,
    ],
)  # fmt: skip
def test_plain_values_arrive(value: object) -> None:
    arrived = loads(dumps(value))
    assert arrived == (None if callable(value) else value)


@given(strategies.arrays(strategies.scalar_dtypes(), strategies.array_shapes(min_side=0, max_side=3)))
def test_arrays_arrive(values: np.ndarray[Any, Any]) -> None:
    arrived = loads(dumps(values))
    assert arrived.dtype == values.dtype
    np.testing.assert_array_equal(arrived, values)
    if values.size:
        one = loads(dumps(values.ravel()[0]))
        np.testing.assert_equal(one, values.ravel()[0])


def _file(values: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


@given(st.integers(0, 40), st.integers(-3, 3))
def test_an_array_has_the_bytes_that_its_shape_needs(length: int, more: int) -> None:
    whole = _file(np.arange(length))
    cut = whole[: len(whole) + more] + bytes(max(more, 0))
    if cut == whole:
        assert builders.array(whole).shape == (length,)
    else:
        with pytest.raises(ValueError, match=r"array|data"):
            builders.array(cut)


@pytest.mark.parametrize("values", [np.array([1, None]), np.zeros(1, [("a", "O")])])
def test_bytes_do_not_become_objects(values: Any) -> None:
    with pytest.raises(ValueError, match="allow_pickle"):
        builders.array(_file(values))


def test_only_one_plain_array_is_read() -> None:
    file = io.BytesIO()
    np.savez(file, a=np.zeros(1))
    with pytest.raises(ValueError, match="one array"):
        builders.array(file.getvalue())


FRAME = pd.DataFrame(
    {"a": [1, 2, 2], "b": ["x", None, "z"], "c": pd.to_datetime(["2020-01-01", None, "2021-05-05"])},
    index=pd.Index(["p", "p", "q"], name="key"),
)


@pytest.mark.parametrize(
    "value",
    [
        FRAME,
        FRAME["b"],
        FRAME.iloc[:0],
        FRAME[[]],
        FRAME.set_index(["a", "c"]),
        pd.concat([FRAME, FRAME], axis=1),
        FRAME.assign(
            d=pd.Categorical(["u", "v", "u"], ordered=True), e=pd.array([1, None, 3], dtype="Int64")
        ),
        FRAME.assign(d=pd.interval_range(0, 3), e=pd.period_range("2020", periods=3, freq="M")),
        FRAME["c"].dt.tz_localize("Europe/Berlin"),
        pd.DataFrame({"a": [(1, 2), [3]]}),
        pd.Series(pd.date_range("2020", periods=3), dtype=object),
    ],
    ids=range(11),
)
def test_frames_and_series_arrive(value: Any) -> None:
    arrived = loads(dumps(value))
    check = pd.testing.assert_frame_equal if value.ndim == 2 else pd.testing.assert_series_equal
    check(arrived, value, check_freq=True)


@pytest.mark.parametrize(
    "value",
    [
        pd.RangeIndex(2, 9, 3, name="r"),
        pd.date_range("2020", periods=3, freq="D", tz="UTC"),
        pd.MultiIndex.from_product([["a", "b"], [1, 2]], names=["x", None]),
        pd.CategoricalIndex(["a", "b"]),
        pd.timedelta_range("1h", periods=2),
        pd.Index([1.5, "a"]),
    ],
    ids=range(6),
)
def test_indexes_arrive(value: Any) -> None:
    arrived = loads(dumps(value))
    pd.testing.assert_index_equal(arrived, value, exact=True)
    assert getattr(arrived, "freq", None) == getattr(value, "freq", None)


@pytest.mark.parametrize(
    "value",
    [
        pd.Timestamp("2020-01-02 03:04:05.678901234"),
        pd.Timestamp("2020-07-02", tz="Europe/Berlin"),
        pd.Timedelta("1h"),
        pd.Period("2020-03", "M"),
        pd.Interval(1, 2),
    ],
    ids=str,
)
def test_single_values_of_pandas_arrive(value: object) -> None:
    assert loads(dumps(value)) == value


def test_what_is_missing_stays_missing() -> None:
    assert loads(dumps([pd.NaT, pd.NA]))[0] is pd.NaT
    assert loads(dumps([pd.NaT, pd.NA]))[1] is pd.NA


def test_masked_places_arrive_as_the_number_that_fills_them() -> None:
    arrived = loads(dumps(np.ma.array([1, 2], mask=[False, True])))
    assert type(arrived) is np.ndarray
    assert arrived.tolist() == [1, 999999]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("../out.png", b"\x89PNG\r\n\x1a\n"),
        ("/out.png", b"\x89PNG\r\n\x1a\n"),
        ("matplotlibrc", b"\x89PNG\r\n\x1a\n"),
        ("out.png", b"%!PS-Adobe"),
    ],
)
def test_only_pictures_come_back(
    name: str, data: bytes, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotData):
        figures.write_pictures({name: data})
    (tmp_path / "ans.png").write_bytes(b"reference")
    figures.write_pictures({"ans.png": b"\x89PNG\r\n\x1a\n", "output.png": b"\x89PNG\r\n\x1a\n"})
    assert (tmp_path / "ans.png").read_bytes() == b"reference"
    assert (tmp_path / "output.png").exists()
