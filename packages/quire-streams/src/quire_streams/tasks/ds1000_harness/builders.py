"""Values of numpy, scipy, torch, TensorFlow and pandas: how each is taken apart, and built in the judge.

`PARTS` gives, by library and class, the name of a builder and its arguments; `BUILDERS` are all that is ever
called with what a hostile process sent, so each only leads to public constructors that check what they get:
an array is read as numpy's own file format without objects, a sparse matrix has no index out of bounds. A
column of pandas is a numpy array where that says everything, else one of pandas' own arrays, which is taken
apart into numpy arrays and texts in turn.

Libraries are imported where they are needed: what nobody imported must not be there for a solution either.
"""

from __future__ import annotations

import importlib
import io
import sys
from collections.abc import Callable
from typing import Any

Parts = tuple[Any, ...]  # the name of a builder, or "tuple", and its arguments


def _np() -> Any:
    return importlib.import_module("numpy")


def _torch() -> Any:
    return importlib.import_module("torch")


def _pandas() -> Any:
    return importlib.import_module("pandas")


def _array(value: Any) -> Parts:
    if value.dtype == object:
        return "objects", list(value.shape), list(value.ravel())
    file = io.BytesIO()
    _np().save(file, _np().asarray(value), allow_pickle=False)
    return "array", file.getvalue()


def _sparse(value: Any) -> Parts:
    parts = value.tocoo()
    plain = not isinstance(value, sys.modules["scipy.sparse"].spmatrix)
    return "sparse", value.format, plain, list(value.shape), parts.data, parts.row, parts.col


def _tensor(value: Any) -> Parts:
    if value.layout != sys.modules["torch"].strided:
        parts = value.detach().to_sparse_coo().coalesce()
        return "sparse_tensor", parts.indices(), parts.values(), list(value.shape)
    name = str(value.dtype).removeprefix("torch.")
    plain = value.detach().cpu()
    plain = plain.float() if name == "bfloat16" else plain
    return "tensor", plain.resolve_conj().resolve_neg().numpy(), name, value.requires_grad


def _tensorflow(builder: str) -> Callable[[Any], Parts]:
    return lambda value: (builder, value.numpy(), value.dtype.name)


def _column(values: Any) -> Any:
    return values.to_numpy() if isinstance(values.dtype, _np().dtype) else values.array


def _pandas_array(values: Any) -> Parts:
    pd: Any = sys.modules["pandas"]
    # The wrapper of a numpy array is named otherwise in older and newer versions.
    wrapped = type(values.dtype).__name__ in ("PandasDtype", "NumpyEADtype")
    if wrapped or isinstance(values.dtype, _np().dtype):
        return "wrapped", values.to_numpy()
    if isinstance(values, pd.Categorical):
        return "categories", _np().asarray(values.codes), values.categories, values.ordered
    if isinstance(values.dtype, pd.DatetimeTZDtype):
        return "zoned", values.tz_convert("UTC").tz_localize(None).to_numpy(), _zone(values.tz)
    if isinstance(values, pd.arrays.IntervalArray):
        return "intervals", values.left, values.right, values.closed
    return "extension", list(values), str(values.dtype)


def _zone(zone: Any) -> str | None:
    return None if zone is None else str(getattr(zone, "key", None) or zone)


PARTS: dict[str, Callable[[Any], Parts]] = {
    # To numpy's comparisons a masked place equals anything; it arrives as the number that fills it.
    "numpy.MaskedArray": lambda value: _array(_np().asarray(value.filled())),
    "numpy.matrix": lambda value: ("matrix", _np().asarray(value)),
    "numpy.ndarray": _array,
    "numpy.generic": lambda value: ("scalar", _np().asarray(value)),
    "numpy.dtype": lambda value: ("dtype", _np().lib.format.dtype_to_descr(value)),
    # Results with named fields, which tests compare as tuples.
    "scipy.tuple": lambda value: ("tuple", *value),
    "scipy.OptimizeResult": lambda value: ("optimize_result", dict(value)),
    "scipy.spmatrix": _sparse,
    "scipy._spbase": _sparse,
    "scipy.sparray": _sparse,
    "torch.Tensor": _tensor,
    "torch.Optimizer": lambda value: ("optimizer", type(value).__name__, value.defaults, value.param_groups),
    "torch.Size": lambda value: ("torch_size", list(value)),
    "torch.dtype": lambda value: ("torch_type", str(value).removeprefix("torch.")),
    "tensorflow.EagerTensor": _tensorflow("tf_tensor"),
    "tensorflow.ResourceVariable": _tensorflow("tf_variable"),
    "tensorflow.BaseResourceVariable": _tensorflow("tf_variable"),
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
    "pandas.ExtensionArray": _pandas_array,
    "pandas.Timestamp": lambda value: ("timestamp", value.value, _zone(value.tz)),
    "pandas.Timedelta": lambda value: ("timedelta", value.value),
    "pandas.NaTType": lambda value: ("missing", "NaT"),
    "pandas.NAType": lambda value: ("missing", "NA"),
    "pandas.Period": lambda value: ("period", str(value), value.freqstr),
    "pandas.Interval": lambda value: ("interval", value.left, value.right, value.closed),
    "pandas.ExtensionDtype": lambda value: ("pandas_type", str(value)),
    "pandas.BaseOffset": lambda value: ("offset", value.freqstr),
}


def array(file: bytes) -> Any:
    """A numpy array of numbers, dates, strings or records, from the bytes of numpy's file format.

    Raises:
        ValueError: it holds objects, or not as many bytes as its shape needs.
    """
    stream = io.BytesIO(file)
    made = _np().load(stream, allow_pickle=False)
    if not isinstance(made, _np().ndarray) or stream.read(1):
        raise ValueError("not the bytes of one array")
    return made


def objects(shape: list[int], values: list[Any]) -> Any:
    """A numpy array of objects."""
    made = _np().empty(len(values), dtype=object)
    for place, value in enumerate(values):
        made[place] = value
    return made.reshape(shape)


def _built_sparse(form: str, plain: bool, shape: list[int], data: Any, row: Any, column: Any) -> Any:
    """By way of coordinates, whose bounds are checked."""
    library = importlib.import_module("scipy.sparse")
    if form not in {"coo", "csr", "csc", "bsr", "dia", "dok", "lil"}:
        raise ValueError(f"{form!r} is no format of scipy.sparse")
    kind = library.coo_array if plain else library.coo_matrix
    return kind((data, (row, column)), shape=tuple(shape)).asformat(form)


def _built_tensor(values: Any, kind: str, gradient: bool) -> Any:
    made = _torch().from_numpy(values) if values.shape else _torch().tensor(values[()])
    return made.to(_torch_type(kind)).requires_grad_(gradient)


def _optimizer(name: str, defaults: dict[str, Any], groups: list[dict[str, Any]]) -> Any:
    kind = vars(_torch().optim).get(name)
    if not (isinstance(kind, type) and issubclass(kind, _torch().optim.Optimizer)):
        raise TypeError(f"{name!r} is no optimizer of torch")
    return kind(groups, **defaults)


def _torch_type(kind: str) -> Any:
    found = vars(_torch()).get(kind)
    if not isinstance(found, _torch().dtype):
        raise TypeError(f"{kind!r} is no type of torch")
    return found


def _built_tensorflow(kind: str) -> Callable[[Any, str], Any]:
    def build(values: Any, name: str) -> Any:
        library = importlib.import_module("tensorflow")
        return getattr(library, kind)(values, dtype=library.as_dtype(name))

    return build


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
    return object if isinstance(values.dtype, _np().dtype) and values.dtype.hasobject else None


def _index(values: Any, name: Any, frequency: str | None) -> Any:
    pd = _pandas()
    made = pd.Index(values, name=name, dtype=_object_type(values))
    if frequency and isinstance(made, (pd.DatetimeIndex, pd.TimedeltaIndex)):
        made.freq = frequency
    return made


BUILDERS: dict[str, Callable[..., Any]] = {
    "array": array,
    "objects": objects,
    "scalar": lambda values: values[()],
    "matrix": lambda values: _np().matrix(values),
    "dtype": lambda descr: _np().lib.format.descr_to_dtype(descr),
    "sparse": _built_sparse,
    "optimize_result": lambda fields: importlib.import_module("scipy.optimize").OptimizeResult(fields),
    "tensor": _built_tensor,
    "sparse_tensor": lambda places, values, shape: _torch().sparse_coo_tensor(
        places, values, shape, check_invariants=True
    ),
    "optimizer": _optimizer,
    "torch_size": lambda sizes: _torch().Size(sizes),
    "torch_type": _torch_type,
    "tf_tensor": _built_tensorflow("constant"),
    "tf_variable": _built_tensorflow("Variable"),
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
