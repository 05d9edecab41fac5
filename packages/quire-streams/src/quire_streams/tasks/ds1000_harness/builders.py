"""The functions that build values in the judge, each from plain data and by a library's public constructors.

`packing` writes a value as a call of one of these; `unpacking` calls nothing else. They take arguments from a
hostile process, so each only leads to constructors that check what they get: an array has as many bytes as
its shape needs, a sparse matrix no index out of bounds.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any


def array(descr: Any, shape: tuple[int, ...], data: bytes) -> Any:
    """A numpy array of numbers, dates, strings or records."""
    import numpy as np

    return np.frombuffer(data, dtype=np.lib.format.descr_to_dtype(descr)).reshape(shape).copy()


def objects(shape: tuple[int, ...], values: list[Any]) -> Any:
    """A numpy array of objects."""
    import numpy as np

    made = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        made[place] = value
    return made.reshape(shape)


def scalar(values: Any) -> Any:
    """A numpy scalar, from an array with no axes."""
    return values[()]


def matrix(values: Any) -> Any:
    """A numpy matrix."""
    import numpy as np

    return np.matrix(values)


def dtype(descr: Any) -> Any:
    """A numpy dtype."""
    import numpy as np

    return np.lib.format.descr_to_dtype(descr)


def tensor(values: Any, kind: str, gradient: bool) -> Any:
    """A dense torch tensor; bfloat16 comes as float32."""
    import torch

    made = torch.from_numpy(values) if values.shape else torch.tensor(values[()])
    return made.to(torch_type(kind)).requires_grad_(gradient)


def sparse_tensor(places: Any, values: Any, shape: tuple[int, ...]) -> Any:
    """A sparse torch tensor in coordinate format."""
    import torch

    return torch.sparse_coo_tensor(places, values, shape, check_invariants=True)


def optimizer(name: str, defaults: dict[str, Any], groups: list[dict[str, Any]]) -> Any:
    """An optimizer of torch, with its groups of parameters and their settings."""
    import torch

    kind = vars(torch.optim).get(name)
    if not (isinstance(kind, type) and issubclass(kind, torch.optim.Optimizer)):
        raise TypeError(f"{name!r} is no optimizer of torch")
    return kind(groups, **defaults)


def torch_type(kind: str) -> Any:
    """A torch dtype, by name."""
    import torch

    found = vars(torch).get(kind)
    if not isinstance(found, torch.dtype):
        raise TypeError(f"{kind!r} is no type of torch")
    return found


def torch_size(sizes: list[int]) -> Any:
    """The shape of a torch tensor."""
    import torch

    return torch.Size(sizes)


def tf_tensor(values: Any, kind: str) -> Any:
    """A tensor of TensorFlow."""
    tf = importlib.import_module("tensorflow")
    return tf.constant(values, dtype=tf.as_dtype(kind))


def tf_variable(values: Any, kind: str) -> Any:
    """A variable of TensorFlow."""
    tf = importlib.import_module("tensorflow")
    return tf.Variable(values, dtype=tf.as_dtype(kind))


def sparse(form: str, plain: bool, shape: tuple[int, int], data: Any, row: Any, column: Any) -> Any:
    """A scipy.sparse array or matrix, by way of coordinates, whose bounds are checked."""
    library = importlib.import_module("scipy.sparse")
    kinds = {"coo", "csr", "csc", "bsr", "dia", "dok", "lil"}
    if form not in kinds:
        raise ValueError(f"{form!r} is no format of scipy.sparse")
    made = (library.coo_array if plain else library.coo_matrix)((data, (row, column)), shape=shape)
    return made.asformat(form)


def plain_tuple(values: list[Any]) -> Any:
    """Results of scipy with named fields; tests compare them as tuples."""
    return tuple(values)


def plain_dict(items: list[tuple[Any, Any]]) -> Any:
    """Results of scipy with named fields that are no tuples."""
    return importlib.import_module("scipy.optimize").OptimizeResult(items)


def tick_labels(labels: dict[float, str]) -> Any:
    """What names the ticks of an axis by place: matplotlib's own function over these labels."""
    axis = importlib.import_module("matplotlib.axis").Axis
    return functools.partial(axis._format_with_dict, dict(labels))


def absent() -> None:
    """In the place of a function: those do not travel."""
