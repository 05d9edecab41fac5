"""How one answer was judged, and the border around it: what fails in a sample counts as an error of it.

    made = attempted(lambda: solver.solve(instance, shots), solver.name)
    result = judged(made, lambda output: scored(lambda: task.score(sample, output)))

What ails the set-up, not the sample, is raised: the run stops and can be resumed, instead of recording wrong
answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from quire.errors import (
    ENDS_A_RUN,
    EncoderUnavailable,
    LibraryDamaged,
    MemoryStoreError,
    OfflineError,
    PaperNotFound,
    QuireError,
    ScoringError,
    SettingsError,
)
from quire.llm import spending
from quire.types import Attempt, Usage


@dataclass(frozen=True, slots=True)
class Result:
    """How an answer was judged.

    `value` is the task's main metric from 0 to 1, or None when it could not be judged. `parts` are
    further figures of the same answer (e.g. "strict", "f1"). `reason` is for people who read a report and
    never goes to a solver: it may tell the gold. `usage` is what a model that judged took.
    """

    value: float | None
    parts: Mapping[str, float | None] = field(default_factory=dict)
    reason: str = ""
    usage: Usage = Usage()


SETUP: tuple[type[QuireError], ...] = (
    *ENDS_A_RUN,
    EncoderUnavailable,
    LibraryDamaged,
    MemoryStoreError,
    OfflineError,
    SettingsError,
)
# What a solver is not to blame for: the set-up, and a paper that is not in the library.
_NOT_ITS_OWN: tuple[type[QuireError], ...] = (*SETUP, PaperNotFound)


def attempted(solve: Callable[[], Attempt], name: str) -> Attempt:
    """An attempt of the solver of that name, a failed one where it fails, with all that it took of models.

    Raises:
        PaperNotFound, QuireError of `SETUP`: what the solver is not to blame for.
    """
    with spending() as spent:
        try:
            attempt = solve()
        except _NOT_ITS_OWN:
            raise
        except QuireError as error:
            attempt = Attempt("", model=name, error=str(error))
        except Exception as error:
            attempt = Attempt("", model=name, error=f"{type(error).__name__}: {error}")
    usage = attempt.usage if spent.usage == Usage() else spent.usage  # what failed was billed too
    return replace(attempt, usage=usage)


def judged(attempt: Attempt, submit: Callable[[str], Result]) -> Result:
    """What a judge says of an attempt. A failure is no answer: not even where nothing is to be said."""
    if attempt.error:
        return Result(0.0, reason=attempt.error)
    with spending() as spent:  # a judge in this process; one of its own tells in the result
        result = submit(attempt.output)
    return replace(result, usage=result.usage + spent.usage)


def scored(score: Callable[[], Result]) -> Result:
    """The judge's half of the border: what cannot be scored is unknown, never wrong."""
    try:
        return score()
    except ScoringError as error:
        return Result(None, reason=str(error))
    except QuireError:
        raise
    except Exception as error:
        return Result(None, reason=f"It could not be scored: {type(error).__name__}: {error}")
