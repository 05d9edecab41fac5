"""What an action is: a frozen dataclass whose docstring and field docs are its specification.

    @dataclass(frozen=True)
    class ClassicRetrieve:
        '''Search the passages of all papers for a text.'''
        query: Annotated[str, "What to look for, in words."]
        limit: Annotated[int, "How many passages, at most 50."] = 5

`parameters(ClassicRetrieve)` reads them back; the prompt, the tool schemas, the error messages and the
check of arguments are all made from that. An action that needs more than its arguments gets it from the
environment that runs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, get_args, get_type_hints, runtime_checkable

from quire.types import Call, Observation

if TYPE_CHECKING:
    from quire.ask.environment import Environment
import ast
from collections.abc import Callable


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


def _numbers(value: Any) -> tuple[float, ...]:
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        value = ast.literal_eval(value[:200])
    if isinstance(value, Mapping) or not hasattr(value, "__iter__"):
        raise TypeError
    return tuple(_number(each) for each in value)


def _texts(value: Any) -> tuple[str, ...]:
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Mapping) or not hasattr(value, "__iter__"):
        raise TypeError
    return tuple(_text(each) for each in value)


def _number(value: Any) -> float:
    if isinstance(value, bool):
        raise TypeError
    number = float(value)
    if number != number or number in (float("inf"), float("-inf")):
        raise ValueError
    return number


KINDS: Mapping[Any, ArgumentType] = {
    str: ArgumentType("str", {"type": "string"}, _text),
    int: ArgumentType("int", {"type": "integer"}, _integer),
    bool: ArgumentType("bool", {"type": "boolean"}, _truth),
    float: ArgumentType("float", {"type": "number"}, _number),
    tuple[float, ...]: ArgumentType("list[float]", {"type": "array", "items": {"type": "number"}}, _numbers),
    tuple[str, ...]: ArgumentType("list[str]", {"type": "array", "items": {"type": "string"}}, _texts),
    Any: ArgumentType("Any", {}, lambda given: given),
}


@runtime_checkable
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
