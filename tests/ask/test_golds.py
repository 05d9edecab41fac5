"""Right answers in the forms that question sets ask for go through the loop as they are."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quire.ask.environment import Environment
from quire.ask.formats import FORMATS, render_call
from quire.ask.llm import llm_policy
from quire.ask.loop import run
from quire.ask.prompt import LibrarySchema
from quire.llm import Completion, Model, Scripted, ToolCall
from quire.settings import Agent
from quire.types import Call, Question
from tests.ask.stored import stored

MADE: list[tuple[str, Any]] = [
    ("Your answer should be a Python list of a string and a float.", ["Sorting+Net(v2)", 96.9]),
    (
        "Your answer should be a python list of two elements, the first is the model's name, the second is "
        "the number of hours it takes.",
        ["HYDRA", 96],
    ),
    ("Your answer should be a python list of two strings, the first element is a name, the second element "
     "is an integer number.", ["SimMap", 7]),
    ("Your answer should be a list of percentages, e.g. ['1.5%', '2.5%'].", ["58.06%", "1,5", 3]),
    ("Your answer should be a Python list of 2 elements. The first is a string list, the second a string.",
     [["a", "b"], "a"]),
    ("Your answer should be a list with two items, e.g. [[x 1, x 2, ...], x 1].", [["T5", "3"], "T5"]),
    ("A list like [integer, string1, string2, ...]. The first element should be an integer.", [4, "a", "4"]),
    ("Your answer should be a Python list of lists of strings.", [["1", "2"], ["x"]]),
    ("Your answer should be a Python dictionary, e.g. {\"a\": [-1, 1]}.", {"A-Q": [0, 1], "B": [0.75, 2.5]}),
    ("A Python dictionary whose values are integers, e.g. {\"x\": 10}.", {"MB-X": "974", "MB": 164}),
    ("Your answer should be a single integer.", 4808),
    ("Your answer should be a python float with one decimal place.", 17.55),
    ("Your answer should be a float rounded to 2 decimals.", 3),
    ("Your answer should be a percentage.", "58.06%"),
    ("Your answer should be a Python bool.", False),
    ("Your answer should be a string of 'name: value'.", "Rob: 1500"),
    ("Your answer should be a single string of an id.", ["ca116924-bf11-5529-a43f-bf68e9745c5c"]),
    ("Your answer should be a text if there is only one author. Otherwise a list of texts.", ["x@y.z"]),
    ("Your answer should be a formula in LaTeX format.", r"\frac{\nabla f}{\theta} \times \beta"),
    ("Your answer should be a python list of formulas in LaTeX.", [r"\begin{x}\rho\n\end{x}", "a\nb"]),
    ("The metric, e.g.: 'accuracy' or 'recall'.", "F1"),
    ("Either the number of layers or the model.", "HYDRA"),
    ("Answer the question shortly.", "It's \"so\": [1, 2]"),
    ("", {"nested": [None, True, 1.5, "x"]}),
]  # fmt: skip


@pytest.mark.parametrize("action_format", list(FORMATS))
@pytest.mark.parametrize(("words", "gold"), MADE)
def test_a_right_answer_is_neither_changed_nor_sent_back(words: str, gold: Any, action_format: str) -> None:
    call = Call("GenerateAnswer", {"answer": gold})
    reply: str | Completion = f"[Thought]: I know it.\n[Action]: {render_call(call, action_format)}"
    if action_format == "tools":
        reply = Completion("", (ToolCall(call.name, json.dumps(dict(call.arguments)), "c1"),))
    environment = Environment(stored({}))
    settings = Agent(method="question_only", action_format=action_format)
    model = Model("scripted", Scripted([reply]))
    policy = llm_policy(model, environment, settings, (), library_schema=LibrarySchema(0, {}, ()))
    done = run(policy, environment, Question("q", "?", words), max_turns=1)
    assert len(done.steps) == 1
    assert (done.answer.status, repr(done.answer.value)) == ("answered", repr(gold))
