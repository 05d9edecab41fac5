"""The text that tells a model which actions it has, made from the actions' own docs.

`specification(actions, "markdown")` is prompt text: per action its signature, what it does, its
parameters, and an example in the format that the model is to write. `tool_schemas(actions)` is the same
for native tool calls, in the JSON layout of OpenAI-compatible endpoints.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from quire.ask.actions import Action, Parameter, description, parameters, signature
from quire.ask.formats import render_call
from quire.types import Call


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
