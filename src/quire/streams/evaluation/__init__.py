"""Measuring how well questions over PDFs are answered: run, record, figures, comparison, report.

questions = load(Path("questions.jsonl"))
items = resolve(questions.items, finder(library.papers()))
records = evaluate(items, library.ask, folder, spec)
summarise(records).as_json()["accuracy"]
"""

from quire.streams.evaluation.comparing import Comparison, compare
from quire.streams.evaluation.predictions import from_predictions, read_predictions, strangers
from quire.streams.evaluation.record import EvalRecord
from quire.streams.evaluation.runner import Progress, evaluate
from quire.streams.evaluation.runs import EvalRun, load_run
from quire.streams.evaluation.spec import EvalSpec, digest_of, open_folder
from quire.streams.evaluation.summary import Summary, summarise

__all__ = [
    "Comparison",
    "EvalRecord",
    "EvalRun",
    "EvalSpec",
    "Progress",
    "Summary",
    "compare",
    "digest_of",
    "evaluate",
    "from_predictions",
    "load_run",
    "open_folder",
    "read_predictions",
    "strangers",
    "summarise",
]
