"""How questions are answered with a language model: one row per method.

    METHODS["classic_sql"].actions     ->  ("RetrieveFromDatabase", "ClassicRetrieve", "GenerateAnswer")

All methods run in one loop. They differ in what the model may do and when (`stages`), in what is looked up
before it is asked (`opening`), and in the words that tell it so (`template`). A new method is one row here
(or an installed package's, see `quire.registry`) and, at most, a template.

The names in NeuSym-RAG (arXiv 2505.19754, section 4): question_only, title_abstract and full_text are its
trivial baselines, classic_rag to iterative_symbolic its other baselines, full_hybrid its own method.
evidence_first is ours, and the default: an easy question ends in its first turn. overview, comparison and
summary are for the questions of `quire.ask.across`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from quire.ask.openings import OPENINGS
from quire.registry import Rows
from quire.types import Call, Question, Step

_SQL = "RetrieveFromDatabase"
_VECTORS = "RetrieveFromVectorstore"
_CLASSIC = "ClassicRetrieve"
_SEARCH = "Search"
_CALCULATE = "CalculateExpr"
_VIEW = "ViewImage"
ANSWER = "GenerateAnswer"
_BRIEF = 2  # hits of a brief opening


@dataclass(frozen=True, slots=True)
class Method:
    """One way of answering.

    Each stage is a set of allowed actions; one that finds something leads to the next stage, and the last
    stage lasts until the answer. `opening` is a look-up of `OPENINGS` that comes before all stages; `brief`
    are the actions that are seldom needed and are told in a line.
    """

    name: str
    doc: str
    stages: tuple[tuple[str, ...], ...]
    template: str = "turns"
    opening: str = ""
    brief: tuple[str, ...] = (_CALCULATE, _VIEW)

    @property
    def actions(self) -> tuple[str, ...]:
        """All actions that the model may take, in the order in which they are explained."""
        return tuple(dict.fromkeys(name for stage in self.stages for name in stage))

    def stage(self, history: Iterable[Step]) -> tuple[str, ...]:
        """The actions that are allowed next."""
        done = sum(
            1
            for step in history
            if step.reply and step.observation and step.observation.kind in ("rows", "text", "image")
        )
        return self.stages[min(done, len(self.stages) - 1)]

    def first_call(self, question: Question, *, brief: bool = False) -> Call | None:
        """The look-up that opens the run, if there is one; a `brief` one shows two hits at most."""
        opening = OPENINGS[self.opening](question) if self.opening else None
        if opening and brief and "limit" in opening.arguments:
            return replace(opening, arguments={**opening.arguments, "limit": _BRIEF})
        return opening


def _turns(*actions: str) -> tuple[tuple[str, ...], ...]:
    return ((*actions, ANSWER),)


def _then_answer(*actions: str) -> tuple[tuple[str, ...], ...]:
    return (actions, (ANSWER,))


_ONLY_ANSWER = ((ANSWER,),)

_ROWS = (
    Method("question_only", "The question and nothing else: what the model knows.", _ONLY_ANSWER, "answer"),
    Method("title_abstract", "Title and abstract of the papers.", _ONLY_ANSWER, "answer", "abstracts"),
    Method("full_text", "The papers' text from the start, cut off.", _ONLY_ANSWER, "answer", "full_text"),
    Method("classic_rag", "The passages nearest to the question.", _ONLY_ANSWER, "answer", "passages"),
    Method("iterative_classic", "Passage search over several turns.", _turns(_CLASSIC)),
    Method("two_stage_neural", "One similarity search, then the answer.", _then_answer(_VECTORS), "stages"),
    Method("two_stage_symbolic", "One SQL query, then the answer.", _then_answer(_SQL), "stages"),
    Method(
        "two_stage_hybrid", "One search or query, then the answer.", _then_answer(_SQL, _VECTORS), "stages"
    ),
    Method("iterative_neural", "Similarity search over several turns.", _turns(_VECTORS, _CALCULATE, _VIEW)),
    Method("iterative_symbolic", "SQL over several turns.", _turns(_SQL, _CALCULATE, _VIEW)),
    Method("classic_sql", "SQL and passage search over several turns.", _turns(_SQL, _CLASSIC)),
    Method(
        "full_hybrid",
        "SQL, every vector collection, sums and sight.",
        _turns(_SQL, _VECTORS, _CALCULATE, _VIEW),
    ),
    Method(
        "evidence_first",
        "The best evidence of one search, then more searches, SQL, sums and sight.",
        _turns(_SEARCH, _SQL, _CALCULATE, _VIEW),
        "evidence",
        "evidence",
    ),
    Method("overview", "One paper as a whole.", _turns(_SEARCH, _SQL, _VIEW), "evidence", "outlines"),
    Method("comparison", "Several papers side by side.", _turns(_SEARCH, _SQL), "evidence", "outlines"),
    Method("summary", "What papers say of a topic.", _turns(_SEARCH, _SQL), "evidence", "each_paper"),
)

METHODS: Rows[Method] = Rows("method", {row.name: row for row in _ROWS}, "quire.methods")
