"""Sets of questions over PDFs, whatever their layout read into the same items.

>>> questions = load(Path("test_data_553.jsonl"))
>>> questions.layout, len(questions.items), len(questions.notes)
('airqa', 553, 18)

`layouts` reads what each set has, `items` finds the papers that are meant.
"""

from quire.eval.questions.items import QuestionItem, QuestionSet, finder, resolve
from quire.eval.questions.layouts import load

__all__ = ["QuestionItem", "QuestionSet", "finder", "load", "resolve"]
