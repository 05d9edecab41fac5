"""Values of numpy, scipy, torch and TensorFlow: how each is taken apart, and built again in the judge.

`PARTS` gives, by library and class, the name of a builder and its arguments; `BUILDERS` are all that is ever
called with what a hostile process sent, so each only leads to public constructors that check what they get:
an array is read as numpy's own file format without objects, a sparse matrix has no index out of bounds.
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
}
