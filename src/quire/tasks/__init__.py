"""What can be streamed: one file per data set, each with its link, licence, prompt text and score."""

from quire.registry import Registry
from quire.tasks.protocol import Result, Sample, Task

TASKS = Registry(
    "task",
    {
        "spider": "quire.tasks.spider:Spider",
        "cosql": "quire.tasks.cosql:Cosql",
        "bird": "quire.tasks.bird:Bird",
        "ds1000": "quire.tasks.ds1000:Ds1000",
        "toolbench": "quire.tasks.toolbench:ToolBench",
        "ddxplus": "quire.tasks.ddxplus:DdxPlus",
        "hotpotqa": "quire.tasks.hotpotqa:HotpotQa",
        "papers": "quire.tasks.papers:Papers",
    },
    "quire.tasks",
)

__all__ = ["TASKS", "Result", "Sample", "Task"]
