"""The classes of which a candidate may send objects, besides data: the parts of figures.

Each is a class (never a function) that stands under its own name in a listed module and derives from a listed
base, so a name cannot be a way to something else. Nothing is imported for a candidate but listed modules.
"""

from __future__ import annotations

import copyreg
import importlib
from functools import cache
from typing import Any

bare: Any = vars(copyreg)["_reconstructor"]

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


def member(module: str, name: str) -> Any:
    """The class of that name if candidates may send objects of it, else None."""
    if (module, name) == ("copyreg", "_reconstructor"):
        return bare
    if module not in _MODULES or name.startswith("__"):
        return None
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = vars(found).get(part)
        if not isinstance(found, type):
            return None
    own = (found.__module__, found.__qualname__) == (module, name)
    return found if own and (built(found) or called(found)) else None


def built(kind: Any) -> bool:
    """Whether objects of this class may be made, and get attributes."""
    where, name = kind.__module__, kind.__qualname__
    if where not in _MODULES:
        return False
    if f"{where.removeprefix('matplotlib.')}.{name}" in _SINGLE:
        return True
    if where == "matplotlib.patches" and name.startswith(_STYLES):
        return True
    return any(issubclass(kind, base) for base in _bases())


def called(kind: Any) -> bool:
    """Whether it is an enumeration, which is looked up by value."""
    return isinstance(kind, type) and (kind.__module__, kind.__qualname__) in _ENUMS


def bind(instance: Any) -> None:
    """Give a wrapper of a transform the methods of what it wraps, as its own `set` does."""
    wrapper = vars(importlib.import_module("matplotlib.transforms"))["TransformWrapper"]
    if isinstance(instance, wrapper):
        child = vars(instance).get("_child")
        if not built(type(child)):
            raise TypeError("a wrapper of nothing")
        for name in _WRAPPED:
            setattr(instance, name, getattr(child, name))


@cache
def _bases() -> tuple[type, ...]:
    found = (vars(importlib.import_module(module)).get(name) for module, name in _BASES)
    return tuple(base for base in found if isinstance(base, type))
