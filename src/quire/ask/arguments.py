"""From a parsed call to an action: every argument checked, and mended where its meaning is plain.

bind(Call("ClassicRetrieve", {"query": "x", "limit": "3"}), allowed)  ->  ClassicRetrieve("x", 3)
bind(Call("ClassicRetrieve", {"query": "x", "filter": ""}), allowed)
    ActionError: ClassicRetrieve has no parameter `filter`; ... RetrieveFromVectorstore has one ...
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rapidfuzz import process

from quire.ask.actions import Action, Parameter, parameters, signature
from quire.errors import ActionError
from quire.types import Call


def bind(call: Call, allowed: Mapping[str, type[Action]]) -> Action:
    """The action that the call asks for.

    Raises:
        ActionError: it is not allowed here, or an argument is unknown, missing or of the wrong type.
    """
    name = resolve(call.name, allowed)
    action = allowed[name]
    known = {parameter.name: parameter for parameter in parameters(action)}
    for given in call.arguments:
        if given not in known:
            raise ActionError(_unknown_parameter(name, given, allowed))
    missing = [p.name for p in known.values() if p.required and p.name not in call.arguments]
    if missing:
        wanted = ", ".join(f"`{each}`" for each in missing)
        raise ActionError(f"{name} needs {wanted}. Its signature is {signature(action)}.")
    values = {given: _value(known[given], value, name) for given, value in call.arguments.items()}
    return action(**values)


def resolve(name: str, allowed: Mapping[str, type[Action]]) -> str:
    """The allowed action of that name, whatever its case or underscores.

    Raises:
        ActionError: there is none; names the nearest and all that are allowed.
    """
    folded = {_fold(each): each for each in allowed}
    if _fold(name) in folded:
        return folded[_fold(name)]
    near = process.extractOne(_fold(name), list(folded), score_cutoff=70)
    guess = f" Did you mean {folded[near[0]]}?" if near else ""
    raise ActionError(f"There is no action `{name[:80]}` here.{guess} You can use: {', '.join(allowed)}.")


def _fold(name: str) -> str:
    return name.replace("_", "").replace("-", "").replace(" ", "").lower()


def _unknown_parameter(action: str, given: str, allowed: Mapping[str, type[Action]]) -> str:
    owners = [name for name, each in allowed.items() if given in {p.name for p in parameters(each)}]
    elsewhere = f" {' and '.join(owners)} has that one: {signature(allowed[owners[0]])}." if owners else ""
    names = [parameter.name for parameter in parameters(allowed[action])]
    near = process.extractOne(given.lower(), names, score_cutoff=75)
    guess = f" Did you mean `{near[0]}`?" if near and not owners else ""
    return (
        f"{action} has no parameter `{given[:80]}`.{guess} "
        f"Its signature is {signature(allowed[action])}.{elsewhere}"
    )


def _value(parameter: Parameter, value: Any, action: str) -> Any:
    try:
        return parameter.kind.read(value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError, OverflowError):
        shown = repr(value)[:80]
        raise ActionError(
            f"`{parameter.name}` of {action} must be of type {parameter.kind.name}, not {shown}."
            f" {parameter.doc}"
        ) from None


def plain(value: Any) -> Any:
    """The value as JSON types: tuples and sets become lists, other things text.

    Text keeps no half surrogates, which could be neither stored nor sent.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, Mapping):
        return {str(plain(str(key))): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, set | frozenset):
        return sorted((plain(each) for each in value), key=lambda each: json.dumps(each, sort_keys=True))
    if value is None or isinstance(value, bool | int | float):
        return value
    return str(value)
