"""Writing values so that the judge can build them: pickles whose only calls are those of the builders.

What belongs to numpy, pandas, scipy.sparse, torch or TensorFlow is written as data; functions and methods
become None, as a figure holds many that no test looks at. Everything else is pickled as it is, and
`unpacking` decides whether it builds that. Lazily by module name: a library that nobody imported is not
imported here either.

    unpacking.loads(packing.dumps(pandas.DataFrame({"a": [1]})))
"""

from __future__ import annotations

import functools
import io
import pickle
import sys
import types
from collections.abc import Callable
from typing import Any

from . import builders, pack_figures, pack_pandas, pandas_builders

Call = tuple[Any, ...]  # what `__reduce__` returns

_BUILDERS = (builders.__name__, pandas_builders.__name__)
_FUNCTIONS = (
    types.FunctionType,
    types.MethodType,
    types.BuiltinFunctionType,
    types.MethodWrapperType,
    functools.partial,
)


class _Packer(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        """A call of a builder, where there is one for this value."""
        if (
            isinstance(value, type)
            or getattr(value, "__module__", "") in _BUILDERS
            or value is pack_figures.NEW
        ):
            return NotImplemented
        if isinstance(value, _FUNCTIONS):
            return builders.absent, ()
        for kind in type(value).__mro__:
            pack = _PACKERS.get(kind.__module__.partition(".")[0])
            call = pack(value, kind.__name__) if pack else None
            if call is not None:
                return call
        return NotImplemented


def dumps(value: Any) -> bytes:
    """The bytes of a value. Raises whatever pickle raises for what cannot be written."""
    into = io.BytesIO()
    _Packer(into, protocol=5).dump(value)
    return into.getvalue()


def dumps_input(value: Any) -> bytes:
    """The same for the candidate, which may build anything, functions and classes too."""
    import importlib.util

    into = io.BytesIO()
    try:
        _inputs(pickle.Pickler)(into, protocol=5).dump(value)
    except Exception:
        # joblib carries a copy, for environments that have it and not cloudpickle itself.
        own = importlib.util.find_spec("cloudpickle") is not None
        cloud = importlib.import_module("cloudpickle" if own else "joblib.externals.cloudpickle")
        into = io.BytesIO()
        _inputs(cloud.CloudPickler)(into, protocol=5).dump(value)
    return into.getvalue()


def _inputs(base: Any) -> Any:
    class Inputs(base):  # type: ignore[misc]
        def reducer_override(self, value: Any) -> Any:
            # Objects from a pickle have a dtype of their own, which pandas 1.5 takes for another one: its
            # `astype(str)` then changes the frame that it is called on.
            if (
                type(value).__module__ == "numpy"
                and type(value).__name__ == "ndarray"
                and value.dtype.kind == "O"
            ):
                return builders.objects, (value.shape, list(value.ravel()))
            if hasattr(base, "reducer_override"):
                return super().reducer_override(value)
            return NotImplemented

    return Inputs


def _numpy(value: Any, kind: str) -> Call | None:
    import numpy as np

    if kind == "MaskedArray":
        # To numpy's comparisons a masked place equals anything; it arrives as the number that fills it.
        return _numpy(np.asarray(value.filled()), "ndarray")
    if kind == "matrix":
        return builders.matrix, (np.asarray(value),)
    if kind == "ndarray":
        if value.dtype == object:
            return builders.objects, (value.shape, list(value.ravel()))
        plain = np.ascontiguousarray(value)
        return builders.array, (np.lib.format.dtype_to_descr(value.dtype), value.shape, plain.tobytes())
    if kind == "generic":
        return builders.scalar, (np.asarray(value),)
    if kind == "dtype":
        return builders.dtype, (np.lib.format.dtype_to_descr(value),)
    return None


def _scipy(value: Any, kind: str) -> Call | None:
    if isinstance(value, tuple):
        return builders.plain_tuple, (list(value),)
    if isinstance(value, dict) and kind == "OptimizeResult":
        return builders.plain_dict, (list(value.items()),)
    if kind not in ("spmatrix", "_spbase", "sparray"):
        return None
    parts = value.tocoo()
    plain = not isinstance(value, _module("scipy.sparse").spmatrix)
    return builders.sparse, (value.format, plain, value.shape, parts.data, parts.row, parts.col)


def _torch(value: Any, kind: str) -> Call | None:
    if kind == "Tensor" and value.layout != _module("torch").strided:
        parts = value.detach().to_sparse_coo().coalesce()
        return builders.sparse_tensor, (parts.indices(), parts.values(), tuple(value.shape))
    if kind == "Tensor":
        name = str(value.dtype).removeprefix("torch.")
        plain = value.detach().cpu()
        plain = plain.float() if name == "bfloat16" else plain
        return builders.tensor, (plain.resolve_conj().resolve_neg().numpy(), name, value.requires_grad)
    if kind == "Optimizer":
        return builders.optimizer, (type(value).__name__, value.defaults, value.param_groups)
    if kind == "Size":
        return builders.torch_size, (list(value),)
    if kind == "dtype":
        return builders.torch_type, (str(value).removeprefix("torch."),)
    return None


def _tensorflow(value: Any, kind: str) -> Call | None:
    if kind in ("EagerTensor", "_EagerTensorBase"):
        return builders.tf_tensor, (value.numpy(), value.dtype.name)
    if kind in ("ResourceVariable", "BaseResourceVariable"):
        return builders.tf_variable, (value.numpy(), value.dtype.name)
    return None


def _module(name: str) -> Any:
    return sys.modules[name]


_PACKERS: dict[str, Callable[[Any, str], Call | None]] = {
    "matplotlib": pack_figures.call,
    "numpy": _numpy,
    "pandas": pack_pandas.call,
    "scipy": _scipy,
    "torch": _torch,
    "tensorflow": _tensorflow,
}
