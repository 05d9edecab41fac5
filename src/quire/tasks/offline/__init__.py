"""Solvers without a language model, so that streams can be tried without a key.

They know what a rule knows, use the shots that memory recalls, and come in three variants (a, b, c) that are
good at different things, so that models that share a memory have something to share. They say nothing about
what a language model would score. Styles make no difference to them: there is no prompt to style.
"""

from quire.registry import Registry

OFFLINE = Registry(
    "offline solver",
    {
        "ddxplus": "quire.tasks.offline.ddxplus:DiagnosisByVote",
        "toolbench": "quire.tasks.offline.toolbench:CallByPattern",
        "hotpotqa": "quire.tasks.offline.hotpotqa:ExtractiveReader",
    },
)

VARIANTS = ("a", "b", "c")

__all__ = ["OFFLINE", "VARIANTS"]
