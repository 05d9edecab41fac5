"""Methods side by side: the same questions, each method, what came out and what it took.

ask = asker(model, environment, settings.agent, collections)
for row in compare(("classic_rag", "full_hybrid"), questions, ask, judge):
    row.method, row.score, row.answered, row.usage.cost
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from quire.agents.library_schema import look
from quire.agents.llm import LLMPolicy, llm_policy
from quire.agents.loop import Limits, run
from quire.agents.methods import METHODS
from quire.environment import Environment
from quire.models import Model
from quire.settings import Agent
from quire.types import Answer, Question, Score, Trajectory, Usage

Ask = Callable[[str, Question], Trajectory]
Judge = Callable[[Question, Answer], Score]


@dataclass(frozen=True, slots=True)
class Compared:
    """One method over all questions.

    `score` is the mean over the questions that could be judged (0 for one that was not answered), None
    where there were none; `turns` and `seconds` are means per question.
    """

    method: str
    runs: tuple[Trajectory, ...]
    scores: tuple[float | None, ...]

    @property
    def score(self) -> float | None:
        """The mean score."""
        judged = [score for score in self.scores if score is not None]
        return sum(judged) / len(judged) if judged else None

    @property
    def statuses(self) -> Mapping[str, int]:
        """How many runs were answered, abstained, failed."""
        said = [each.answer.status for each in self.runs]
        return {status: said.count(status) for status in ("answered", "abstained", "failed")}

    @property
    def usage(self) -> Usage:
        """Tokens and cost of all runs."""
        return sum((each.usage for each in self.runs), Usage())

    @property
    def turns(self) -> float:
        """Mean number of turns."""
        return sum(each.turns for each in self.runs) / len(self.runs) if self.runs else 0.0

    @property
    def seconds(self) -> float:
        """Mean time of a run."""
        return sum(each.seconds for each in self.runs) / len(self.runs) if self.runs else 0.0


def asker(
    model: Model,
    environment: Environment,
    settings: Agent,
    collections: Sequence[str],
    limits: Limits | None = None,
) -> Ask:
    """How to ask by any method, over one library and model; looks at the library once."""
    library_schema = look(environment.library, collections)
    limits = limits or Limits(max_turns=settings.max_turns)
    policies: dict[str, LLMPolicy] = {}

    def ask(name: str, question: Question) -> Trajectory:
        if name not in policies:
            chosen = settings.model_copy(update={"method": name})
            policies[name] = llm_policy(
                model, environment, chosen, collections, library_schema=library_schema
            )
        return run(policies[name], environment, question, limits, method=name)

    return ask


def compare(
    names: Iterable[str],
    questions: Sequence[Question],
    ask: Ask,
    judge: Judge | None = None,
    *,
    workers: int = 1,
    on_run: Callable[[Trajectory], None] | None = None,
) -> list[Compared]:
    """Every method over every question; `workers` questions at once.

    Raises:
        UnknownNameError: there is no such method (before anything is asked).
    """
    chosen = [METHODS[name].name for name in names] or list(METHODS)
    rows = []
    with ThreadPoolExecutor(workers) as pool:
        for name in chosen:
            runs = []
            for done in pool.map(lambda question, name=name: ask(name, question), questions):
                runs.append(done)
                if on_run:
                    on_run(done)
            scores = [_score(done, judge) for done in runs]
            rows.append(Compared(name, tuple(runs), tuple(scores)))
    return rows


def _score(done: Trajectory, judge: Judge | None) -> float | None:
    if judge is None:
        return None
    return judge(done.question, done.answer).value if done.answer.status == "answered" else 0.0
