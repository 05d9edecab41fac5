"""The actions that an agent may take, one file each; a frozen dataclass whose docs are the prompt's text.

To add one: a file here, a row below, a test, a line in docs/extending.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from quire.ask.actions.base import Action, Parameter, description, example, parameters, signature
from quire.registry import Registry

ACTIONS = Registry(
    "action",
    {
        "RetrieveFromDatabase": "quire.ask.actions.database:RetrieveFromDatabase",
        "RetrieveFromVectorstore": "quire.ask.actions.vectorstore:RetrieveFromVectorstore",
        "ClassicRetrieve": "quire.ask.actions.classic:ClassicRetrieve",
        "Search": "quire.ask.actions.search:Search",
        "FirstLook": "quire.ask.actions.first_look:FirstLook",
        "CalculateExpr": "quire.ask.actions.calculate:CalculateExpr",
        "ViewImage": "quire.ask.actions.view:ViewImage",
        "GenerateAnswer": "quire.ask.actions.answer:GenerateAnswer",
        "ReadRows": "quire.ask.actions.rows:ReadRows",
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
