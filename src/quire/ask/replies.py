"""A model's reply as a step: its thought and the one action that is its own, whatever it wrapped them in.

    [Thought]: I need the title.
    [Action]: RetrieveFromDatabase(sql="SELECT title FROM metadata")

One grammar: the action that counts is the reply's own, which has a tag before it or begins a line, outside
of every quote, and is whole. Quotes are block quotes, quotation marks, code between backticks, fences and
lines that are indented, unless the tag of an action stands right before them or they are the whole reply.
No actions are, besides: what stands in a reasoning block (`<think>`) or after an observation that the model
made up, and what a thought mentions, when a tag says where the action is. A reply with two different
actions has none, as one of them may be quoted from a PDF; one that was cut has none unless something
follows it. What cannot be understood raises an ActionError that shows a correct call. Bold or bare tags,
text after the action, and another format than the one asked for are understood.

At most `MAX_CHARACTERS` of a reply are read, in time linear in them. `read_step` takes native tool calls as
well; a reply that cannot be understood, or was cut before its action was whole, becomes a step without a
call, whose observation says what was wrong. Where only an answer is allowed, a whole reply without any
action is taken as the answer itself.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from quire import jsontext
from quire.ask.actions import Action, example, known, not_there, resolve
from quire.ask.environment import failed
from quire.ask.formats import TAG, Actions, FoundCall, find_calls, render_call, tool_call
from quire.ask.methods import ANSWER
from quire.ask.streaming import REASONING
from quire.errors import ActionError
from quire.llm import Completion
from quire.types import Call, Step

_MARK = re.compile(rf"<(/?)(?:{REASONING})>", re.IGNORECASE)


def spoken_part(text: str) -> str:
    """The text outside of all reasoning blocks."""
    said: list[str] = []
    depth, last = 0, 0
    for mark in _MARK.finditer(text):
        if not mark[1]:
            if depth == 0:
                said.append(text[last : mark.start()])
            depth += 1
            continue
        if depth == 0:
            said.clear()
        depth = max(depth - 1, 0)
        last = mark.end()
    if depth == 0:
        said.append(text[last:])
    return "".join(said)


MAX_CHARACTERS = 50_000
_LOOKS_LIKE_CALL = re.compile(r"(?<![\w.])([A-Za-z_]\w{2,80})[ \t]?\(|action_type\W{1,9}(\w{1,80})")
_FENCED = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_TICKS = re.compile(r"`+")
_LINE = re.compile(r"[^\n]+")
_DECORATION = " \t\n*_#-<:"
_ENDING = " \t\r\n`~*.;"
_MARKS = re.compile(r"</?(?:thought|action)>|```\w{0,30}", re.IGNORECASE)


class _Span(NamedTuple):
    """A quote; a tag has a kind."""

    start: int
    end: int
    kind: str = ""


def parse_reply(text: str, actions: Actions, format: str = "markdown", *, cut: bool = False) -> Step:
    """The thought and the action of a reply; arguments are plain JSON values. `cut`: its end is missing.

    Raises:
        ActionError: no action could be found, or several; says why and shows a correct call.
    """
    said = _unwrapped(spoken_part(text))
    how = _how(actions, format)
    if len(said) > MAX_CHARACTERS:
        raise ActionError(
            f"The reply has {len(said)} characters; at most {MAX_CHARACTERS} are read.", hint=how
        )
    quotes = _quotes(said)
    found = find_calls(said, actions)
    tags = _tags(said, found, quotes)
    meant = _meant(said, found, tags, quotes)
    if cut and meant and not said[meant[-1].end :].strip(_ENDING):
        raise ActionError("The reply was cut before its action was whole.", hint=f"Be brief. {how}")
    if not meant:
        raise ActionError(_why_not(said, actions), hint=how)
    calls = [Call(one.call.name, jsontext.as_json(one.call.arguments)) for one in meant]
    if any(call != calls[0] for call in calls):
        shown = " and ".join(dict.fromkeys(render_call(call, format)[:200] for call in calls[:3]))
        raise ActionError(
            f"The reply holds {len(calls)} actions that differ: {shown}. None was run.",
            hint=f"Write exactly one action, and quote none. {how}",
        )
    later = len([one for one in found if one.start > meant[0].start and not _within(one.start, quotes)])
    notes = (
        f"[Warning]: Your reply held {later + 1} actions; only the first, {calls[0].name}, was run. "
        "Write one action per turn.",
    )
    return Step(_thought(said, meant[0], tags), calls[0], reply=text, notes=notes if later > 0 else ())


def _unwrapped(text: str) -> str:
    """The text without the one fence, or the one pair of backticks, that is around all of it."""
    bare = text.strip()
    spans = _fences(bare) or _codes(bare, 0, len(bare))
    if len(spans) != 1 or spans[0][:2] != (0, len(bare)):
        return text
    if not bare.startswith(("```", "~~~")):
        return bare.strip("`")
    lines = bare.split("\n")[1:]
    return "\n".join(lines[:-1] if lines and _FENCED.match(lines[-1]) else lines)


def _quotes(text: str) -> list[_Span]:
    """Fences, code between backticks and indented lines, in order."""
    spans, start = [], 0
    for fence in [*_fences(text), _Span(len(text), len(text))]:
        for line in _LINE.finditer(text, start, fence.start):
            indented = line[0].startswith(("    ", "\t"))
            spans += [_Span(*line.span())] if indented else _codes(text, *line.span())
        spans.append(fence)
        start = fence.end
    return spans


def _fences(text: str) -> list[_Span]:
    """Fenced blocks, their fences included; one that is not closed reaches to the end."""
    spans: list[_Span] = []
    opened: re.Match[str] | None = None
    for mark in _FENCED.finditer(text):
        if opened is None:
            opened = mark
        elif mark[1].startswith(opened[1]) and not mark[2].strip():
            spans.append(_Span(opened.start(), mark.end()))
            opened = None
    return [*spans, _Span(opened.start(), len(text))] if opened else spans


def _codes(text: str, start: int, end: int) -> list[_Span]:
    """Code between equally long runs of backticks; what has no second run is none."""
    spans: list[_Span] = []
    runs = list(_TICKS.finditer(text, start, end))
    closing = {len(run[0]): number for number, run in enumerate(runs)}  # the last run of each length
    number = 0
    while number < len(runs):
        length = len(runs[number][0])
        if closing[length] > number:
            last = next(at for at in range(number + 1, len(runs)) if len(runs[at][0]) == length)
            spans.append(_Span(runs[number].start(), runs[last].end()))
            number = last
        number += 1
    return spans


def _within(place: int, spans: Sequence[_Span]) -> _Span | None:
    at = bisect_right(spans, place, key=lambda span: span.start) - 1
    return spans[at] if at >= 0 and place < spans[at].end else None


def _tags(text: str, found: Sequence[FoundCall], quotes: Sequence[_Span]) -> list[_Span]:
    """The tags outside of all calls and quotes, up to the first observation."""
    tags: list[_Span] = []
    for match in TAG.finditer(text):
        word = next(place for place in range(match.start(), match.end()) if not text[place].isspace())
        if any(one.start <= match.start() < one.end for one in found) or _in_quote(text, match.start(), 0):
            continue
        if _within(word, quotes):
            continue
        kind = next(word for word in match.groups() if word).lower()
        tags.append(_Span(match.start(), match.end(), kind))
        if kind == "observation":
            break
    return tags


def _meant(
    text: str, found: Sequence[FoundCall], tags: Sequence[_Span], quotes: Sequence[_Span]
) -> list[FoundCall]:
    """The calls that are the model's own action, by where they stand."""
    tagged = any(tag.kind == "action" for tag in tags)
    meant, previous = [], 0
    for one in found:
        tag = next((tag for tag in reversed(tags) if tag.start <= one.start), None)
        kind = tag.kind if tag else ""
        begin = max(previous, tag.end if tag else 0)
        previous = one.end
        if kind == "observation" or _in_quote(text, one.start, begin):
            continue
        if quote := _within(one.start, quotes):
            if tag and kind == "action" and not text[tag.end : quote.start].strip(_DECORATION):
                meant.append(one)
        elif kind == "action" or (not tagged and _stands_alone(text, one, begin)):
            meant.append(one)
    return meant


def _in_quote(text: str, place: int, begin: int) -> bool:
    """Whether the place is in a block quote, or between quotation marks that open after `begin`."""
    line = text.rfind("\n", 0, place) + 1
    before = text[max(line, begin) : place]
    return (
        text[line:place].lstrip().startswith(">")
        or before.count('"') % 2 == 1
        or before.count("\u201c") > before.count("\u201d")
        or before.count("\u00ab") > before.count("\u00bb")
        or before.endswith(("'", "\u2018"))
    )


def _stands_alone(text: str, one: FoundCall, begin: int) -> bool:
    """Whether a call without tag begins a line: one inside a sentence is talk."""
    line = max(text.rfind("\n", 0, one.start) + 1, begin)
    return not text[line : one.start].strip(_DECORATION)


def _thought(text: str, meant: FoundCall, tags: Sequence[_Span]) -> str:
    action = next((tag for tag in reversed(tags) if tag.kind == "action" and tag.start <= meant.start), None)
    before = text[: action.start if action else meant.start].strip()
    if first := TAG.match(before):
        before = before[first.end() :]
    return _MARKS.sub("", before).strip().strip("*`").strip()


def _why_not(text: str, actions: Actions) -> str:
    for match in _LOOKS_LIKE_CALL.finditer(text):
        name = match[1] or match[2]
        if not known(name, actions) and _like_a_name(name):
            return not_there(name, actions)
    if not text.strip():
        return "The reply holds no action."
    named = next((name for name in actions if name.lower() in text.lower()), None)
    if named:
        return (
            f"The reply names {named}, but no call of its own could be read: one in quotes, in backticks, in "
            "a fence, indented, or inside a sentence is none; write [Action]: before yours."
        )
    return f"No action was found in the reply. You can use: {', '.join(actions)}."


def _like_a_name(word: str) -> bool:
    """Whether a word is written like an action: in CamelCase or with_underscores."""
    camel = word[0].isupper() and any(char.isupper() for char in word[1:]) and not word.isupper()
    return camel or ("_" in word.strip("_") and word.islower())


def _how(actions: Actions, format: str) -> str:
    shown = render_call(example(next(iter(actions.values()))), format)
    asked = "Call one function" if format == "tools" else "Write one action"
    return f"{asked}, for example:\n{shown}"


_FENCE = re.compile(r"```[\w-]*\n(.*?)```", re.DOTALL)
_LABEL = re.compile(
    r"^[ \t>*#_-]*\[?(?:final answer|answer)\]?[*_ \t]*[:=][*_ \t]*", re.IGNORECASE | re.MULTILINE
)
_TAGGED = re.compile(
    r"^[ \t>*#_-]*\[?(?:thought|action|evidence|observation)s?\]?[*_ \t]*:", re.IGNORECASE | re.MULTILINE
)
_LONGEST_BARE = 2000  # characters


def read_step(completion: Completion, allowed: Mapping[str, type[Action]], action_format: str) -> Step:
    """The step that a completion asks for."""
    text, cut = completion.text, completion.finish_reason == "length"
    try:
        if completion.tool_calls:
            return _native(completion, allowed, cut)
        return parse_reply(text, allowed, action_format, cut=cut)
    except ActionError as error:
        only_answer = set(allowed) == {ANSWER} and not completion.tool_calls
        if only_answer and not cut and (bare := _bare_answer(text)):
            return Step("", Call(ANSWER, {"answer": bare}), reply=text)
        if cut:
            error = ActionError(
                "The reply was cut because it is too long.", hint=f"Be brief. {error.hint}".strip()
            )
        return Step("", None, failed(error), reply=text or "(an empty reply)")


def _native(completion: Completion, allowed: Mapping[str, type[Action]], cut: bool) -> Step:
    first, count = completion.tool_calls[0], len(completion.tool_calls)
    if cut and count == 1:
        raise ActionError(f"The call of {first.name[:80]} was cut.")
    call = tool_call(resolve(first.name, allowed), first.arguments)
    several = f"[Warning]: Of your {count} calls only the first was run. Make one per turn."
    notes = (several,) if count > 1 else ()
    reply = completion.text or f"[Action]: {render_call(call)}"
    return Step(completion.text.strip(), call, reply=reply, notes=notes)


def _bare_answer(text: str) -> str:
    """The answer in a reply without any action; "" where there is none that could be told apart."""
    if (fences := _FENCE.findall(text)) and ANSWER not in fences[-1]:
        return str(fences[-1]).strip()
    labels = list(_LABEL.finditer(text))
    rest = text[labels[-1].end() :].strip() if labels else text.strip()
    if _TAGGED.search(rest) or ANSWER in rest or len(rest) > _LONGEST_BARE:
        return ""
    return rest
