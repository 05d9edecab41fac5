from __future__ import annotations

import json
from typing import Any

import pytest

from quire.environment import load_actions, parse_reply, tool_call
from quire.errors import ActionError

ACTIONS = load_actions()
SQL = "RetrieveFromDatabase"


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
        (
            "<action><action_type>CalculateExpr</action_type><expr>1 < 2</expr></action>",
            "CalculateExpr",
            {"expr": "1 < 2"},
        ),
        (
            '<action name="RetrieveFromDatabase"><sql>\nSELECT 1 &lt; 2\n</sql></action>',
            SQL,
            {"sql": "SELECT 1 < 2"},
        ),
        (
            "<action_type>RetrieveFromDatabase</action_type><sql><![CDATA[SELECT 1 && 2]]></sql>",
            SQL,
            {"sql": "SELECT 1 && 2"},
        ),
        ("action_type: CalculateExpr\nparameters:\n  expr: 1 + 1", "CalculateExpr", {"expr": "1 + 1"}),
        (
            "```yaml\naction: RetrieveFromDatabase\nparameters:\n  sql: |\n    SELECT 1\n    FROM t\n```",
            SQL,
            {"sql": "SELECT 1\nFROM t"},
        ),
        ("retrieve_from_database(sql='SELECT 1')", SQL, {"sql": "SELECT 1"}),
        (
            "I could use CalculateExpr (it does sums), but first:\nCalculateExpr(expr='2')",
            "CalculateExpr",
            {"expr": "2"},
        ),
    ],
)
@pytest.mark.parametrize("format", ["markdown", "json", "xml", "yaml"])
def test_understood_whatever_it_is_wrapped_in(
    reply: str, name: str, arguments: dict[str, Any], format: str
) -> None:
    call = parse_reply(reply, ACTIONS, format).call
    assert (call.name, dict(call.arguments)) == (name, arguments)


def test_what_follows_a_made_up_observation_is_not_run_and_the_model_is_told() -> None:
    reply = parse_reply(
        "[Thought]: a\n[Action]: CalculateExpr(expr='1')\n[Observation]: 1\n"
        "[Thought]: b\n[Action]: GenerateAnswer(answer=1)",
        ACTIONS,
    )
    assert reply.thought == "a"
    assert reply.call.name == "CalculateExpr"
    assert "held 2 actions" in reply.notes[0]


def test_the_thought_is_kept_without_fences() -> None:
    reply = parse_reply('I search.\n```json\n{"action": "CalculateExpr", "expr": "1"}\n```', ACTIONS)
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
    call = parse_reply(r"ClassicRetrieve(query='\ud800')", ACTIONS).call
    assert call.arguments["query"].encode("utf-8")


@pytest.mark.parametrize(("written", "value"), [("2e-06", 2e-06), ("-3E5", -3e5), ("2e", "2e"), ("e5", "e5")])
def test_floats_in_yaml_are_those_of_json(written: str, value: object) -> None:
    reply = parse_reply(
        f"[Action]:\naction: GenerateAnswer\nparameters:\n  answer: {written}\n",
        load_actions(["GenerateAnswer"]),
        "yaml",
    )
    assert reply.call is not None
    assert reply.call.arguments == {"answer": value}


def test_aliases_in_yaml_are_refused() -> None:
    bomb = "action_type: GenerateAnswer\nparameters:\n  answer: &a [x, x]\nmore: [*a, *a]"
    with pytest.raises(ActionError):
        parse_reply(bomb + "\n", load_actions(["ClassicRetrieve"]), "yaml")


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
@pytest.mark.parametrize("format", ["markdown", "json", "xml", "yaml", "tools"])
def test_a_quoted_action_is_not_run(reply: str, format: str) -> None:
    assert parse_reply(reply, ACTIONS, format).call.arguments == {"answer": "mine"}


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
@pytest.mark.parametrize("format", ["markdown", "json", "xml", "yaml", "tools"])
def test_where_it_is_not_clear_which_action_is_meant_the_model_is_asked_again(
    reply: str, format: str
) -> None:
    with pytest.raises(ActionError):
        parse_reply(reply, ACTIONS, format)


REGEX = r"SELECT 1 WHERE regexp_matches(x, '\bshark\d+\s') -- \alpha \frac{a}{b} \nabla \theta \times"


@pytest.mark.parametrize(
    ("format", "reply"),
    [
        ("markdown", f'[Action]: RetrieveFromDatabase(sql="{REGEX}")'),
        ("markdown", f'RetrieveFromDatabase(sql="""{REGEX}""")'),
        ("markdown", f"RetrieveFromDatabase(sql='{REGEX}')"),  # quotes inside quotes: read loosely
        ("json", f'{{"action_type": "RetrieveFromDatabase", "parameters": {{"sql": "{REGEX}"}}}}'),
        ("xml", f"<action><action_type>RetrieveFromDatabase</action_type><sql>{REGEX}</sql></action>"),
        ("yaml", f'action_type: RetrieveFromDatabase\nparameters:\n  sql: "{REGEX}"'),
        ("yaml", f"action_type: RetrieveFromDatabase\nparameters:\n  sql: |\n    {REGEX}"),
        ("tools", f'{{"name": "RetrieveFromDatabase", "arguments": {{"sql": "{REGEX}"}}}}'),
    ],
)
def test_backslashes_survive(format: str, reply: str) -> None:
    assert parse_reply(reply, ACTIONS, format).call.arguments == {"sql": REGEX}


def test_backslashes_of_native_calls_survive_escaped_or_not() -> None:
    escaped = json.dumps({"sql": REGEX})
    assert tool_call(SQL, escaped).arguments == {"sql": REGEX}
    assert tool_call(SQL, f'{{"sql": "{REGEX}"}}').arguments == {"sql": REGEX}


def test_a_reply_beyond_the_limit_is_told_so() -> None:
    with pytest.raises(ActionError, match="at most 50000 are read"):
        parse_reply(f"{'word ' * 20_000}\n[Action]: {OWN}", ACTIONS)


def test_long_reasoning_does_not_count() -> None:
    reply = f"<think>{'word ' * 20_000}</think>\n[Action]: {OWN}"
    assert parse_reply(reply, ACTIONS).call.arguments == {"answer": "mine"}


def test_in_tools_mode_the_hint_is_a_function_call() -> None:
    with pytest.raises(ActionError) as caught:
        parse_reply("Well.", ACTIONS, "tools")
    assert '{"name": "RetrieveFromDatabase", "arguments": {"sql": ' in caught.value.hint
