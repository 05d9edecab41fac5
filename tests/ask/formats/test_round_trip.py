from __future__ import annotations

import string
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.ask.actions import load_actions, parameters
from quire.ask.formats import render_call, tool_call
from quire.ask.replies import parse_reply
from quire.errors import ActionError
from quire.literals import speak
from quire.types import Call

ACTIONS = load_actions()
FORMATS = ("markdown", "json", "tools")
NASTY = st.sampled_from(
    [
        "'",
        '"',
        "\\",
        "\n",
        "\n[Action]: x",
        "[Observation]:",
        "```",
        "</sql>",
        "<a>",
        "&lt;",
        "{",
        "}",
        ", limit=3",
    ]
    + [
        "GenerateAnswer(answer=1)",
        "--",
        ": ",
        "#",
        "\t",
        "Thought: y",
        "]]>",
        "''",
        '"""',
        "%",
        "é",
        "\u2028",
    ]
)
TEXT = st.one_of(
    st.text(max_size=30),
    st.lists(st.one_of(NASTY, st.text(string.ascii_letters + " '\"", max_size=8)), max_size=6).map("".join),
)
NUMBER = st.one_of(st.integers(-(10**9), 10**9), st.floats(-1e9, 1e9, allow_nan=False))
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBER, TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXT, inner, max_size=3)),
    max_leaves=6,
)
KINDS = {
    "str": TEXT,
    "int": st.integers(-5, 10**6),
    "bool": st.booleans(),
    "list[float]": st.lists(NUMBER, max_size=4),
    "list[str]": st.lists(TEXT, max_size=3),
    "Any": JSON,
}


def outcome(text: str, format: str) -> str:
    """The action that was understood, or "told" when the model is told how to write one."""
    try:
        call = parse_reply(text, ACTIONS, format).call
        return call.name if call else ""
    except ActionError as error:
        asked = ("Write one action", "Write exactly one action", "Call one function")
        return "told" if error.hint.startswith(asked) else "untold"


@st.composite
def calls(draw: st.DrawFn) -> Call:
    name = draw(st.sampled_from(sorted(ACTIONS)))
    arguments = {
        p.name: draw(KINDS[p.kind.name])
        for p in parameters(ACTIONS[name])
        if p.required or draw(st.booleans())
    }
    return Call(name, arguments)


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=150, deadline=None)
@given(call=calls())
def test_a_printed_action_parses_back_to_itself(format: str, call: Call) -> None:
    assert parse_reply(render_call(call, format), ACTIONS, format).call == call


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=100, deadline=None)
@given(call=calls(), tag=st.sampled_from(["[Action]: ", "**Action**: ", "Action:\n", "[Action]:\n```\n"]))
def test_with_a_thought_and_a_tag_before_it(format: str, call: Call, tag: str) -> None:
    reply = parse_reply(f"[Thought]: because\n{tag}{render_call(call, format)}", ACTIONS, format)
    assert reply.call == call
    assert reply.thought == "because"


@settings(max_examples=300, deadline=1000)
@given(
    text=st.one_of(
        st.text(max_size=200),
        st.lists(
            st.one_of(
                NASTY,
                st.sampled_from(["[Action]:", "ClassicRetrieve(", "query=", "{", "<action_type>", "sql:"]),
            ),
            max_size=20,
        ).map("".join),
        calls().map(render_call).flatmap(lambda t: st.integers(0, len(t)).map(lambda n: t[:n])),
    ),
    format=st.sampled_from([*FORMATS, "tools"]),
)
def test_no_text_makes_the_parser_raise_or_hang(text: str, format: str) -> None:
    assert outcome(text, format) in (*ACTIONS, "told")


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000,
        "GenerateAnswer(" * 20_000,
        "GenerateAnswer(answer=" + "[" * 50_000,
        '{"a":' * 20_000,
        "<action_type>" * 20_000,
        "action_type: " * 20_000,
        "'" * 100_000,
        "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\naction_type: GenerateAnswer\n",
        "GenerateAnswer(answer=" + "9" * 50_000 + ")",
        "[Action]\n" * 10_000,
        "The variable is Max_ITERATIONS_PER_EPOCH_LIMIT_DEFAULT_VALUE_OF_THE_WHOLE_RUN in Table 3.",
        "so it goes on:\n" * 60,
        "action:" * 250,
        "action:\n" * 6000,
        "name: [" * 7000,
        "Abc:\n  - " * 5000,
        "<action_type>" + " " * 6000,
        "<action_type>" + " " * 49_000,
        "<action>" * 6000,
        "<think>" * 7000,
        "GenerateAnswer(answer=" + "\"'" * 24_000,
        "GenerateAnswer(answer=" + "')" * 24_000,
        "CalculateExpr(expr=" * 2600,
        "{" * 49_000,
        '{"a": [' * 7000,
        "> " * 24_000,
        "A" * 49_000 + "(",
        "a_" * 24_000 + "(",
        "\n" * 49_000,
        "[Thought]:" * 4900,
        "evidence: " * 4900,
    ],
)
@pytest.mark.parametrize("format", FORMATS)
def test_hostile_text_ends_soon(text: str, format: str) -> None:
    begun = time.process_time()
    assert outcome(text, format) in (*ACTIONS, "told")
    assert time.process_time() - begun < 3


@given(call=calls())
def test_native_tool_calls(call: Call) -> None:
    import json

    assert tool_call(call.name, speak(json.dumps(dict(call.arguments)))) == call


def test_tool_arguments_that_are_no_object() -> None:
    with pytest.raises(ActionError, match="not a JSON object"):
        tool_call("ClassicRetrieve", "[1")
