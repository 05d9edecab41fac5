"""Values of pandas as calls of `pandas_builders`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from . import pandas_builders as build

Call = tuple[Callable[..., Any], tuple[Any, ...]]

_WRAPPED = ("PandasDtype", "NumpyEADtype")  # the wrapper of a numpy array, in older and newer versions


def call(value: Any, kind: str) -> Call | None:
    """The call for a value of this kind, or None."""
    pack = _KINDS.get(kind)
    return pack(value) if pack else None


def _frame(value: Any) -> Call:
    columns = [_column(value.iloc[:, place]) for place in range(value.shape[1])]
    return build.frame, (columns, value.index, value.columns)


def _series(value: Any) -> Call:
    return build.series, (_column(value), value.index, value.name)


def _index(value: Any) -> Call:
    return build.index, (_column(value), value.name, getattr(value, "freqstr", None))


def _multi_index(value: Any) -> Call:
    codes = [list(map(int, each)) for each in value.codes]
    return build.multi_index, (list(value.levels), codes, list(value.names))


def _column(values: Any) -> Any:
    """A numpy array where that says everything, else pandas' own array, packed by `_array`."""
    import numpy as np

    return values.to_numpy() if isinstance(values.dtype, np.dtype) else values.array


def _array(values: Any) -> Call:
    import numpy as np

    pd: Any = sys.modules["pandas"]
    if isinstance(values.dtype, np.dtype) or type(values.dtype).__name__ in _WRAPPED:
        return build.plain, (values.to_numpy(),)
    if isinstance(values, pd.Categorical):
        return build.categories, (np.asarray(values.codes), values.categories, values.ordered)
    if isinstance(values.dtype, pd.DatetimeTZDtype):
        return build.zoned, (values.tz_convert("UTC").tz_localize(None).to_numpy(), _zone(values.tz))
    if isinstance(values, pd.arrays.IntervalArray):
        return build.intervals, (values.left, values.right, values.closed)
    return build.extension, (list(values), str(values.dtype))


def _zone(zone: Any) -> str | None:
    return None if zone is None else str(getattr(zone, "key", None) or zone)


def _nat(_: Any) -> Call:
    return build.missing, ("NaT",)


_KINDS: dict[str, Callable[[Any], Call]] = {
    "DataFrame": _frame,
    "Series": _series,
    "RangeIndex": lambda value: (build.range_index, (value.start, value.stop, value.step, value.name)),
    "MultiIndex": _multi_index,
    "Index": _index,
    "ExtensionArray": _array,
    "Timestamp": lambda value: (build.timestamp, (value.value, _zone(value.tz))),
    "Timedelta": lambda value: (build.timedelta, (value.value,)),
    "NaTType": _nat,
    "NAType": lambda _: (build.missing, ("NA",)),
    "Period": lambda value: (build.period, (str(value), value.freqstr)),
    "Interval": lambda value: (build.interval, (value.left, value.right, value.closed)),
    "ExtensionDtype": lambda value: (build.dtype, (str(value),)),
    "BaseOffset": lambda value: (build.offset, (value.freqstr,)),
}
