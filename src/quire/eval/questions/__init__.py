"""Sets of questions over PDFs, each read by one file of this room into the same items.

>>> questions = load(Path("test_data_553.jsonl"))
>>> questions.layout, len(questions.items), len(questions.notes)
('airqa', 553, 18)

`layouts` reads what each set has; `items` also finds the papers that are meant, `predictions` answers
that were made elsewhere.
"""

from quire.eval.questions.items import QuestionItem, QuestionSet, finder, load, resolve
from quire.registry import Registry

LAYOUTS = Registry(
    "layout of questions",
    {
        "airqa": "quire.eval.questions.layouts:airqa_item",
        "m3sciqa": "quire.eval.questions.layouts:m3sciqa_item",
        "scidqa": "quire.eval.questions.layouts:airqa_item",
        "quire": "quire.eval.questions.layouts:own_item",
    },
)

__all__ = ["LAYOUTS", "QuestionItem", "QuestionSet", "finder", "load", "resolve"]
