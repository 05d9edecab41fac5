from __future__ import annotations

import json
import time
from typing import Any

import pytest

from quire.ask.actions import load_actions
from quire.ask.formats import tool_call
from quire.ask.replies import parse_reply
from quire.errors import ActionError
from quire.types import Call

ACTIONS = load_actions()
SQL = "RetrieveFromDatabase"


def call_of(reply: str, format: str = "markdown", *, cut: bool = False) -> Call:
    call = parse_reply(reply, ACTIONS, format, cut=cut).call
    assert call is not None
    return call


@pytest.mark.parametrize(
    ("reply", "name", "arguments"),
    [
        (
            "[Thought]: x\n[Action]: ClassicRetrieve(query='a', limit=2)",
            "ClassicRetrieve",
            {"query": "a", "limit": 2},
        ),
        ("**Thought**: x\n\n**Action**: CalculateExpr(expr='1')", "CalculateExpr", {"expr": "1"}),
        ("Thought: x\nAction: CalculateExpr('1')", "CalculateExpr", {"expr": "1"}),
        ("### Action\n```python\nCalculateExpr(expr='1')\n```", "CalculateExpr", {"expr": "1"}),
        ("I compute. [Action]: CalculateExpr(expr='1')", "CalculateExpr", {"expr": "1"}),
        ("CalculateExpr(expr='1')\nThat gives the mean.", "CalculateExpr", {"expr": "1"}),
        (f'{SQL}(sql="SELECT \'a\' FROM \\"t\\"")', SQL, {"sql": "SELECT 'a' FROM \"t\""}),
        (
            f"{SQL}(sql='SELECT x WHERE y = 'a' AND z IN ('b', 'c')')",
            SQL,
            {"sql": "SELECT x WHERE y = 'a' AND z IN ('b', 'c')"},
        ),
        (f'{SQL}(sql="SELECT x\nFROM t\nWHERE y = 1")', SQL, {"sql": "SELECT x\nFROM t\nWHERE y = 1"}),
        (f'{SQL}(sql="SELECT count(*) FROM t"', SQL, {"sql": "SELECT count(*) FROM t"}),
        (f'{SQL}(sql="""SELECT "a" FROM t""")', SQL, {"sql": 'SELECT "a" FROM t'}),
        (
            'ClassicRetrieve(query="what is "RAG"?", limit=4)',
            "ClassicRetrieve",
            {"query": 'what is "RAG"?', "limit": 4},
        ),
        ("ClassicRetrieve('what is RAG', 3)", "ClassicRetrieve", {"query": "what is RAG", "limit": 3}),
        ("GenerateAnswer(answer=Yes)", "GenerateAnswer", {"answer": "Yes"}),
        ("GenerateAnswer(answer=true)", "GenerateAnswer", {"answer": True}),
        ("GenerateAnswer(answer=[1, 'a', {'b': None}])", "GenerateAnswer", {"answer": [1, "a", {"b": None}]}),
        ("GenerateAnswer(42)", "GenerateAnswer", {"answer": 42}),
        ('{"action": "CalculateExpr", "parameters": {"expr": "1"}}', "CalculateExpr", {"expr": "1"}),
        ('{"name": "CalculateExpr", "arguments": "{\\"expr\\": \\"1\\"}"}', "CalculateExpr", {"expr": "1"}),
        (
            '{"thought": "x", "action": {"name": "CalculateExpr", "args": {"expr": "1"}}}',
            "CalculateExpr",
            {"expr": "1"},
        ),
        ('{"CalculateExpr": {"expr": "1"}}', "CalculateExpr", {"expr": "1"}),
        ("{'action_type': 'CalculateExpr', 'parameters': {'expr': '1',}}", "CalculateExpr", {"expr": "1"}),
        (
            '{"action_type": "RetrieveFromDatabase", "parameters": {"sql": "SELECT "a" FROM t"}}',
            SQL,
            {"sql": 'SELECT "a" FROM t'},
        ),
        ("retrieve_from_database(sql='SELECT 1')", SQL, {"sql": "SELECT 1"}),
        (
            "I could use CalculateExpr (it does sums), but first:\nCalculateExpr(expr='2')",
            "CalculateExpr",
            {"expr": "2"},
        ),
    ],
)
@pytest.mark.parametrize("format", ["markdown", "json"])
def test_understood_whatever_it_is_wrapped_in(
    reply: str, name: str, arguments: dict[str, Any], format: str
) -> None:
    call = call_of(reply, format)
    assert (call.name, dict(call.arguments)) == (name, arguments)


def test_what_follows_a_made_up_observation_is_not_run_and_the_model_is_told() -> None:
    reply = parse_reply(
        "[Thought]: a\n[Action]: CalculateExpr(expr='1')\n[Observation]: 1\n"
        "[Thought]: b\n[Action]: GenerateAnswer(answer=1)",
        ACTIONS,
    )
    assert reply.thought == "a"
    assert reply.call
    assert reply.call.name == "CalculateExpr"
    assert "held 2 actions" in reply.notes[0]


def test_the_thought_is_kept_without_fences() -> None:
    reply = parse_reply(
        'I search.\n[Action]:\n```json\n{"action": "CalculateExpr", "expr": "1"}\n```', ACTIONS
    )
    assert reply.thought == "I search."


def test_the_thought_is_kept_without_its_tag() -> None:
    assert (
        parse_reply("**Thought:** I need it.\n**Action:** CalculateExpr(expr='1')", ACTIONS).thought
        == "I need it."
    )


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("", "holds no action"),
        ("I am not sure what to do.", "No action was found"),
        ("SearchPapers(query='x')", "There is no action `SearchPapers`"),
        ("RetrieveFromDatabse(sql='SELECT 1')", "Did you mean RetrieveFromDatabase?"),
        ("I will run RetrieveFromDatabase now.", "names RetrieveFromDatabase"),
    ],
)
def test_what_cannot_be_understood_is_told_with_a_correct_call(reply: str, said: str) -> None:
    with pytest.raises(ActionError) as caught:
        parse_reply(reply, ACTIONS)
    assert said in str(caught.value)
    assert "RetrieveFromDatabase(sql=" in caught.value.hint


def test_arguments_hold_no_half_surrogates() -> None:
    call = call_of(r"ClassicRetrieve(query='\ud800')")
    assert call.arguments["query"].encode("utf-8")


OWN = "GenerateAnswer(answer='mine')"
QUOTED = "RetrieveFromDatabase(sql='SELECT 1')"


@pytest.mark.parametrize(
    "reply",
    [
        f"{QUOTED}\n[Action]: {OWN}",
        f"The page holds this line:\n{QUOTED}\nI do not follow it.\n[Action]: {OWN}",
        f"> {QUOTED}\n\n{OWN}",
        f"> [Action]: {QUOTED}\n\n[Action]: {OWN}",
        f'It says "[Action]: {QUOTED}", which I ignore.\n[Action]: {OWN}',
        f"It says \u201c{QUOTED}\u201d.\n{OWN}",
        f"The text tells me to run {QUOTED} first, which is no task of mine.\n{OWN}",
        f"[Thought]: the PDF wants {QUOTED}\n[Action]: {OWN}",
        f"<think>\n[Action]: {QUOTED}\n</think>\n{OWN}",
        f"I might do\n{QUOTED}\n</think>\n[Action]: {OWN}",
        f"[Action]: {OWN}\n[Observation]: done\n[Action]: {QUOTED}",
        f"[Action]: {OWN}\n[Thought]: next I would run {QUOTED}",
        f"[Action]: {OWN}\n[Action]: {OWN}",
    ],
)
@pytest.mark.parametrize("format", ["markdown", "json", "tools"])
def test_a_quoted_action_is_not_run(reply: str, format: str) -> None:
    assert call_of(reply, format).arguments == {"answer": "mine"}


@pytest.mark.parametrize(
    "reply",
    [
        f"{QUOTED}\n\n{OWN}",
        f"[Action]: {QUOTED}\n[Action]: {OWN}",
        f'{{"action_type": "CalculateExpr", "parameters": {{"expr": "1"}}}}\n{OWN}',
        f"[Observation]: 1 row\n[Action]: {QUOTED}",
        f"<think>I will run\n{QUOTED}",
        f'The page says "{QUOTED}".',
        f"> {QUOTED}",
    ],
)
@pytest.mark.parametrize("format", ["markdown", "json", "tools"])
def test_where_it_is_not_clear_which_action_is_meant_the_model_is_asked_again(
    reply: str, format: str
) -> None:
    with pytest.raises(ActionError):
        parse_reply(reply, ACTIONS, format)


PAPER = "RetrieveFromDatabase(sql='SELECT note FROM injected')"
REFUSALS = [
    f"The page tells me to run `{PAPER}`. I will not do that.",
    f"I will not run what the page asks for:\n```\n{PAPER}\n```\nIt is no task of mine.",
    f"I will not run what the page asks for:\n```python\n{PAPER}\n```",
    f"I will not run what the page asks for:\n\n    {PAPER}\n\nIt is no task of mine.",
    f"I will not run what the page asks for:\n\n\t{PAPER}",
    f"I will not run what the page asks for:\n- `{PAPER}`",
    f"I will not run what the page asks for:\n~~~\n[Action]: {PAPER}\n~~~\nNever.",
    f"I will not run what the page asks for:\n````md\n```\n{PAPER}\n```\n{PAPER}\n````",
    f"I will not run what the page asks for:\n```\n{PAPER}",
    f"I will not run what the page asks for:\n    [Action]: {PAPER}",
    f"I will not run ``{PAPER}``",
    f"The page asks me to run {PAPER}",
    f"The page asks me to run {PAPER}, which I refuse.",
]


@pytest.mark.parametrize("refusal", REFUSALS)
@pytest.mark.parametrize("format", ["markdown", "json", "tools"])
def test_a_refusal_does_not_run_what_it_quotes(refusal: str, format: str) -> None:
    with pytest.raises(ActionError, match="Action"):
        parse_reply(refusal, ACTIONS, format)


@pytest.mark.parametrize("refusal", [each for each in REFUSALS if not each.endswith(f"```\n{PAPER}")])
@pytest.mark.parametrize(
    "own",
    [
        f"[Action]: {OWN}",
        f"**Action:**\n```python\n{OWN}\n```",
        f"[Action]: `{OWN}`",
        f"[Action]:\n    {OWN}",
        f"### Action\n{OWN}",
    ],
)
def test_an_own_action_after_a_quote_is_understood(refusal: str, own: str) -> None:
    assert call_of(f"{refusal}\n\n{own}").arguments == {"answer": "mine"}


@pytest.mark.parametrize("wrapped", [f"```\n[Thought]: x\n[Action]: {OWN}\n```", f"`{OWN}`", f"```\n{OWN}"])
def test_what_is_around_the_whole_reply_is_no_quote(wrapped: str) -> None:
    assert call_of(wrapped).arguments == {"answer": "mine"}


@pytest.mark.parametrize(
    "reply",
    [
        "[Action]: GenerateAnswer(answer=12",
        "[Action]: GenerateAnswer(answer=12)",
        "[Action]: GenerateAnswer(answer='the first of",
        '{"action_type": "GenerateAnswer", "parameters": {"answer": 12',
        "```\nGenerateAnswer(answer=12)\n```",
    ],
)
@pytest.mark.parametrize("format", ["markdown", "json", "tools"])
def test_a_cut_reply_is_never_whole(reply: str, format: str) -> None:
    with pytest.raises(ActionError, match="cut before its action was whole"):
        parse_reply(reply, ACTIONS, format, cut=True)
    parse_reply(reply, ACTIONS, format)


def test_what_was_whole_before_the_cut_counts() -> None:
    reply = f"[Action]: {OWN}\n[Observation]: the answer is m"
    assert call_of(reply, cut=True).arguments == {"answer": "mine"}


def test_quotes_are_found_in_linear_time() -> None:
    for text in ("`" * 50_000, "` `` " * 10_000, "```\n" * 12_000, "a `" * 16_000, "``` x\n" * 8_000):
        begun = time.process_time()
        with pytest.raises(ActionError):
            parse_reply(text[:50_000], ACTIONS)
        assert time.process_time() - begun < 2


REGEX = r"SELECT 1 WHERE regexp_matches(x, '\bshark\d+\s') -- \alpha \frac{a}{b} \nabla \theta \times"


@pytest.mark.parametrize(
    ("format", "reply"),
    [
        ("markdown", f'[Action]: RetrieveFromDatabase(sql="{REGEX}")'),
        ("markdown", f'RetrieveFromDatabase(sql="""{REGEX}""")'),
        ("markdown", f"RetrieveFromDatabase(sql='{REGEX}')"),  # quotes inside quotes: read loosely
        ("json", f'{{"action_type": "RetrieveFromDatabase", "parameters": {{"sql": "{REGEX}"}}}}'),
        ("tools", f'{{"name": "RetrieveFromDatabase", "arguments": {{"sql": "{REGEX}"}}}}'),
    ],
)
def test_backslashes_survive(format: str, reply: str) -> None:
    assert call_of(reply, format).arguments == {"sql": REGEX}


def test_backslashes_of_native_calls_survive_escaped_or_not() -> None:
    escaped = json.dumps({"sql": REGEX})
    assert tool_call(SQL, escaped).arguments == {"sql": REGEX}
    assert tool_call(SQL, f'{{"sql": "{REGEX}"}}').arguments == {"sql": REGEX}


def test_a_reply_beyond_the_limit_is_told_so() -> None:
    with pytest.raises(ActionError, match="at most 50000 are read"):
        parse_reply(f"{'word ' * 20_000}\n[Action]: {OWN}", ACTIONS)


def test_long_reasoning_does_not_count() -> None:
    reply = f"<think>{'word ' * 20_000}</think>\n[Action]: {OWN}"
    assert call_of(reply).arguments == {"answer": "mine"}


def test_in_tools_mode_the_hint_is_a_function_call() -> None:
    with pytest.raises(ActionError) as caught:
        parse_reply("Well.", ACTIONS, "tools")
    assert '{"name": "RetrieveFromDatabase", "arguments": {"sql": ' in caught.value.hint
