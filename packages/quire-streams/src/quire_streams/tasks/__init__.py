"""What can be streamed: one file per data set, each with its link, licence, prompt text and score.

`protocol` says what a task is, `protocols` how one is asked and scored. Spider, CoSQL and BIRD (`sql_sets`)
share `text_to_sql` and `sql_child`; DS-1000 runs in `warm_python` (`ds1000_harness/`, `code_environment`);
questions over PDFs are `papers`. `fetching` gets data; `judging` and `judge_child` keep gold from who solves;
`offline/` answers without a model.
"""

from quire.eval.result import Result
from quire.registry import Registry
from quire_streams.tasks.protocol import Sample, Task

TASKS = Registry(
    "task",
    {
        "spider": "quire_streams.tasks.sql_sets:Spider",
        "cosql": "quire_streams.tasks.sql_sets:Cosql",
        "bird": "quire_streams.tasks.sql_sets:Bird",
        "ds1000": "quire_streams.tasks.ds1000:Ds1000",
        "toolbench": "quire_streams.tasks.toolbench:ToolBench",
        "ddxplus": "quire_streams.tasks.ddxplus:DdxPlus",
        "hotpotqa": "quire_streams.tasks.hotpotqa:HotpotQa",
        "papers": "quire_streams.tasks.papers:PaperQuestions",
    },
    "quire.tasks",
)

__all__ = ["TASKS", "Result", "Sample", "Task"]
