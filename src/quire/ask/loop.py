"""The one loop of all methods: thought, action, observation, until an answer or a limit.

    trajectory = run(policy, Environment(library), question, max_turns=20)
    trajectory.answer.value

A policy decides what comes next: a language model, or rules in its place. At a limit, or when its last
turns were all the same or no action at all, it is asked once more for its best answer; it may abstain, and
an observation is never passed off as an answer. An answer of the wrong form is sent back once. A run that
ends without an answer shows what its last search found; one that is stopped while its model writes an
answer keeps what was written.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Protocol

from quire.ask.answer_format import read_format, unsound
from quire.ask.environment import Environment, failed
from quire.ask.evidence import check, cited, gather, shown_evidence
from quire.ask.runs import new_id
from quire.ask.streaming import Listening, written_answer
from quire.errors import (
    ActionError,
    AnswerFormatError,
    BudgetExceeded,
    ContextOverflow,
    ModelError,
    ModelStopped,
    QuireError,
)
from quire.llm import spending
from quire.types import Answer, Final, Observation, Question, Step, Trajectory, Usage


class Policy(Protocol):
    """Decides one step at a time; it never touches the library itself.

    A step comes back without observation: the loop fills it in, and what it took of models.
    A reply that could not be understood comes back with `call=None` and an error observation.
    """

    @property
    def name(self) -> str:
        """The model's name, or "offline"."""
        ...

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions that it may take; what the environment tells it names no other."""
        ...

    def decide(self, question: Question, history: Sequence[Step]) -> Step:
        """The next step, given all steps so far with their observations.

        Raises:
            ModelError: the model could not be asked; the run ends as failed or with its best answer.
        """
        ...

    def conclude(self, question: Question, history: Sequence[Step]) -> Step:
        """The last step, when a limit is reached: its call is `GenerateAnswer`, None to abstain."""
        ...


_LOOK = "ViewImage"
_SHOWN = 3  # pieces of evidence in place of an answer
_STUCK = 4  # turns in a row that are all the same


def run(
    policy: Policy,
    environment: Environment,
    question: Question,
    max_turns: int = 20,
    *,
    method: str = "",
    settings: Mapping[str, Any] | None = None,
    versions: Mapping[str, str] | None = None,
    on_step: Callable[[Step], None] | None = None,
    stops: tuple[type[ModelError], ...] = (),
    listening: Listening | None = None,
) -> Trajectory:
    """Ask the policy until it answers; the whole run as a trajectory.

    After `max_turns` (0: without limit) the policy is asked for its answer; money has its own meter. An error
    of the model ends the run with status "failed"; errors of actions are told to the policy.
    `listening` is who hears the model, and may stop the run.

    Raises:
        ModelError: one of `stops`: who asks many questions wants to end at the first that cannot be paid.
    """
    started, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.perf_counter()
    turns = _Turns(policy, environment.asked(question), question, max_turns, on_step or (lambda step: None))
    answer = turns.run(stops, listening or Listening())
    steps = tuple(turns.history)
    return Trajectory(
        run_id=new_id(),
        question=question,
        steps=steps,
        answer=answer,
        usage=turns.usage,
        seconds=time.perf_counter() - clock,
        method=method,
        model=policy.name,
        started=started,
        settings=settings or {},
        versions=versions or {},
    )


class _Turns:
    """The turns of one run."""

    def __init__(
        self,
        policy: Policy,
        environment: Environment,
        question: Question,
        max_turns: int,
        on_step: Callable[[Step], None],
    ) -> None:
        self.policy, self.environment, self.question = policy, environment, question
        self.offered = environment.limited_to(policy.actions)
        self.max_turns, self.on_step = max_turns, on_step
        self.wanted = read_format(question.answer_format, question.schema)
        self.history: list[Step] = []
        self.usage = Usage()  # what failed was billed too
        self.sent_back = self.sent_to_look = False

    def run(self, stops: tuple[type[ModelError], ...], listening: Listening) -> Answer:
        try:
            while not (limit := self._limit()):
                listening.check()
                try:
                    answer = self._turn(self.policy.decide)
                except BudgetExceeded as error:
                    if isinstance(error, stops):
                        raise
                    limit = f"a limit: {error.message.rstrip('.')}"
                    break
                if answer is not None:
                    return answer
            answer = self._turn(self.policy.conclude)
        except stops:
            raise
        except ModelStopped as error:
            return self._stopped(error)
        except ContextOverflow as error:  # however short it was made: a small model's window is full
            found = self._found(Answer("abstained", note=str(error)))
            return found if found.evidence else replace(found, status="failed")
        except (ModelError, ActionError) as error:
            return Answer("failed", note=str(error))
        answer = answer or Answer("abstained")
        return self._found(replace(answer, note=f"Ended by {limit}. {answer.note}".strip()))

    def _found(self, answer: Answer) -> Answer:
        """The answer; without one, or evidence for it, with what is found without the model, or was last."""
        from quire.ask.offline import OfflinePolicy
        from quire.ask.offline.searched import seen_last

        if answer.status != "abstained" or answer.evidence or self.policy.name == OfflinePolicy.name:
            return answer
        # Who stopped it waits for no other search.
        alone = Answer("abstained") if answer.stopped else self._without_model()
        evidence = tuple(each for each in alone.evidence if each.verified)[:_SHOWN]
        told = f"Without a model: {alone.headline}." if alone.status == "answered" else ""
        note = " ".join(filter(None, (answer.note, told or (alone.note if alone.status == "failed" else ""))))
        if not evidence and not told:
            return self._checked(replace(answer, evidence=seen_last(self.history), note=note))
        return replace(answer, evidence=evidence, note=note, spoken=alone.spoken)

    def _without_model(self) -> Answer:
        """What the rules answer, of the papers that the conversation is about; failed if they do."""
        from quire.ask.conversation import standing_alone
        from quire.ask.offline import OfflinePolicy

        whole, library = self.question, self.environment.library
        try:
            text, papers = standing_alone(whole.text, whole.conversation, whole.anchor_papers, library)
            of = tuple(papers)
            asked = replace(whole, text=text, conversation=(), anchor_papers=of, only=whole.only or of)
            return run(OfflinePolicy(), self.environment, asked).answer
        except QuireError as error:
            why = error.message
        except Exception as error:  # the border of the rules: what a model did is kept, whatever goes wrong
            why = f"{type(error).__name__}: {error}"
        return Answer("failed", note=f"Nothing was found without a model: {why}")

    def _stopped(self, error: ModelStopped) -> Answer:
        """What was written of an answer by then, else what was found."""
        if error.text:
            step = Step("", None, Observation("text", "Stopped."), error.text, error.usage or Usage())
            self.history.append(step)
            self.on_step(step)
        library = self.environment.library
        if not (written := written_answer(error.text)):
            return self._found(Answer("abstained", note="Stopped.", stopped=True))
        evidence = cited(error.text, self.question, library, self.history) or gather(written, self.history)
        note = "Stopped; this is what was written by then."
        return self._checked(Answer("answered", written, evidence, note=note, stopped=True))

    def _limit(self) -> str:
        """In words, that there were turns enough, or that the last ones led nowhere; "" of any others."""
        calls = [step.call for step in self.history if not step.opening]
        if self.max_turns and len(calls) >= self.max_turns:
            return f"the limit of {self.max_turns} turns"
        last = calls[-_STUCK:]
        if len(last) < _STUCK or any(call != last[0] for call in last):
            return ""
        return f"{_STUCK} turns " + ("that did the same" if last[0] else "without an action")

    def _turn(self, ask: Callable[..., Step]) -> Answer | None:
        begun = time.perf_counter()
        with spending() as spent:
            try:
                step = ask(self.question, self.history)
            finally:
                self.usage += spent.usage
        self.usage += step.usage
        observation = step.observation
        if observation is None:
            # A look-up that the method itself opens with may be more than its model is offered.
            where = self.environment if step.opening else self.offered
            observation = where.run(step.call) if step.call else failed(ActionError("There was no action."))
        answer: Answer | None = None
        if isinstance(observation, Final):
            answer, observation = self._answered(step, observation)
        if step.notes:
            observation = replace(observation, text="\n".join((observation.text, *step.notes)))
        usage, seconds = step.usage + spent.usage, time.perf_counter() - begun
        done = replace(step, observation=observation, usage=usage, seconds=seconds)
        self.history.append(done)
        self.on_step(done)
        return answer

    def _answered(self, step: Step, observation: Final) -> tuple[Answer | None, Observation]:
        value = None if self.wanted.is_none(observation.answer) else observation.answer
        said = step.answer
        if value is None and (unseen := self._unseen()):
            return None, failed(ActionError(unseen))
        if value is None or (said is not None and said.status == "abstained"):
            said = said or Answer("abstained", note="The model found no answer.")
            return self._found(self._checked(replace(said, status="abstained", value=None))), observation
        try:
            value, problem = self.wanted.coerce(value), ""
        except AnswerFormatError as error:
            problem = str(error).rstrip(".") + "."
        if problem and not self.sent_back:
            self.sent_back = True
            hint = f"Answer again in the asked form: {self.wanted.words or self.wanted.kind}"
            return None, failed(AnswerFormatError(problem, hint=hint))
        if problem and unsound(value):
            return Answer("failed", note=f"The answer cannot be kept: {problem}"), observation
        said = said or Answer(
            "answered", evidence=gather(value, self.history) or shown_evidence(value, self.history)
        )
        note = f"{said.note} The answer is not in the asked form: {problem}".strip() if problem else said.note
        return self._checked(replace(said, status="answered", value=value, note=note)), observation

    def _unseen(self) -> str:
        """Once, before a model that sees gives up: the figure that was found and not looked at."""
        if not self.environment.vision or _LOOK not in self.policy.actions or self.sent_to_look:
            return ""
        self.sent_to_look = True
        seen = [step.observation for step in self.history if step.observation]
        figures = [row for each in seen for row in each.rows if row.get("table_name") == "images"]
        if any(each.image for each in seen) or not figures:
            return ""
        first = figures[0]
        call = f"{_LOOK}({first['pdf_id']!r}, {first['page_number']}, {first.get('bbox') or []})"
        return f"No figure was looked at; if one may tell it, look first: {call}. If not, answer None again."

    def _checked(self, answer: Answer) -> Answer:
        from quire.ask.offline.policy import EVIDENCE

        sure = answer.status == "answered" and not answer.probability
        checked = check(answer.evidence, self.environment.library, 0 if sure else _SHOWN)
        if sure:
            return replace(answer, evidence=checked)
        if answer.probability and not any(each.verified for each in checked[:1]):  # it is not printed there
            answer = replace(answer, status="abstained", value=None, note=EVIDENCE, probability=0.0)
        # What is shown instead of an answer, or with one that is not sure, stands on its page.
        return replace(answer, evidence=tuple(each for each in checked if each.verified))
