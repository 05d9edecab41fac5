"""A model's reply to a thought and a call, whatever it wrapped them in.

    [Thought]: I need the title.
    [Action]: RetrieveFromDatabase(sql="SELECT title FROM metadata")

Understood as well: bold or bare tags, code blocks, no tags at all, text after the action, several actions
(the first counts), another format than the one asked for. What cannot be understood raises an ActionError
that shows a correct call.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rapidfuzz import process

from quire.environment.actions import example
from quire.environment.arguments import plain
from quire.environment.formats.base import Actions, Format, Found, fold
from quire.environment.formats.formats import FORMATS, render_call
from quire.errors import ActionError
from quire.types import Call

_MAX_CHARACTERS = 100_000  # of a reply that are read
_WORDS = r"thoughts?|actions?|observations?"
_TAG = re.compile(
    rf"^[ \t>#*_-]*(?:[\[<]({_WORDS})[\]>]|({_WORDS})(?=[ \t*_]*:))[*_ \t]*:?[*_ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_INLINE = re.compile(r"\[actions?\][*_ \t]*:?[*_ \t]*", re.IGNORECASE)
_LOOKS_LIKE_CALL = re.compile(r"(?<![\w.])([A-Z][a-z]+(?:[A-Z_]\w*)+|[a-z]+(?:_[a-z]+)+)\s?\(")
_TEXT_FORMATS = ("markdown", "json", "xml", "yaml")


@dataclass(frozen=True, slots=True)
class Reply:
    """What a reply says: why, what, and notes to the model about how it was understood."""

    thought: str
    call: Call
    notes: tuple[str, ...] = ()


def parse_reply(text: str, actions: Actions, format: str = "markdown") -> Reply:
    """The thought and the first action of a reply; arguments are plain JSON values.

    Raises:
        ActionError: no action could be found; says why and shows a correct call.
    """
    text = text[:_MAX_CHARACTERS]
    order = [format, *(name for name in _TEXT_FORMATS if name != format)]
    order = [name for name in order if name in _TEXT_FORMATS]
    formats: list[Format] = [FORMATS.load(name)() for name in order]
    whole = text.strip()
    for each in formats:
        found = each.find(whole, actions)
        if len(found) == 1 and found[0].start == 0 and found[0].end >= len(whole):
            return Reply("", _plain(found[0].call))
    thought, part, rest = _split(text)
    for region in dict.fromkeys((part, text)):
        for each in formats:
            found = each.find(region, actions)
            if found:
                before = region[: found[0].start] if region is text and part != text else ""
                before = before or (region[: found[0].start] if not thought else "")
                later = len(found) - 1 + _count_later(rest, each, actions, found, region)
                return Reply(_tidy(thought or before), _plain(found[0].call), _notes(found[0], later))
    raise ActionError(_why_not(part, actions), hint=_how(actions, format))


def _plain(call: Call) -> Call:
    return Call(call.name, {str(name): plain(value) for name, value in call.arguments.items()})


def _split(text: str) -> tuple[str, str, str]:
    """The thought, the part that should hold the action, and what follows that part."""
    tags = list(_TAG.finditer(text))
    kinds = [(tag[1] or tag[2]).lower().rstrip("s") for tag in tags]
    if "action" not in kinds:
        inline = _INLINE.search(text)
        if inline is None:
            return "", text, ""
        return text[: inline.start()], text[inline.end() :], ""
    at = kinds.index("action")
    end = tags[at + 1].start() if at + 1 < len(tags) else len(text)
    return text[: tags[at].start()], text[tags[at].end() : end], text[end:]


def _tidy(thought: str) -> str:
    thought = _TAG.sub("", thought, count=1) if _TAG.match(thought.lstrip()) else thought
    thought = re.sub(r"</?(?:thought|action)s?>|```\w*", "", _TAG.sub("", thought.strip(), count=1))
    return thought.strip().strip("*").strip()


def _count_later(rest: str, format: Format, actions: Actions, found: list[Found], region: str) -> int:
    return len(format.find(rest, actions)) if rest and region != rest else 0


def _notes(first: Found, later: int) -> tuple[str, ...]:
    if later < 1:
        return ()
    return (
        f"[Warning]: Your reply held {later + 1} actions; only the first, {first.call.name}, was run. "
        "Write one action per turn.",
    )


def _why_not(text: str, actions: Actions) -> str:
    match = _LOOKS_LIKE_CALL.search(text) or re.search(r"action_type\W+(\w+)", text)
    if match and fold(match[1]) not in {fold(name) for name in actions}:
        near = process.extractOne(match[1], list(actions), score_cutoff=60)
        guess = f" Did you mean {near[0]}?" if near else ""
        return f"There is no action `{match[1][:80]}` here.{guess} You can use: {', '.join(actions)}."
    if not text.strip():
        return "The reply holds no action."
    named = next((name for name in actions if name.lower() in text.lower()), None)
    if named:
        return f"The reply names {named} but its arguments could not be read."
    return f"No action was found in the reply. You can use: {', '.join(actions)}."


def _how(actions: Actions, format: str) -> str:
    first = next(iter(actions.values()))
    shown = "markdown" if format not in _TEXT_FORMATS else format
    return f"Write one action, for example:\n{render_call(example(first), shown)}"
