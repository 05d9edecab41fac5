"""Sets of questions over PDFs, each read by one file of this room into the same items.

>>> questions = load(Path("test_data_553.jsonl"))
>>> questions.layout, len(questions.items), len(questions.notes)
('airqa', 553, 18)

`airqa`, `m3sciqa`, `scidqa` and `own` read a layout each; `resolving` finds the papers that are meant,
`predictions` answers that were made elsewhere.
"""

from quire.registry import Registry
from quire.tasks.questions.items import Item, QuestionSet
from quire.tasks.questions.loading import load
from quire.tasks.questions.resolving import finder, resolve

LAYOUTS = Registry(
    "layout of questions",
    {
        "airqa": "quire.tasks.questions.airqa:item",
        "m3sciqa": "quire.tasks.questions.m3sciqa:item",
        "scidqa": "quire.tasks.questions.scidqa:item",
        "quire": "quire.tasks.questions.own:item",
    },
)

__all__ = ["LAYOUTS", "Item", "QuestionSet", "finder", "load", "resolve"]
