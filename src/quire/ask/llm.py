"""A language model in the loop: it reads the run so far and decides the next step.

    policy = llm_policy(gateway.model(), Environment(library), settings.agent, collections)
    run(policy, environment, question, settings.agent.max_turns)

One policy serves any number of questions, one after another or in parallel. What it is shown of a run are
the last turns in full, a line on each before, and less if need be:

    conversation(system, question, history, prompt_prompt_fits(5)[0], "markdown")

The first two messages never change but for the lines on earlier turns, which are added at the end of the
second. What a method looks up before its model is asked stands there too, behind the question. When a
prompt is too long for the model, the next fit shows fewer turns and shorter observations. The same step
always gives the same messages, in text or as native tool calls, byte by byte.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from quire.ask.environment import Environment
from quire.ask.evidence import cited
from quire.ask.formats import render_call
from quire.ask.methods import ANSWER, METHODS, Method
from quire.ask.prompt import (
    THINKING,
    LibrarySchema,
    PromptStyle,
    look,
    question_text,
    system_text,
    titles,
    tool_schemas,
)
from quire.ask.replies import read_step
from quire.ask.streaming import Listening
from quire.errors import BudgetExceeded, ContextOverflow, ModelDeclined
from quire.llm import Completion, Message, Model, Params, ToolCall, assistant, system, user
from quire.settings import Agent
from quire.types import Answer, Call, Question, Step


def text_turn(step: Step, action_format: str) -> list[Message]:
    """What the model said, and the observation as a message of the user."""
    said = step.reply
    if not said:
        thought = f"[Thought]: {step.thought}\n" if step.thought else ""
        said = f"{thought}[Action]: {render_call(step.call, action_format) if step.call else ''}"
    return [assistant(said), user(observed(step), *_pictures(step))]


def tool_turn(step: Step, number: int) -> list[Message]:
    """The call as a native one, and the observation as its result; a picture needs a message of its own."""
    if step.call is None or not step.reply:  # not the model's own call
        return text_turn(step, "tools")
    call = ToolCall(
        step.call.name, json.dumps(dict(step.call.arguments), ensure_ascii=False), f"call_{number}"
    )
    text = step.observation.text if step.observation else ""
    messages = [assistant(step.thought, call), Message("tool", text, tool_call_id=call.id)]
    if pictures := _pictures(step):
        messages.append(user("The picture:", *pictures))
    return messages


def observed(step: Step) -> str:
    """The observation with its tag; on a line of its own when it has several."""
    text = step.observation.text if step.observation else ""
    return f"[Observation]:\n{text}" if "\n" in text else f"[Observation]: {text}"


def _pictures(step: Step) -> tuple[bytes, ...]:
    image = step.observation.image if step.observation else None
    return () if image is None else (image,)


def told_in_a_line(step: Step, number: int, action_format: str = "markdown") -> str:
    """One line on a step that is no longer shown in full: what was thought, done and found."""
    call = _cut(render_call(step.call, action_format), 240) if step.call else "(no action)"
    text = step.observation.text if step.observation else ""
    kind = step.observation.kind if step.observation else "error"
    found = text.rstrip().rsplit("\n", 1)[-1] if kind == "rows" else text
    thought = f"{_cut(step.thought, 200)} " if step.thought else ""
    return f"{number}. {thought}{call} -> {_cut(found, 160)}"


def _cut(text: str, length: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= length else f"{flat[: length - 3]}..."


_CHARACTERS = 4  # of a token, about


@dataclass(frozen=True, slots=True)
class PromptFit:
    """How much is shown: turns in full, earlier turns in a line each, tokens of each observation."""

    window: int
    briefs: int = 50
    tokens: int | None = None
    pictures: int = 3


def prompt_fits(window: int) -> tuple[PromptFit, ...]:
    """From everything to the least that makes sense."""
    return (
        PromptFit(window),
        PromptFit(min(window, 3), 20, 2000, 1),
        PromptFit(min(window, 2), 10, 700, 1),
        PromptFit(1, 5, 250, 0),
    )


def conversation(
    system_text: str,
    question: str,
    history: Sequence[Step],
    fit: PromptFit,
    action_format: str,
    ending: str = "",
) -> list[Message]:
    """The messages of the next request; `ending` is added to the last one."""
    opened = [step for step in history if step.opening]
    history = [step for step in history if not step.opening]
    start = max(len(history) - fit.window, 0)
    lines = [told_in_a_line(step, number, action_format) for number, step in enumerate(history[:start], 1)]
    pictures: tuple[bytes, ...] = ()
    if lines:
        question = "\n".join([question, "", "Your earlier turns, shortened:", *lines[-fit.briefs :]])
    for step in opened:
        look = _shortened(step, fit.tokens, keep_picture=fit.pictures > 0).observation
        pictures = (look.image,) if look and look.image else ()
        question = f"{question}\n\nA first look:\n{look.text if look else ''}"
    messages, native = [system(system_text), user(question, *pictures)], action_format == "tools"
    for number, step in enumerate(history[start:], start + 1):
        shown = _shortened(step, fit.tokens, keep_picture=len(history) - number < fit.pictures)
        messages += tool_turn(shown, number) if native else text_turn(shown, action_format)
    if ending and messages[-1].role == "user":
        messages[-1] = replace(messages[-1], text=f"{messages[-1].text}\n\n{ending}")
    elif ending:
        messages.append(user(ending))
    return messages


def _shortened(step: Step, tokens: int | None, *, keep_picture: bool) -> Step:
    observation = step.observation
    if observation is None:
        return step
    text, image = observation.text, observation.image
    if image is not None and not keep_picture:
        text, image = f"{text}\n(The picture is not shown again.)", None
    if tokens is not None and len(text) > tokens * _CHARACTERS:
        text = f"{text[: tokens * _CHARACTERS]}\n... (shortened: the rest is not shown again)"
    return replace(step, observation=replace(observation, text=text, image=image))


_LAST = (
    "No more look-ups are possible. Give your best answer now with GenerateAnswer, from what you have seen; "
    "answer None if that does not give it. An observation is not an answer: say what was asked for."
)


@dataclass(frozen=True)
class LLMPolicy:
    """Asks `model` what to do next, by `method`. `system` is the unchanging first message.

    `shots` are earlier cases that are shown with every question; `brief` says that one of them may answer it,
    so that less is looked up before the model is asked. `listening` hears each reply as it is written; with
    it, a policy serves one question.
    """

    model: Model
    method: Method
    environment: Environment
    system: str
    window: int = 5
    action_format: str = "markdown"
    shots: tuple[str, ...] = ()
    listening: Listening | None = None
    brief: bool = False
    _shrunk: dict[str, int] = field(default_factory=dict)  # question -> the first fit that could be read

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions of its method."""
        return self.method.actions

    def decide(self, question: Question, history: Sequence[Step]) -> Step:
        """The next step.

        Raises:
            BudgetExceeded: after this step there would be no money left for a last answer.
            ContextOverflow: even the shortest prompt is too long for the model.
            ModelError: the model gave no usable reply, or was stopped.
        """
        opening = self.method.first_call(question, brief=self.brief)
        if opening and not history:
            return Step("", opening, opening=True)
        now = self.method.stage(history)
        ending = f"You can use now: {', '.join(now)}." if len(self.method.stages) > 1 else ""
        return self._ask(question, history, now, ending, saving=True)

    def conclude(self, question: Question, history: Sequence[Step]) -> Step:
        """The model's best answer now; of a shorter prompt if there is too little money for the whole one."""
        return self._ask(question, history, (ANSWER,), _LAST, saving=False)

    def _ask(
        self, question: Question, history: Sequence[Step], names: Sequence[str], ending: str, *, saving: bool
    ) -> Step:
        allowed = {name: self.environment.actions[name] for name in names}
        try:
            completion = self._complete(question, history, ending, saving)
        except ModelDeclined as error:
            answer = Answer("abstained", note=error.message)
            return Step("", Call(ANSWER, {"answer": None}), reply=error.message, answer=answer)
        step = read_step(completion, allowed, self.action_format)
        if step.call is None or step.call.name != ANSWER or step.call.arguments.get("answer") is None:
            return step
        evidence = cited(step.reply, question, self.environment.library, history)
        return replace(step, answer=Answer("answered", evidence=evidence)) if evidence else step

    def _complete(self, question: Question, history: Sequence[Step], ending: str, saving: bool) -> Completion:
        asked = question_text(question, titles(self.environment.library, question), self.shots)
        every = prompt_fits(self.window)
        prompts = [
            conversation(self.system, asked, history, fit, self.action_format, ending) for fit in every
        ]
        if saving:
            self._save(prompts[0], prompts[-1])
        start = self._shrunk.get(question.id + question.text, 0) if history else 0
        for number, prompt in enumerate(prompts[start:-1], start):
            try:
                completion = self.model.complete(prompt, **self._params())
            except (ContextOverflow, BudgetExceeded) as error:
                if isinstance(error, BudgetExceeded) and saving:
                    raise
                continue
            if number:
                self._shrunk[question.id + question.text] = number
            return completion
        return self.model.complete(prompts[-1], **self._params())

    def _save(self, prompt: list[Message], shortest: list[Message]) -> None:
        """Stop while a last answer can still be paid for."""
        next_one, last_one = self.model.estimate(prompt), self.model.estimate(shortest)
        if next_one is not None and last_one is not None and next_one + last_one > self.model.meter.left:
            raise BudgetExceeded(f"${self.model.meter.left:.4f} are left, enough for one last answer.")

    def _params(self) -> Params:
        params: Params = {}
        if self.action_format == "tools":
            # The same tools on every turn: they are part of the prompt that endpoints cache.
            used = {name: self.environment.actions[name] for name in self.method.actions}
            params["tools"] = tool_schemas(used)
        if self.listening is not None:
            params["on_text"] = self.listening.begin()
        return params


def llm_policy(
    model: Model,
    environment: Environment,
    settings: Agent,
    collections: Sequence[str],
    *,
    shots: Sequence[str] = (),
    brief: bool = False,
    library_schema: LibrarySchema | None = None,
    prompt_style: PromptStyle = THINKING,
    listening: Listening | None = None,
) -> LLMPolicy:
    """The policy that the settings describe, over what the library holds now.

    `collections` are those that have entries; `library_schema` saves looking when it is known already;
    `prompt_style` says whether the model thinks aloud before it acts.

    Raises:
        UnknownNameError: there is no such method.
        QueryError: the library cannot be read.
    """
    chosen = METHODS[settings.method]
    held = library_schema or look(environment.library, collections)
    system = system_text(
        chosen,
        environment.actions,
        held,
        settings.action_format,
        max_turns=settings.max_turns,
        prompt_style=prompt_style,
        vision=environment.vision,
    )
    return LLMPolicy(
        model,
        chosen,
        environment,
        system,
        settings.window,
        settings.action_format,
        tuple(shots),
        listening,
        brief,
    )
