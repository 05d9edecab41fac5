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

from quire.environment.actions.kinds import KINDS, Kind
from quire.types import Call, Observation

if TYPE_CHECKING:
    from quire.environment.environment import Environment


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
    kind: Kind
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
