"""As `builders`, for pandas: every value goes through a public constructor of pandas.

A column is a numpy array or one of pandas' own arrays, built here from numpy arrays and text.
"""

from __future__ import annotations

import importlib
from typing import Any


def frame(columns: list[Any], index: Any, names: Any) -> Any:
    """A DataFrame of columns, its index and its column labels."""
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


def series(values: Any, index: Any, name: Any) -> Any:
    """A Series."""
    pd = _pandas()
    made = _kept(values)
    made.index = index
    return pd.Series(made, name=name)


def _kept(values: Any) -> Any:
    """A Series; without a word about it pandas would make dates of objects that look like some."""
    pd = _pandas()
    return pd.Series(values, dtype=_object_type(values))


def _object_type(values: Any) -> type | None:
    import numpy as np

    return object if isinstance(values.dtype, np.dtype) and values.dtype.hasobject else None


def index(values: Any, name: Any, frequency: str | None) -> Any:
    """An Index of the kind that its values ask for."""
    pd = _pandas()
    made = pd.Index(values, name=name, dtype=_object_type(values))
    if frequency and isinstance(made, (pd.DatetimeIndex, pd.TimedeltaIndex)):
        made.freq = frequency
    return made


def range_index(start: int, stop: int, step: int, name: Any) -> Any:
    """A RangeIndex."""
    pd = _pandas()
    return pd.RangeIndex(start, stop, step, name=name)


def multi_index(levels: list[Any], codes: list[Any], names: list[Any]) -> Any:
    """A MultiIndex; pandas checks that codes and levels fit."""
    pd = _pandas()
    return pd.MultiIndex(levels=levels, codes=codes, names=names, verify_integrity=True)


def categories(codes: Any, labels: Any, ordered: bool) -> Any:
    """A categorical column."""
    pd = _pandas()
    return pd.Categorical.from_codes(codes, categories=labels, ordered=ordered)


def zoned(values: Any, zone: str) -> Any:
    """A column of times in a zone, from times in UTC."""
    pd = _pandas()
    return pd.DatetimeIndex(values, tz="UTC").tz_convert(zone).array


def extension(values: list[Any], kind: str) -> Any:
    """Any other array of pandas, by the name of its type."""
    pd = _pandas()
    return pd.array(values, dtype=kind)


def intervals(left: Any, right: Any, closed: str) -> Any:
    """A column of intervals."""
    pd = _pandas()
    return pd.arrays.IntervalArray.from_arrays(left, right, closed=closed)


def interval(left: Any, right: Any, closed: str) -> Any:
    """One interval."""
    pd = _pandas()
    return pd.Interval(left, right, closed=closed)


def timestamp(nanoseconds: int, zone: str | None) -> Any:
    """A point in time; `zone` None means that it has none."""
    pd = _pandas()
    made = pd.Timestamp(nanoseconds, unit="ns", tz="UTC")
    return made.tz_convert(zone)


def timedelta(nanoseconds: int) -> Any:
    """A span of time."""
    pd = _pandas()
    return pd.Timedelta(nanoseconds, unit="ns")


def period(text: str, frequency: str) -> Any:
    """A period, as text, with its frequency."""
    pd = _pandas()
    return pd.Period(text, freq=frequency)


def missing(kind: str) -> Any:
    """NaT or NA."""
    pd = _pandas()
    return {"NaT": pd.NaT, "NA": pd.NA}[kind]


def dtype(kind: str) -> Any:
    """A type of pandas, by its name."""
    pd = _pandas()
    return pd.api.types.pandas_dtype(kind)


def offset(frequency: str) -> Any:
    """A frequency."""
    pd = _pandas()
    return pd.tseries.frequencies.to_offset(frequency)


def plain(values: Any) -> Any:
    """The wrapper that pandas has for a numpy array."""
    pd = _pandas()
    return pd.Series(values).array


def _pandas() -> Any:
    return importlib.import_module("pandas")
