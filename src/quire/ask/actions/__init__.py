"""What an action is: a frozen dataclass whose docstring and field docs are its specification.

    @dataclass(frozen=True)
    class ClassicRetrieve:
        '''Search the passages of all papers for a text.'''
        query: Annotated[str, "What to look for, in words."]
        limit: Annotated[int, "How many passages, at most 50."] = 5

`parameters(ClassicRetrieve)` reads them back; the prompt, the tool schemas, the error messages and the
check of arguments are all made from that. `bind` makes an action of a parsed call: every argument checked,
and mended where its meaning is plain.

    bind(Call("ClassicRetrieve", {"query": "x", "limit": "3"}), allowed)  ->  ClassicRetrieve("x", 3)
    bind(Call("ClassicRetrieve", {"query": "x", "filter": ""}), allowed)
        ActionError: ClassicRetrieve has no parameter `filter`; ... RetrieveFromVectorstore has one ...

An action that needs more than its arguments gets it from the environment that runs it. To add one: a file
here, a row in `ACTIONS`, a test, a line in docs/extending.md.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Protocol, get_args, get_type_hints

from pydantic import ConfigDict, TypeAdapter
from rapidfuzz import process

from quire.errors import ActionError
from quire.registry import Registry
from quire.types import Call, Final, Observation

if TYPE_CHECKING:
    from quire.ask.environment import Environment


@cache
def _adapter(type_: Any) -> TypeAdapter[Any]:
    return TypeAdapter(type_, config=ConfigDict(coerce_numbers_to_str=True, allow_inf_nan=False))


@dataclass(frozen=True, slots=True)
class ArgumentType:
    """A type, and its name in signatures."""

    name: str
    type: Any

    @property
    def schema(self) -> Mapping[str, Any]:
        """As JSON Schema."""
        return _adapter(self.type).json_schema()

    def read(self, value: Any) -> Any:
        """The value that is meant; raises ValueError, TypeError or SyntaxError for what is none."""
        if isinstance(value, bool) and self.type in (int, float):
            raise TypeError
        if self.type in (_NUMBERS, _TEXTS) and (value is None or value == ""):
            return ()
        if isinstance(value, str) and self.type == _TEXTS:
            value = [value]
        elif isinstance(value, str) and self.type == _NUMBERS:
            value = ast.literal_eval(value[:200])
        return _adapter(self.type).validate_python(value)


_NUMBERS, _TEXTS = tuple[float, ...], tuple[str, ...]
_NAMES = {str: "str", int: "int", bool: "bool", float: "float", Any: "Any"}
_NAMES |= {_NUMBERS: "list[float]", _TEXTS: "list[str]"}
KINDS: Mapping[Any, ArgumentType] = {type_: ArgumentType(name, type_) for type_, name in _NAMES.items()}


class Action(Protocol):
    """One thing that an agent may do. `examples` are (what for, arguments) pairs shown in the prompt."""

    examples: ClassVar[tuple[tuple[str, Mapping[str, Any]], ...]]

    def run(self, env: Environment) -> Observation:
        """Do it.

        Raises:
            QuireError: it cannot be done; the environment turns it into an `[Error]` observation.
        """
        ...


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter; `default` only if not `required`."""

    name: str
    kind: ArgumentType
    doc: str
    required: bool
    default: Any = None

    @property
    def signature(self) -> str:
        """As it stands in a signature, e.g. `limit: int = 5`."""
        text = f"{self.name}: {self.kind.name}"
        return text if self.required else f"{text} = {self.default!r}"


@dataclass(frozen=True)
class GenerateAnswer:
    """End the run with the answer, in exactly the format that the question asks for.

    If the papers do not give the answer, answer None.
    """

    answer: Annotated[Any, "The answer: a string, number, list or object, as the answer format says."]

    examples: ClassVar[tuple[tuple[str, Mapping[str, Any]], ...]] = (
        ("A list of strings.", {"answer": ["Results", "Discussion"]}),
    )

    def run(self, env: Environment) -> Final:
        """The answer itself; nothing follows it."""
        text = json.dumps(self.answer, ensure_ascii=False, default=str)
        return Final("final", text, answer=self.answer)


ACTIONS = Registry(
    "action",
    {
        "RetrieveFromDatabase": "quire.ask.actions.database:RetrieveFromDatabase",
        "RetrieveFromVectorstore": "quire.ask.actions.search:RetrieveFromVectorstore",
        "ClassicRetrieve": "quire.ask.actions.search:ClassicRetrieve",
        "Search": "quire.ask.actions.search:Search",
        "FirstLook": "quire.ask.actions.first_look:FirstLook",
        "CalculateExpr": "quire.ask.actions.calculate:CalculateExpr",
        "ViewImage": "quire.ask.actions.view:ViewImage",
        "GenerateAnswer": "quire.ask.actions:GenerateAnswer",
        "ReadRows": "quire.ask.actions.database:ReadRows",
    },
    "quire.actions",
)


def load_actions(names: Iterable[str] = ACTIONS) -> Mapping[str, type[Action]]:
    """The action classes of those names, in that order.

    Raises:
        UnknownNameError: there is no such action.
    """
    return {name: ACTIONS.load(name) for name in names}


@cache
def parameters(action: type[Action]) -> tuple[Parameter, ...]:
    """The parameters of an action, in the order of its signature."""
    hints = get_type_hints(action, include_extras=True)
    found = []
    for field in fields(action):  # type: ignore[arg-type]
        kind, doc = get_args(hints[field.name])
        required = field.default is MISSING
        default = None if required else field.default
        shown = list(default) if isinstance(default, tuple) else default
        found.append(Parameter(field.name, KINDS[kind], doc, required, shown))
    return tuple(found)


def signature(action: type[Action]) -> str:
    """E.g. `ClassicRetrieve(query: str, limit: int = 5)`."""
    inside = ", ".join(parameter.signature for parameter in parameters(action))
    return f"{action.__name__}({inside})"


def example(action: type[Action]) -> Call:
    """A correct call of that action."""
    return Call(action.__name__, dict(action.examples[0][1]))


def description(action: type[Action]) -> str:
    """What the action does, in one paragraph: its docstring."""
    return " ".join((action.__doc__ or "").split())


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
    if found := known(name, allowed):
        return found
    raise ActionError(not_there(name, allowed))


def not_there(name: str, allowed: Iterable[str]) -> str:
    """That there is no such action here; the nearest, and all that are allowed."""
    folded = {fold(each): each for each in allowed}
    near = process.extractOne(fold(name), list(folded), score_cutoff=60)
    guess = f" Did you mean {folded[near[0]]}?" if near else ""
    return f"There is no action `{name[:80]}` here.{guess} You can use: {', '.join(folded.values())}."


def fold(name: str) -> str:
    """A name without case and separators."""
    return re.sub(r"[\s_\-]", "", name).lower()


def known(name: Any, actions: Mapping[str, type[Action]]) -> str | None:
    """The action of that name however it is spelt, or None."""
    if not isinstance(name, str):
        return None
    return next((each for each in actions if fold(each) == fold(name)), None)


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
