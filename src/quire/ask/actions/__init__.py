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
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Protocol, TypeVar, get_args, get_type_hints

from rapidfuzz import process

from quire.errors import ActionError
from quire.registry import Registry
from quire.types import Call, Final, Observation

if TYPE_CHECKING:
    from quire.ask.environment import Environment

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ArgumentType:
    """A type: its name in signatures, its JSON schema, and how a value of it is read.

    `read` raises ValueError, TypeError or SyntaxError for what is none.
    """

    name: str
    schema: Mapping[str, Any]
    read: Callable[[Any], Any]


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise TypeError


def _integer(value: Any) -> int:
    if isinstance(value, bool) or value is None:
        raise TypeError
    number = float(value)
    if number != int(number):
        raise ValueError
    return int(number)


def _truth(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if str(value).strip().lower() not in ("true", "false"):
        raise ValueError
    return str(value).strip().lower() == "true"


def _number(value: Any) -> float:
    number = math.nan if isinstance(value, bool) else float(value)
    if not math.isfinite(number):
        raise ValueError
    return number


def _numbers(value: Any) -> tuple[float, ...]:
    return _several(ast.literal_eval(value[:200]) if isinstance(value, str) and value else value, _number)


def _texts(value: Any) -> tuple[str, ...]:
    return _several([value] if isinstance(value, str) and value else value, _text)


def _several(values: Any, read: Callable[[Any], T]) -> tuple[T, ...]:
    if values is None or values == "":
        return ()
    if isinstance(values, Mapping) or not hasattr(values, "__iter__"):
        raise TypeError
    return tuple(map(read, values))


KINDS: Mapping[Any, ArgumentType] = {
    str: ArgumentType("str", {"type": "string"}, _text),
    int: ArgumentType("int", {"type": "integer"}, _integer),
    bool: ArgumentType("bool", {"type": "boolean"}, _truth),
    float: ArgumentType("float", {"type": "number"}, _number),
    tuple[float, ...]: ArgumentType("list[float]", {"type": "array", "items": {"type": "number"}}, _numbers),
    tuple[str, ...]: ArgumentType("list[str]", {"type": "array", "items": {"type": "string"}}, _texts),
    Any: ArgumentType("Any", {}, lambda given: given),
}


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
    folded = {fold(each): each for each in allowed}
    near = process.extractOne(fold(name), list(folded), score_cutoff=70)
    guess = f" Did you mean {folded[near[0]]}?" if near else ""
    raise ActionError(f"There is no action `{name[:80]}` here.{guess} You can use: {', '.join(allowed)}.")


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
