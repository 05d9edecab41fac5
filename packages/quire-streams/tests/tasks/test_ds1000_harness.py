"""What a hostile pickle can ask for, and what honest values become on their way to the judge."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from quire_streams.tasks.ds1000_harness import builders, packing, pandas_builders, pictures
from quire_streams.tasks.ds1000_harness.unpacking import NotData, loads

pd: Any = pytest.importorskip("pandas")

HERE = builders.__name__


def _name(module: str, name: str) -> bytes:
    return b"".join(b"\x8c" + bytes([len(text)]) + text.encode() for text in (module, name)) + b"\x93"


def _called(module: str, name: str, *arguments: object) -> bytes:
    """A pickle that calls something by name."""
    return b"\x80\x04" + _name(module, name) + pickle.dumps(arguments, 4)[2:-1] + b"R."


ATTACKS = {
    "eval": _called("builtins", "eval", "1"),
    "getattr": _called("builtins", "getattr", 1, "real"),
    "map": _called("builtins", "map", 1),
    "import": _called("builtins", "__import__", "os"),
    "open": _called("builtins", "open", "/etc/passwd"),
    "type": _called("builtins", "type", "Same", (), {}),
    "shell": _called("os", "system", "true"),
    "process": _called("subprocess", "Popen", ["true"]),
    "runstring": _called("numpy.testing", "runstring", "1", {}),
    "rundocs": _called("numpy.testing._private.utils", "rundocs", "x.py"),
    "numpy load": _called("numpy", "load", "x.npy", None, True),
    "memmap": _called("numpy", "memmap", "/etc/passwd"),
    "data source": _called("numpy", "DataSource", "/"),
    "fromfile": _called("numpy", "fromfile", "/etc/passwd"),
    "frompyfunc": _called("numpy", "frompyfunc", len, 1, 1),
    "reconstruct": _called("numpy.core.multiarray", "_reconstruct", np.ndarray, (0,), b"b"),
    "read_pickle": _called("pandas", "read_pickle", "x"),
    "pandas eval": _called("pandas", "eval", "1 + 1"),
    "dotted frame": _called("pandas", "DataFrame.to_csv", "x"),
    "torch hub": _called("torch.hub", "load", "user/repo", "x"),
    "torch load": _called("torch", "load", "x"),
    "torch storage": _called("torch.storage", "_load_from_bytes", b""),
    "joblib": _called("joblib", "load", "x"),
    "partial": _called("functools", "partial", print),
    "attrgetter": _called("operator", "attrgetter", "a"),
    "methodcaller": _called("operator", "methodcaller", "a"),
    "chained builder": _called(HERE, "importlib.import_module", "os"),
    "module of a builder": b"\x80\x04" + _name(HERE, "importlib") + b".",
    "private builder": _called(pandas_builders.__name__, "_pandas"),
    "class of a class": _called("builtins", "object.__subclasses__"),
    "bare object": _called("copyreg", "_reconstructor", object, object, None),
    "new object": b"\x80\x04" + _name("builtins", "object") + b")\x81.",
    "int is not called": _called("builtins", "int", "1"),
    "attributes of a container": b"\x80\x04" + _name("collections", "OrderedDict") + b")R}b.",
    "elements of an array": b"\x80\x04" + packing.dumps(np.zeros(2))[2:-1] + b"K\x00K\x01s.",
    "old instance": b"(ios\nsystem\n.",
    "old object": b"(cbuiltins\nobject\no.",
    "persistent": b"Pname\n.",
    "extension": b"\x82\x01.",
}


@pytest.mark.parametrize("name", sorted(ATTACKS))
def test_a_pickle_asks_for_more_than_data(name: str) -> None:
    with pytest.raises(NotData):
        loads(ATTACKS[name])


def test_parts_of_figures_cannot_be_made_to_agree() -> None:
    pytest.importorskip("matplotlib")
    text = b"\x80\x04" + _name("matplotlib.text", "Text") + b")\x81"
    assert type(loads(text + b".", figures=True)).__name__ == "Text"
    for state in ({"get_text": dict}, {"__class__": 1}, {"set_text": 1}, {1: 1}, {"sticky_edges": 1}):
        with pytest.raises(NotData):
            loads(text + pickle.dumps(state, 4)[2:-1] + b"b.", figures=True)
    for module, name in (
        ("matplotlib.animation", "FFMpegWriter"),  # not listed
        ("matplotlib.backend_bases", "FigureManagerBase"),  # not a part of a figure
        ("matplotlib.figure", "figaspect"),  # a function
        ("matplotlib.figure", "np.load"),  # something that a listed module has imported
        ("matplotlib.text", "Text.set_text"),
    ):
        with pytest.raises(NotData):
            loads(b"\x80\x04" + _name(module, name) + b".", figures=True)


def test_a_result_is_no_part_of_a_figure() -> None:
    with pytest.raises(NotData, match=r"matplotlib\.text\.Text is not data"):
        loads(b"\x80\x04" + _name("matplotlib.text", "Text") + b")\x81.")


@pytest.mark.parametrize(
    "value",
    [
        builders.array, print, "text", [1, (2.5, {"a": {1, 2}})], datetime(2020, 1, 2, tzinfo=UTC),
        Decimal("1.5"), slice(1, 2), 1 + 2j, range(4), {"a": b"b"}, None,
    ],
)  # fmt: skip
def test_plain_values_arrive(value: object) -> None:
    arrived = loads(packing.dumps(value))
    assert arrived == (None if value is print else value)


@given(arrays.arrays(arrays.scalar_dtypes(), arrays.array_shapes(min_side=0, max_side=3)))
def test_arrays_arrive(values: np.ndarray[Any, Any]) -> None:
    arrived = loads(packing.dumps(values))
    assert arrived.dtype == values.dtype
    np.testing.assert_array_equal(arrived, values)
    if values.size:
        one = loads(packing.dumps(values.ravel()[0]))
        np.testing.assert_equal(one, values.ravel()[0])


@given(st.integers(0, 40), st.binary(max_size=40))
@example(2, bytes(16))
def test_an_array_has_the_bytes_that_its_shape_needs(length: int, data: bytes) -> None:
    if length * 8 == len(data):
        assert builders.array("<i8", (length,), data).shape == (length,)
    else:
        with pytest.raises(ValueError, match=r"buffer|reshape|dimension"):
            builders.array("<i8", (length,), data)


@pytest.mark.parametrize("descr", ["O", "|O8", [("a", "O")]])
def test_bytes_do_not_become_objects(descr: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        builders.array(descr, (1,), bytes(8))


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
    arrived = loads(packing.dumps(value))
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
    arrived = loads(packing.dumps(value))
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
    assert loads(packing.dumps(value)) == value


def test_what_is_missing_stays_missing() -> None:
    assert loads(packing.dumps([pd.NaT, pd.NA]))[0] is pd.NaT
    assert loads(packing.dumps([pd.NaT, pd.NA]))[1] is pd.NA


def test_masked_places_arrive_as_the_number_that_fills_them() -> None:
    arrived = loads(packing.dumps(np.ma.array([1, 2], mask=[False, True])))
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
        pictures.write({name: data})
    (tmp_path / "ans.png").write_bytes(b"reference")
    pictures.write({"ans.png": b"\x89PNG\r\n\x1a\n", "output.png": b"\x89PNG\r\n\x1a\n"})
    assert (tmp_path / "ans.png").read_bytes() == b"reference"
    assert (tmp_path / "output.png").exists()
