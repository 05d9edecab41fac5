"""Values of pandas: how each is taken apart, and built again by a public constructor (see `arrays`).

A column is a numpy array where that says everything, else one of pandas' own arrays, which is taken apart
into numpy arrays and texts in turn.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

from .arrays import Parts


def _pandas() -> Any:
    return importlib.import_module("pandas")


def _column(values: Any) -> Any:
    import numpy as np

    return values.to_numpy() if isinstance(values.dtype, np.dtype) else values.array


def _array(values: Any) -> Parts:
    import numpy as np

    pd: Any = sys.modules["pandas"]
    # The wrapper of a numpy array is named otherwise in older and newer versions.
    if isinstance(values.dtype, np.dtype) or type(values.dtype).__name__ in ("PandasDtype", "NumpyEADtype"):
        return "wrapped", values.to_numpy()
    if isinstance(values, pd.Categorical):
        return "categories", np.asarray(values.codes), values.categories, values.ordered
    if isinstance(values.dtype, pd.DatetimeTZDtype):
        return "zoned", values.tz_convert("UTC").tz_localize(None).to_numpy(), _zone(values.tz)
    if isinstance(values, pd.arrays.IntervalArray):
        return "intervals", values.left, values.right, values.closed
    return "extension", list(values), str(values.dtype)


def _zone(zone: Any) -> str | None:
    return None if zone is None else str(getattr(zone, "key", None) or zone)


PARTS: dict[str, Callable[[Any], Parts]] = {
    "pandas.DataFrame": lambda value: (
        "frame",
        [_column(value.iloc[:, place]) for place in range(value.shape[1])],
        value.index,
        value.columns,
    ),
    "pandas.Series": lambda value: ("series", _column(value), value.index, value.name),
    "pandas.RangeIndex": lambda value: ("range_index", value.start, value.stop, value.step, value.name),
    "pandas.MultiIndex": lambda value: (
        "multi_index",
        list(value.levels),
        [list(map(int, each)) for each in value.codes],
        list(value.names),
    ),
    "pandas.Index": lambda value: ("index", _column(value), value.name, getattr(value, "freqstr", None)),
    "pandas.ExtensionArray": _array,
    "pandas.Timestamp": lambda value: ("timestamp", value.value, _zone(value.tz)),
    "pandas.Timedelta": lambda value: ("timedelta", value.value),
    "pandas.NaTType": lambda value: ("missing", "NaT"),
    "pandas.NAType": lambda value: ("missing", "NA"),
    "pandas.Period": lambda value: ("period", str(value), value.freqstr),
    "pandas.Interval": lambda value: ("interval", value.left, value.right, value.closed),
    "pandas.ExtensionDtype": lambda value: ("pandas_type", str(value)),
    "pandas.BaseOffset": lambda value: ("offset", value.freqstr),
}


def _frame(columns: list[Any], index: Any, names: Any) -> Any:
    pd = _pandas()
    if any(len(column) != len(index) for column in columns):
        raise ValueError("columns and index differ in length")
    made = pd.DataFrame({place: _kept(column) for place, column in enumerate(columns)})
    if columns:
        made.index = index
    else:
        made = pd.DataFrame(index=index)
    made.columns = names
    return made


def _series(values: Any, index: Any, name: Any) -> Any:
    made = _kept(values)
    made.index = index
    return _pandas().Series(made, name=name)


def _kept(values: Any) -> Any:
    """A Series; without a word about it pandas would make dates of objects that look like some."""
    return _pandas().Series(values, dtype=_object_type(values))


def _object_type(values: Any) -> type | None:
    import numpy as np

    return object if isinstance(values.dtype, np.dtype) and values.dtype.hasobject else None


def _index(values: Any, name: Any, frequency: str | None) -> Any:
    pd = _pandas()
    made = pd.Index(values, name=name, dtype=_object_type(values))
    if frequency and isinstance(made, (pd.DatetimeIndex, pd.TimedeltaIndex)):
        made.freq = frequency
    return made


BUILDERS: dict[str, Callable[..., Any]] = {
    "frame": _frame,
    "series": _series,
    "range_index": lambda start, stop, step, name: _pandas().RangeIndex(start, stop, step, name=name),
    "multi_index": lambda levels, codes, names: _pandas().MultiIndex(  # checks that codes and levels fit
        levels=levels, codes=codes, names=names, verify_integrity=True
    ),
    "index": _index,
    "wrapped": lambda values: _pandas().Series(values).array,
    "categories": lambda codes, labels, ordered: _pandas().Categorical.from_codes(
        codes, categories=labels, ordered=ordered
    ),
    "zoned": lambda values, zone: _pandas().DatetimeIndex(values, tz="UTC").tz_convert(zone).array,
    "intervals": lambda left, right, closed: _pandas().arrays.IntervalArray.from_arrays(
        left, right, closed=closed
    ),
    "extension": lambda values, kind: _pandas().array(values, dtype=kind),
    "timestamp": lambda time, zone: _pandas().Timestamp(time, unit="ns", tz="UTC").tz_convert(zone),
    "timedelta": lambda time: _pandas().Timedelta(time, unit="ns"),
    "missing": lambda kind: {"NaT": _pandas().NaT, "NA": _pandas().NA}[kind],
    "period": lambda text, frequency: _pandas().Period(text, freq=frequency),
    "interval": lambda left, right, closed: _pandas().Interval(left, right, closed=closed),
    "pandas_type": lambda kind: _pandas().api.types.pandas_dtype(kind),
    "offset": lambda frequency: _pandas().tseries.frequencies.to_offset(frequency),
}
