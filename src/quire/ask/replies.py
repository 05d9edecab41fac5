"""A model's completion as a step: native tool calls, actions in text, and bare answers.

    read(completion, allowed, "markdown")  ->  Step("why", Call("ClassicRetrieve", {"query": "dropout"}), ...)

A reply that cannot be understood, or was cut before its action was whole, becomes a step without a call,
whose observation says what was wrong. Where only an answer is allowed, a whole reply without any action is
taken as the answer itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from quire.ask.actions import Action
from quire.ask.arguments import resolve
from quire.ask.environment import failed
from quire.ask.formats import parse_reply, render_call, tool_call
from quire.ask.methods import ANSWER
from quire.errors import ActionError
from quire.llm import Completion
from quire.types import Call, Step

_FENCE = re.compile(r"```[\w-]*\n(.*?)```", re.DOTALL)
_LABEL = re.compile(
    r"^[ \t>*#_-]*\[?(?:final answer|answer)\]?[*_ \t]*[:=][*_ \t]*", re.IGNORECASE | re.MULTILINE
)
_TAGGED = re.compile(
    r"^[ \t>*#_-]*\[?(?:thought|action|evidence|observation)s?\]?[*_ \t]*:", re.IGNORECASE | re.MULTILINE
)
_LONGEST_BARE = 2000  # characters


def read(completion: Completion, allowed: Mapping[str, type[Action]], action_format: str) -> Step:
    """The step that a completion asks for."""
    text, cut = completion.text, completion.finish_reason == "length"
    try:
        if completion.tool_calls:
            return _native(completion, allowed, cut)
        reply = parse_reply(text, allowed, action_format, cut=cut)
        return Step(reply.thought, reply.call, reply=text, usage=completion.usage, notes=reply.notes)
    except ActionError as error:
        only_answer = set(allowed) == {ANSWER} and not completion.tool_calls
        if only_answer and not cut and (bare := _bare_answer(text)):
            return Step("", Call(ANSWER, {"answer": bare}), reply=text, usage=completion.usage)
        if cut:
            error = ActionError(
                "The reply was cut because it is too long.", hint=f"Be brief. {error.hint}".strip()
            )
        return Step("", None, failed(error), reply=text or "(an empty reply)", usage=completion.usage)


def _native(completion: Completion, allowed: Mapping[str, type[Action]], cut: bool) -> Step:
    first, count = completion.tool_calls[0], len(completion.tool_calls)
    if cut and count == 1:
        raise ActionError(f"The call of {first.name[:80]} was cut.")
    call = tool_call(resolve(first.name, allowed), first.arguments)
    several = f"[Warning]: Of your {count} calls only the first was run. Make one per turn."
    notes = (several,) if count > 1 else ()
    reply = completion.text or f"[Action]: {render_call(call)}"
    return Step(completion.text.strip(), call, reply=reply, usage=completion.usage, notes=notes)


def _bare_answer(text: str) -> str:
    """The answer in a reply without any action; "" where there is none that could be told apart."""
    if (fences := _FENCE.findall(text)) and ANSWER not in fences[-1]:
        return str(fences[-1]).strip()
    labels = list(_LABEL.finditer(text))
    rest = text[labels[-1].end() :].strip() if labels else text.strip()
    if _TAGGED.search(rest) or ANSWER in rest or len(rest) > _LONGEST_BARE:
        return ""
    return rest
