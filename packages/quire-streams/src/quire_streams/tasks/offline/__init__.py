"""Solvers without a language model, so that streams can be tried without a key.

They know what a rule knows, use the shots that memory recalls, and come in three variants (a, b, c) that are
good at different things, so that models that share a memory have something to share. Their figures are a
simulation of learning and say nothing about what a language model would score. Styles make no difference to
them: there is no prompt to style.
"""

from collections.abc import Sequence

from quire.errors import SettingsError
from quire.registry import Registry

OFFLINE = Registry(
    "offline solver",
    {
        "ddxplus": "quire_streams.tasks.offline.ddxplus:DiagnosisByVote",
        "toolbench": "quire_streams.tasks.offline.toolbench:CallByPattern",
    },
)

VARIANTS = ("a", "b", "c")

__all__ = ["OFFLINE", "VARIANTS", "is_offline", "need_offline", "usual"]


def is_offline(model: str) -> bool:
    """Whether a model's name stands for rules."""
    return model.partition(":")[0] == "offline"


def need_offline(task: str) -> None:
    """Say at once that a task cannot be streamed without a model.

    Raises:
        SettingsError: it has no offline solver.
    """
    if task not in OFFLINE:
        raise SettingsError(
            f"Task `{task}` needs a language model; it has no offline solver.",
            hint="Give --model, e.g. gpt-4o-mini with its key in OPENAI_API_KEY, or scripted:FILE for "
            f"recorded replies. Without a model these can be streamed: {', '.join(OFFLINE)}, papers.",
        )


_BEFORE_ANY = 0.1  # likeness that a case of another answer is taken to have before one is seen


def usual(others: Sequence[float]) -> float:
    """The likeness to expect of a case that tells nothing, from the cases of other answers."""
    return (sum(others) + _BEFORE_ANY) / (len(others) + 1)
