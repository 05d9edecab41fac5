"""What made the weights of the package, a trainer a file; `manifest.py` runs and checks them."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def wanted(name: str) -> Any:
    """A module of the group `training` of pyproject.toml, which the package and its tests do without.

    Raises:
        ModuleNotFoundError: it is not installed; the message says how it gets there.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        how = "`make training` installs it, or `pip install --group training` (pip 25.1 or later)"
        raise ModuleNotFoundError(f"{error.name} is not installed: {how}.", name=error.name) from None
