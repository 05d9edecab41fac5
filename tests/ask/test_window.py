"""What of a run is shown again."""

from __future__ import annotations

from quire.ask.llm import PromptFit, conversation, prompt_fits, told_in_a_line, tool_turn
from quire.llm import Message, ToolCall
from quire.types import Call, Observation, Step

PNG = b"\x89PNG"


def step(number: int, text: str = "", image: bytes | None = None) -> Step:
    call = Call("ClassicRetrieve", {"query": f"q{number}"})
    observation = Observation(
        "image" if image else "rows", text or f"row {number}\n\nIn total 1 row.", image=image
    )
    return Step(f"why {number}", call, observation, reply=f"[Thought]: why {number}\n[Action]: ...")


def texts(messages: list[Message]) -> list[str]:
    return [message.text for message in messages]


def test_the_last_turns_in_full_and_a_line_on_each_before() -> None:
    messages = conversation("S", "Q", [step(n) for n in range(1, 5)], PromptFit(2), "markdown")
    assert texts(messages) == [
        "S",
        "Q\n\nYour earlier turns, shortened:\n"
        "1. why 1 ClassicRetrieve(query='q1') -> In total 1 row.\n"
        "2. why 2 ClassicRetrieve(query='q2') -> In total 1 row.",
        "[Thought]: why 3\n[Action]: ...",
        "[Observation]:\nrow 3\n\nIn total 1 row.",
        "[Thought]: why 4\n[Action]: ...",
        "[Observation]:\nrow 4\n\nIn total 1 row.",
    ]


def test_the_beginning_is_byte_identical_from_turn_to_turn() -> None:
    history = [step(n) for n in range(1, 9)]
    before: list[Message] = []
    for length in range(len(history) + 1):
        now = conversation("S", "Q", history[:length], PromptFit(5), "markdown")
        if length <= 5:
            assert now[: len(before)] == before
        assert now[0].text == "S"
        assert now[1].text.startswith(before[1].text if before else "Q")
        before = now


def test_each_fit_is_shorter_than_the_one_before() -> None:
    history = [step(n, "long " * 3000) for n in range(12)]
    sizes = [sum(map(len, texts(conversation("S", "Q", history, fit, "markdown")))) for fit in prompt_fits(5)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 3000


def test_old_pictures_are_not_sent_again() -> None:
    messages = conversation(
        "S", "Q", [step(n, "page", PNG) for n in range(3)], PromptFit(5, pictures=1), "markdown"
    )
    assert [message.images for message in messages if message.role == "user"][1:] == [(), (), (PNG,)]
    assert "not shown again" in messages[3].text


def test_an_ending_stands_last() -> None:
    assert conversation("S", "Q", [], PromptFit(5), "markdown", "Now.")[-1].text == "Q\n\nNow."
    assert conversation("S", "Q", [step(1)], PromptFit(5), "tools", "Now.")[-1] == Message("user", "Now.")


def test_native_calls_and_their_results() -> None:
    messages = tool_turn(step(1, "page", PNG), 7)
    assert messages[0].tool_calls == (ToolCall("ClassicRetrieve", '{"query": "q1"}', "call_7"),)
    assert messages[1] == Message("tool", "page", tool_call_id="call_7")
    assert messages[2].images == (PNG,)
    unread = Step("", None, Observation("error", "[Error]: no"), reply="hm")
    assert [message.role for message in tool_turn(unread, 1)] == ["assistant", "user"]


def test_a_step_without_reply_is_shown_as_if_said() -> None:
    opening = Step("", Call("ClassicRetrieve", {"query": "x"}), Observation("rows", "r"))
    for action_format, shown in (
        ("markdown", "ClassicRetrieve(query='x')"),
        ("tools", '{"name": "ClassicRetrieve", "arguments": {"query": "x"}}'),
    ):
        messages = conversation("S", "Q", [opening], PromptFit(5), action_format)
        assert messages[2].text == f"[Action]: {shown}"


def test_a_line_on_a_step_is_short() -> None:
    unread = Step("t" * 999, None, Observation("error", "[Error]: " + "x\n" * 999))
    assert len(told_in_a_line(unread, 1)) < 420
    assert "\n" not in told_in_a_line(unread, 1)
