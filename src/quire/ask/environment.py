"""An environment: a set of allowed actions over one library, and the border where failure becomes words.

    env = Environment(library)
    env.run(Call("CalculateExpr", {"expr": "1/3"})).text    ->  "The result is: 0.3333333333333333"
    env.run(Call("CalculateExpr", {"expr": "9**9**9"})).text  ->  "[Error]: The power has more than ..."

It only reads. Nothing is kept between calls, so one question cannot see another's temporary
state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from quire.ask.actions import Action, bind, example, known, load_actions
from quire.ask.formats import render_call
from quire.errors import ActionError, QuireError
from quire.settings import Observations
from quire.types import Call, Failed, Observation, Question

if TYPE_CHECKING:
    from quire.library import Library


@dataclass(frozen=True)
class Environment:
    """What an agent may do to a library.

    `scope` are the ids of the papers that every search is restricted to, by the user (all when empty);
    `anchors` those that a question names, which come first where scores tie; `vision` says that the model can
    see pictures; `format` is how correct calls are shown to it; `memory` lets searches
    profit from what the library learned of verdicts.
    """

    library: Library
    actions: Mapping[str, type[Action]] = field(default_factory=load_actions)
    settings: Observations = Observations()
    vision: bool = False
    scope: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    format: str = "markdown"
    memory: bool = False

    def run(self, call: Call) -> Observation:
        """Run an action. Never raises: whatever goes wrong is an `[Error]` observation."""
        try:
            return bind(call, self.actions).run(self)
        except ActionError as error:
            name = known(call.name, self.actions) or next(iter(self.actions))
            correct = f"A correct call: {render_call(example(self.actions[name]), self.format)}"
            return failed(ActionError(error.message, hint=f"{error.hint} {correct}".strip()))
        except QuireError as error:
            return failed(error)
        except Exception as error:  # the border of an action: an agent must hear of it, not die of it
            return failed(f"{call.name} failed: {type(error).__name__}: {error}")

    def limited_to(self, names: Iterable[str]) -> Environment:
        """The same environment with only those actions.

        Raises:
            UnknownNameError: there is no such action.
        """
        return replace(self, actions=load_actions(names))

    def asked(self, question: Question) -> Environment:
        """The same environment for one question: what its user restricts it to, and the papers it names."""
        return replace(self, scope=self.scope or question.only, anchors=question.anchor_papers)


def failed(error: QuireError | str) -> Failed:
    """The observation that tells an agent of an error."""
    return Failed("error", f"[Error]: {error}", why=str(error))
