"""What can be streamed: one file per data set, each with its link, licence, prompt text and score.

`protocol` says what a task is, and how one is asked and scored. Spider, CoSQL and BIRD are `text_to_sql` and
`sql_child`; DS-1000 runs in `warm_python` (`ds1000_harness/`); questions over PDFs are `papers`. `fetching`
gets data; `judging` and `judge_child` keep gold from who solves; `offline/` answers without a model.
"""

from quire.eval.result import Result
from quire_streams.tasks.protocol import TASKS, Sample, Task

__all__ = ["TASKS", "Result", "Sample", "Task"]
