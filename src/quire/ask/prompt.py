"""What a model is told: its actions, what the library holds, and the question.

    held = look(library, ("text_bm25_en",))
    system = system_text(METHODS["full_hybrid"], environment.actions, held, "markdown", max_turns=20)
    question_text(question, titles(library, question))

The system text is the same, byte by byte, for every turn and every question of a method over the same
library, and stands first, so that endpoints which cache prompts read it once. As a model reads it on every
turn, what holds for all tables is said once, and a column that is empty in the whole library is not named
at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from string import Template
from typing import Any

from quire.ask.actions import Action, Parameter, description, parameters, signature
from quire.ask.actions.database import read_view
from quire.ask.formats import render_call
from quire.ask.methods import TEXT, Method
from quire.library import Library
from quire.search.cells import ENCODABLE
from quire.store.schema import TABLES, Column, Table
from quire.types import Call, Exchange, Question


def specification(
    actions: Mapping[str, type[Action]], format: str = "markdown", *, brief: Collection[str] = ()
) -> str:
    """Prompt text on all actions, byte-identical for the same actions and format; on `brief` ones a line."""
    said = (_line(action) if name in brief else _one(action, format) for name, action in actions.items())
    return "\n\n".join(said)


def _line(action: type[Action]) -> str:
    first = description(action).split(". ")[0].rstrip(".")
    return f"{signature(action)}: {first}."


def _one(action: type[Action], format: str) -> str:
    lines = [signature(action), description(action)]
    lines += [f"- {parameter.name}: {parameter.doc}" for parameter in parameters(action)]
    for purpose, arguments in action.examples:
        lines.append(
            f"Example ({purpose.rstrip('.')}): {render_call(Call(action.__name__, arguments), format)}"
        )
    return "\n".join(lines)


def tool_schemas(actions: Mapping[str, type[Action]]) -> list[dict[str, Any]]:
    """One function schema per action."""
    return [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": description(action),
                "parameters": {
                    "type": "object",
                    "properties": {each.name: _property(each) for each in parameters(action)},
                    "required": [each.name for each in parameters(action) if each.required],
                },
            },
        }
        for name, action in actions.items()
    ]


def _property(parameter: Parameter) -> dict[str, Any]:
    schema: dict[str, Any] = {**parameter.kind.schema, "description": parameter.doc}
    return schema if parameter.required else {**schema, "default": parameter.default}


_SHARED = frozenset({"ref_paper_id", "ref_page_id", "bounding_box", "ordinal"})
_UNTOLD = re.compile(r"[,;] (?:''|NULL|'uncategorized') if .*$")
_COMMON = """\
A table's first column is its id (UUID). ref_paper_id -> metadata.paper_id, ref_page_id -> pages.page_id. \
ordinal INTEGER counts from 0, on the page (in sections and reference: in the paper). \
bounding_box INTEGER[4] is [x0, y0, width, height] in points from the page's top left. \
Columns without a type are VARCHAR. \
What a paper does not tell is '', a number NULL, a conference 'uncategorized'."""
_NOT_IN_CHUNKS = """\
chunks hold running text only: table cells, captions, displayed formulas, and examples or listings that are \
set apart are not in them."""
_BRIEF = """\
Ids are UUIDs. All tables but metadata have ref_paper_id, those below pages also ref_page_id (join pages for \
page_number), ordinal, bounding_box. Running text is in sentences and chunks, tables in cells, all text with \
footnotes in page_content (strpos(lower(page_content), 'word') > 0). Not told: '' or NULL. \
SELECT * shows more columns."""
_UNASKED = frozenset(
    "page_summary image_summary table_summary section_summary download_url bibtex pdf_path tldr page_width "
    "page_height page_label conference_full conference_abbreviation language row_content corrected arxiv_id "
    "licence affiliations corresponding_author corresponding_email funding table_content equation_format "
    "tags doi volume keywords publisher issue first_page last_page published page_numbers section_number "
    "parent_section_id ref_section_id ref_chunk_id reference_doi reference_volume reference_first_page "
    "reference_last_page cited_paper_id section_level equation_number".split()
)
_UNASKED_TABLES = frozenset({"metadata_places"})
_KINDS = {"DATE": " DATE", "BOOLEAN": " BOOL", "DOUBLE": " DOUBLE"}
_FILTERS = """\
Filter fields: pdf_id, page_number (-1: none), primary_key (the row's id), table_name, column_name, \
and bbox for images. Operators: and or not; < > <= >= == !=; in [..]; + - * / % **; bbox[0]; \
array_contains(bbox, 100); array_length(bbox) == 4."""


@dataclass(frozen=True, slots=True)
class LibrarySchema:
    """What there is to ask: filled columns by table, collections by name, how many papers."""

    papers: int
    columns: Mapping[str, frozenset[str]]
    collections: tuple[str, ...]

    def tables_text(self) -> str:
        """The filled tables with their columns, one line each."""
        lines = [self._line(table) for table in TABLES if self.columns.get(table.name)]
        return "\n".join([_COMMON, _NOT_IN_CHUNKS, *lines])

    def names_text(self) -> str:
        """The filled tables with the names of their columns: what a short prompt has room for."""
        told = [table for table in TABLES if table.name not in _UNASKED_TABLES]
        filled = [(table, self.columns[table.name]) for table in told if self.columns.get(table.name)]
        lines = [_BRIEF]
        for table, held in filled:
            names = [_name(each) for each in table.columns if each.name in held and _is_asked(each, table)]
            lines.append(f"- {table.name}: {', '.join(names)}")
        return "\n".join(lines)

    def _line(self, table: Table) -> str:
        filled = self.columns[table.name]
        names = [_column(column, table) for column in table.columns if column.name in filled]
        return f"- {table.name} ({_lower(table.doc)}): {'; '.join(names)}"

    def collections_text(self) -> str:
        """The collections and the (table, column) pairs that each can search."""
        lines: list[str] = []
        for modality in ("text", "image"):
            names = [name for name in self.collections if name.startswith(f"{modality}_")]
            pairs: dict[str, list[str]] = {}
            for pair in ENCODABLE:
                if pair.modality == modality and pair.column in self.columns.get(pair.table, ()):
                    pairs.setdefault(pair.table, []).append(pair.column)
            if names and pairs:
                where = "; ".join(f"{table}: {', '.join(columns)}" for table, columns in pairs.items())
                how = {name: "word match, BM25" if "bm25" in name else "meaning, cosine" for name in names}
                lines.append(f"- {', '.join(f'{name} ({said})' for name, said in how.items())} over {where}")
        return "\n".join([*lines, _NOT_IN_CHUNKS, _FILTERS])


def look(library: Library, collections: Sequence[str]) -> LibrarySchema:
    """What is in the library now, by one query.

    Raises:
        QueryError: the library cannot be read.
    """
    wanted = [(table, column) for table in TABLES for column in table.columns]
    parts = [f"EXISTS(SELECT 1 FROM {table.name} WHERE {_filled(column)})" for table, column in wanted]
    row = library.rows(f"SELECT (SELECT count(*) FROM metadata), {', '.join(parts)}").rows[0]
    columns: dict[str, set[str]] = {}
    for (table, column), present in zip(wanted, row[1:], strict=True):
        if present:
            columns.setdefault(table.name, set()).add(column.name)
    return LibrarySchema(
        int(row[0]), {name: frozenset(held) for name, held in columns.items()}, tuple(collections)
    )


def _filled(column: Column) -> str:
    name = f'"{column.name}"'
    if column.type == "VARCHAR":
        return f"{name} <> ''"
    return f"len({name}) > 0" if column.type.endswith("[]") else f"{name} IS NOT NULL"


def _column(column: Column, table: Table) -> str:
    if column.name in _SHARED or column.name == table.key:
        return column.name
    if column.refers:
        return f"{column.name} -> {column.refers}"
    kind = "" if column.type in ("VARCHAR", "UUID") else f" {column.type}"
    doc = _lower(_UNTOLD.sub("", column.doc))
    said = set(doc.lower().split()) <= {"a", "the", "of", *column.name.split("_"), *table.name.split("_")}
    return f"{column.name}{kind}" if said else f"{column.name}{kind} ({doc})"


def _is_asked(column: Column, table: Table) -> bool:
    if column.name == table.key:
        return table.name == "metadata"
    return column.name not in _UNASKED and column.name not in _SHARED


def _name(column: Column) -> str:
    return column.name + (" LIST" if column.type.endswith("[]") else _KINDS.get(column.type, ""))


def _lower(doc: str) -> str:
    text = doc.rstrip(".")
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


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
    ' Read in a picture: [Evidence]: <paper id>, page <number>, seen in Figure 3: "<what you read>"\n'
    "Before you give up on what only a figure shows, look at it (ViewImage with its box)."
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
        "names": f"## Tables\n{schema.names_text()}",
        "actions": f"{', '.join(used)} (see the functions)"
        if native
        else specification(used, action_format, brief=method.brief),
        "seen": _SEEN if vision else "",
        "turn": prompt_style.turn,
        "form": _TOOLS if native else prompt_style.form,
        "turns": f"at most {max_turns} turns" if max_turns else "as many turns as you need",
    }
    template = resources.files("quire.ask").joinpath("templates", f"{method.template}.md")
    return Template(template.read_text(encoding="utf-8").strip()).substitute(slots)


def _library_schema(method: Method, schema: LibrarySchema) -> str:
    parts = [f"The library holds {schema.papers} paper{'' if schema.papers == 1 else 's'}."]
    if _DATABASE in method.actions:
        parts.append(f"## Tables\n{schema.tables_text()}")
    if _VECTORS in method.actions:
        parts.append(f"## Collections\n{schema.collections_text()}")
    return "\n\n".join(parts) + "\n\n"


def titles(library: Library, question: Question) -> Mapping[str, str]:
    """The titles of the papers that a question names, by id.

    Raises:
        QueryError: the library cannot be read.
    """
    papers = (*question.anchor_papers, *question.reference_papers)
    if not papers:
        return {}
    rows = read_view(library, "titles", papers)
    return {str(row["paper_id"]): str(row["title"] or "") for row in rows}


def question_text(question: Question, known: Mapping[str, str], shots: Sequence[str] = ()) -> str:
    """The question with all that is told of it; `shots` are earlier cases, the closest last."""
    parts = [_EARLIER, *shots] if shots else []
    if question.conversation:
        parts += ["The conversation so far, context for the question:", _render_turns(question.conversation)]
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


def _render_turns(conversation: Sequence[Exchange]) -> str:
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
