"""What a model is told: the unchanging part, and the question.

    system = system_text(METHODS["full_hybrid"], environment.actions, look(library), "markdown", max_turns=20)
    question_text(question, titles(library, question))

The system text is the same, byte by byte, for every turn and every question of a method over the same
library, and stands first, so that endpoints which cache prompts read it once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from string import Template

from quire.ask.across import TEXT
from quire.ask.actions import Action
from quire.ask.library_schema import LibrarySchema
from quire.ask.methods import Method
from quire.ask.readable import Readable
from quire.ask.specification import specification
from quire.ask.viewing import literal
from quire.types import Exchange, Question

_ACTION = "[Action]: <one action, written as in the examples>"


@dataclass(frozen=True, slots=True)
class PromptStyle:
    """`turn` ends the sentence "Each turn you reply with ..."; `form` is what a reply looks like."""

    turn: str
    form: str


THINKING = PromptStyle("a short thought and exactly one action", f"[Thought]: <why>\n{_ACTION}")
ACTING = PromptStyle("exactly one action, without any thought before it", _ACTION)


_TOOLS = "You act by calling exactly one function; its observation comes back as the function's result."
_DATABASE = "RetrieveFromDatabase"
_VECTORS = "RetrieveFromVectorstore"
_EARLIER = (
    "Earlier questions and their answers, the closest one last. One that asks the same of the same papers "
    "holds, unless what you observe says otherwise: give its answer again, with its evidence (every quote is "
    "checked against its page). Its None needs no more look-ups, and no evidence."
)
_SEEN = (
    " Of what you read in a picture: [Evidence]: <paper id>, page <number>, seen in Figure 3: "
    '"<what you read>"\nValues that only a figure shows are read there: look at it (ViewImage with its box) '
    "before you give up."
)
_TURNS, _LONGEST = 6, 2000  # of a conversation: turns shown, characters of each


def system_text(
    method: Method,
    actions: Mapping[str, type[Action]],
    schema: LibrarySchema,
    action_format: str,
    *,
    max_turns: int,
    prompt_style: PromptStyle = THINKING,
    vision: bool = False,
) -> str:
    """The unchanging part: the task, what the library holds, the actions, how to reply."""
    used = {name: actions[name] for name in method.actions}
    native = action_format == "tools"
    slots = {
        "library_schema": _library_schema(method, schema),
        "names": f"The library holds {schema.papers} papers.\n\n## Tables\n{schema.names_text()}",
        "actions": f"{', '.join(used)} (see the functions)"
        if native
        else specification(used, action_format, brief=method.brief),
        "seen": _SEEN if vision else "",
        "turn": prompt_style.turn,
        "form": _TOOLS if native else prompt_style.form,
        "turns": f"at most {max_turns} turns" if max_turns else "as many turns as you need",
    }
    return Template(_template(method.template)).substitute(slots)


def _template(name: str) -> str:
    return (
        resources.files("quire.ask").joinpath("templates", f"{name}.md").read_text(encoding="utf-8").strip()
    )


def _library_schema(method: Method, schema: LibrarySchema) -> str:
    parts = [f"The library holds {schema.papers} paper{'' if schema.papers == 1 else 's'}."]
    if _DATABASE in method.actions:
        parts.append(f"## Tables\n{schema.tables_text()}")
    if _VECTORS in method.actions:
        parts.append(f"## Collections\n{schema.collections_text()}")
    return "\n\n".join(parts) + "\n\n"


def titles(library: Readable, question: Question) -> Mapping[str, str]:
    """The titles of the papers that a question names, by id.

    Raises:
        QueryError: the library cannot be read.
    """
    papers = (*question.anchor_papers, *question.reference_papers)
    if not papers:
        return {}
    named = ", ".join(map(literal, papers))
    sql = (
        f"SELECT CAST(paper_id AS VARCHAR), title FROM metadata WHERE CAST(paper_id AS VARCHAR) IN ({named})"
    )
    return {str(paper): str(title or "") for paper, title in library.sql(sql).rows}


def question_text(question: Question, known: Mapping[str, str], shots: Sequence[str] = ()) -> str:
    """The question with all that is told of it; `shots` are earlier cases, the closest last."""
    parts = []
    if shots:
        parts.append("\n\n".join([_EARLIER, *shots]))
    if question.conversation:
        parts.append("The conversation so far, context for the question:\n\n" + _said(question.conversation))
    lines = [f"[Question]: {question.text}"]
    if question.answer_format:
        lines.append(f"[Answer Format]: {question.answer_format}")
    elif question.schema is None:
        lines.append(f"[Answer Format]: {TEXT}")
    if question.schema is not None:
        lines.append(
            f"[Answer JSON Schema]: {json.dumps(question.schema, ensure_ascii=False, sort_keys=True)}"
        )
    lines += _papers(
        f"[Anchor PDF] ({'only these' if question.only else 'use'})", question.anchor_papers, known
    )
    lines += _papers("[Reference PDF] (may help)", question.reference_papers, known)
    if question.conferences:
        lines.append(f"[Conference]: {', '.join(question.conferences)}")
    return "\n\n".join([*parts, "\n".join(lines)])


def _said(conversation: Sequence[Exchange]) -> str:
    """The last turns, long answers cut."""
    turns = []
    for each in conversation[-_TURNS:]:
        answer = each.answer if len(each.answer) <= _LONGEST else each.answer[:_LONGEST] + " [...]"
        turns.append(f"[Earlier Question]: {each.question[:_LONGEST]}\n[Earlier Answer]: {answer}")
    return "\n\n".join(turns)


def _papers(tag: str, papers: Sequence[str], known: Mapping[str, str]) -> list[str]:
    if not papers:
        return []
    return [tag + ": " + "; ".join(f"{each} {known[each]!r}" if known.get(each) else each for each in papers)]
