"""Figures, the one kind of result that is more than data: what their parts may be, and what of them travels.

The classes of which a candidate may send objects stand under their own names in a listed module and derive
from a listed base, so a name cannot be a way to something else. Nothing is imported for a candidate but
listed modules. Attributes are set as sent, but none may stand in front of a method or a property of its
class: `figure.get_axes = dict` is refused, as a class can be called too and what it returns may look like
"equal". Besides figures PNG files go from the candidate to the judge.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from functools import cache
from pathlib import Path
from typing import Any

from . import NotData

LARGEST = 20 << 20  # bytes of a file that goes from one to the other
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PARTS = """
artist axes._axes axes._base axes._secondary_axes axis backend_bases cbook category collections colorbar
colors container contour dates figure font_manager gridspec image layout_engine legend lines markers
offsetbox patches patheffects path projections.polar projections.geo quiver scale spines streamplot table
text textpath ticker transforms tri._triangulation tri._tricontour units _enums widgets
""".split()
_MODULES = frozenset(
    [f"matplotlib.{part}" for part in _PARTS]
    + [f"mpl_toolkits.mplot3d.{part}" for part in ("art3d", "axes3d", "axis3d")]
    + [f"mpl_toolkits.axes_grid1.{part}" for part in ("axes_divider", "axes_size", "mpl_axes")]
    + ["pandas.plotting._matplotlib.converter", "seaborn.utils", "cycler"]
)
# Classes that derive from none of the bases but from `object`.
_SINGLE = frozenset(
    """
    artist._XYPair axes._base._process_plot_var_args axis.Ticker cbook.CallbackRegistry cbook.Grouper
    cbook._OrderedSet cbook.silent_list category.UnitData colorbar._ColorbarAxesLocator figure.SubplotParams
    figure._AxesStack font_manager.FontProperties gridspec.SubplotSpec gridspec.SubplotParams
    layout_engine.LayoutEngine markers.MarkerStyle spines.Spines spines.SpinesProxy
    """.split()
)
_STYLES = ("BoxStyle.", "ArrowStyle.", "ConnectionStyle.")
_WRAPPED = """
transform transform_affine transform_non_affine transform_path transform_path_affine
transform_path_non_affine get_affine inverted get_matrix
""".split()
_BASES = (
    ("matplotlib.artist", "Artist"),
    ("matplotlib.transforms", "TransformNode"),
    ("matplotlib.ticker", "TickHelper"),
    ("matplotlib.colors", "Normalize"),
    ("matplotlib.colors", "Colormap"),
    ("matplotlib.path", "Path"),
    ("matplotlib.scale", "ScaleBase"),
    ("matplotlib.container", "Container"),
    ("matplotlib.colorbar", "Colorbar"),
    ("matplotlib.gridspec", "GridSpecBase"),
    ("matplotlib.layout_engine", "LayoutEngine"),
    ("matplotlib.units", "ConversionInterface"),
    ("matplotlib.patheffects", "AbstractPathEffect"),
    ("matplotlib.tri._triangulation", "Triangulation"),
    ("cycler", "Cycler"),
)
_ENUMS = {("matplotlib._enums", "CapStyle"), ("matplotlib._enums", "JoinStyle")}


@cache
def class_of(name: str) -> Any:
    """The class of that name.

    Raises:
        NotData: candidates may send no objects of it.
    """
    module = max((each for each in _MODULES if name.startswith(f"{each}.")), key=len, default="")
    found: Any = importlib.import_module(module) if module else None
    for part in name.removeprefix(f"{module}.").split("."):
        found = vars(found).get(part) if module and not part.startswith("__") else None
        if not isinstance(found, type) or found.__module__ != module:
            raise NotData(f"{name:.80} is not data")
    if not (_is_part(found) or _is_enumeration(found)):
        raise NotData(f"{name:.80} is not data")
    return found


def fresh(kind: Any, arguments: Any) -> Any:
    """A part of a figure, whose constructor does not run, or a member of an enumeration."""
    if _is_enumeration(kind):
        return kind(*arguments)
    if arguments and not issubclass(kind, tuple):
        raise NotData(f"arguments for a new {kind.__name__}")
    return kind.__new__(kind, *arguments)


def set_state(part: Any, state: Any) -> None:
    """Set the attributes of a part of a figure, if they are only that.

    Raises:
        NotData: it is no such part, or an attribute stands in front of what its class has.
    """
    kind: Any = type(part)
    if not _is_part(kind):
        raise NotData(f"attributes for {kind.__module__}.{kind.__qualname__}")
    for attributes in state if isinstance(state, tuple) else (state,):
        if isinstance(attributes, dict):
            _check_attributes(kind, attributes)
    if hasattr(kind, "__setstate__"):
        part.__setstate__(state)
    else:
        vars(part).update(state)
    wrapper = vars(importlib.import_module("matplotlib.transforms"))["TransformWrapper"]
    if isinstance(part, wrapper):  # it has the methods of what it wraps, as its own `set` gives them
        wrapped = vars(part).get("_child")
        own: Any = type(wrapped)
        if not _is_part(own):
            raise NotData("a wrapper of nothing")
        for name in _WRAPPED:
            setattr(part, name, getattr(wrapped, name))


def _check_attributes(kind: Any, attributes: dict[Any, Any]) -> None:
    for name, value in list(attributes.items()):
        if not isinstance(name, str) or (name.startswith("__") and name != "__mpl_version__"):
            raise NotData(f"attribute {name!r} of {kind.__name__}")
        if _is_method(kind, name):
            if value is not None:
                raise NotData(f"{name!r} is a method of {kind.__name__}")
            del attributes[name]  # a function was here, which did not travel: the class has its own


@cache
def _is_method(kind: Any, name: str) -> bool:
    own = inspect.getattr_static(kind, name, None)
    return callable(own) or isinstance(own, (classmethod, property, functools.cached_property))


def _is_enumeration(kind: Any) -> bool:
    return (kind.__module__, kind.__name__) in _ENUMS


@cache
def _is_part(kind: Any) -> bool:
    """Whether objects of this class may be made, and get attributes."""
    where, name = kind.__module__, kind.__qualname__
    if where not in _MODULES:
        return False
    if f"{where.removeprefix('matplotlib.')}.{name}" in _SINGLE:
        return True
    if where == "matplotlib.patches" and name.startswith(_STYLES):
        return True
    bases = (vars(importlib.import_module(module)).get(name) for module, name in _BASES)
    return any(issubclass(kind, base) for base in bases if isinstance(base, type))


def labelled(part: Any, state: Any) -> Any:
    """The attributes of a part; where a function names the ticks of an axis, the names that it gives."""
    if type(part).__name__ != "FuncFormatter":
        return state
    function, axis = part.func, part.axis
    if isinstance(function, functools.partial) and function.func.__name__ == "_format_with_dict":
        named = function.args[0].items()
    else:
        places = [*axis.get_majorticklocs(), *axis.get_minorticklocs()] if axis is not None else []
        named = ((place, function(place, number)) for number, place in enumerate(places))
    return {**state, "func": tick_labels({float(place): str(name) for place, name in named})}


def tick_labels(labels: dict[float, str]) -> Any:
    """What names the ticks of an axis by place: matplotlib's own function over these labels."""
    axis = importlib.import_module("matplotlib.axis").Axis
    return functools.partial(axis._format_with_dict, dict(labels))


def pictures() -> dict[str, bytes]:
    """The PNG files of the working folder, by name."""
    found = {}
    for path in Path().glob("*.png"):
        if path.is_file() and path.stat().st_size < LARGEST:
            data = path.read_bytes()
            if data.startswith(_SIGNATURE):
                found[path.name] = data
    return found


def write_pictures(files: dict[str, bytes]) -> None:
    """Put what a candidate sent where its name says; files that are there stay as they are.

    Raises:
        NotData: a name leads elsewhere, or the bytes are no picture.
    """
    for name, data in files.items():
        target = Path(name)
        if target.name != name or target.suffix != ".png" or not data.startswith(_SIGNATURE):
            raise NotData(f"{name!r} is not a picture")
        if not target.exists():
            target.write_bytes(data)
