"""Sets of questions over PDFs, each read by one file of this room into the same items.

>>> questions = load(Path("test_data_553.jsonl"))
>>> questions.layout, len(questions.items), len(questions.notes)
('airqa', 553, 18)

`airqa`, `m3sciqa`, `scidqa` and `own` read a layout each; `resolving` finds the papers that are meant,
`predictions` answers that were made elsewhere.
"""

from quire.eval.questions.items import QuestionItem, QuestionSet
from quire.eval.questions.loading import load
from quire.eval.questions.resolving import finder, resolve
from quire.registry import Registry

LAYOUTS = Registry(
    "layout of questions",
    {
        "airqa": "quire.eval.questions.airqa:item",
        "m3sciqa": "quire.eval.questions.m3sciqa:item",
        "scidqa": "quire.eval.questions.scidqa:item",
        "quire": "quire.eval.questions.own:item",
    },
)

__all__ = ["LAYOUTS", "QuestionItem", "QuestionSet", "finder", "load", "resolve"]
