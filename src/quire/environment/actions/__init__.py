"""The actions that an agent may take, one file each; a frozen dataclass whose docs are the prompt's text.

To add one: a file here, a row below, a test, a line in docs/extending.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from quire.environment.actions.base import Action, Parameter, description, example, parameters, signature
from quire.registry import Registry

ACTIONS = Registry(
    "action",
    {
        "RetrieveFromDatabase": "quire.environment.actions.database:RetrieveFromDatabase",
        "RetrieveFromVectorstore": "quire.environment.actions.vectorstore:RetrieveFromVectorstore",
        "ClassicRetrieve": "quire.environment.actions.classic:ClassicRetrieve",
        "Search": "quire.environment.actions.search:Search",
        "CalculateExpr": "quire.environment.actions.calculate:CalculateExpr",
        "ViewImage": "quire.environment.actions.view:ViewImage",
        "GenerateAnswer": "quire.environment.actions.answer:GenerateAnswer",
    },
    "quire.actions",
)


def load_actions(names: Iterable[str] = ACTIONS) -> Mapping[str, type[Action]]:
    """The action classes of those names, in that order.

    Raises:
        UnknownNameError: there is no such action.
    """
    return {name: ACTIONS.load(name) for name in names}


__all__ = [
    "ACTIONS",
    "Action",
    "Parameter",
    "description",
    "example",
    "load_actions",
    "parameters",
    "signature",
]
