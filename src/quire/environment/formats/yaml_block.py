"""Actions as a YAML block.

    action_type: ClassicRetrieve
    parameters:
      query: dropout

Aliases are refused (a few lines of them can name gigabytes) and dates stay text.
"""

from __future__ import annotations

import json
import re
from typing import Any

from quire.environment.formats.base import MAX_CANDIDATES, Actions, Found, all_parameters, from_mapping, known
from quire.environment.formats.loose import loose_arguments
from quire.types import Call

_START = re.compile(
    r"^[ \t]*(?:-\s+)?(?:(?:action_type|action_name|action|tool|name|function)\s*:|[A-Z]\w{2,60}\s*:\s*$)",
    re.MULTILINE,
)
_EXPONENT = re.compile(r"[-+]?[0-9]+[eE][-+]?[0-9]+$")
_NAMED = re.compile(r"(?:action_type|action_name|action|tool|name|function)\s*:\s*[\"']?([\w ]{3,60})")
_NOT_PLAIN = re.compile(r"[^\x20-\x7e]")
_MAX_CHARACTERS = 20_000
_TRIES = 6  # lines of trailing text that are taken off one by one


class YamlBlock:
    """The format `yaml`."""

    def render(self, call: Call) -> str:
        """Block style; values in JSON notation, which YAML contains and which never breaks a line."""
        lines = [f"action_type: {call.name}", "parameters:" if call.arguments else "parameters: {}"]
        lines += [f"  {name}: {_flow(value)}" for name, value in call.arguments.items()]
        return "\n".join(lines)

    def find(self, text: str, actions: Actions) -> list[Found]:
        """All blocks that describe a call."""
        starts = [match.start() for match in _START.finditer(text)][:MAX_CANDIDATES]
        found: list[Found] = []
        for number, start in enumerate(starts):
            if found and start < found[-1].end:
                continue
            limit = starts[number + 1] if number + 1 < len(starts) else len(text)
            for end in dict.fromkeys((len(text), limit)):
                read = _block(text[start:end], actions)
                if read:
                    found.append(Found(start, start + read[1], read[0]))
                    break
        return found or _loosely(text, actions)


def _flow(value: Any) -> str:
    # JSON is YAML but for its surrogate pairs and for characters that YAML wants escaped.
    text = json.dumps(value, ensure_ascii=False)
    return _NOT_PLAIN.sub(lambda match: f"\\U{ord(match[0]):08x}", text)


def _block(text: str, actions: Actions) -> tuple[Call, int] | None:
    fence = text.find("\n```")
    lines = text[: fence if fence >= 0 else len(text)][:_MAX_CHARACTERS].rstrip().split("\n")
    for drop in range(min(_TRIES, len(lines))):
        source = "\n".join(lines[: len(lines) - drop])
        call = from_mapping(_load(source), actions)
        if call:
            return call, len(source)
    return None


def _load(source: str) -> Any:
    import yaml

    if re.search(r"(?:^|[\s\[,:-])[&*]\w", source) and _has_alias(source):
        return None
    try:
        return yaml.load(source, Loader=_plain_loader())
    except (yaml.YAMLError, ValueError, TypeError, RecursionError, AttributeError):
        return None


def _has_alias(source: str) -> bool:
    import yaml

    try:
        return any(isinstance(token, yaml.AliasToken) for token in yaml.scan(source))
    except (yaml.YAMLError, ValueError, RecursionError):
        return True


def _plain_loader() -> Any:
    """A safe loader without dates, sets and other types that JSON lacks, and with JSON's floats."""
    import yaml

    class Loader(yaml.SafeLoader):
        pass

    Loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in rules if not tag.endswith(":timestamp")]
        for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    # YAML 1.1, which PyYAML reads, takes 2e-06 for a text: its floats need a dot.
    Loader.add_implicit_resolver("tag:yaml.org,2002:float", _EXPONENT, list("-+0123456789"))
    return Loader


def _loosely(text: str, actions: Actions) -> list[Found]:
    for match in _NAMED.finditer(text):
        name = known(match[1].strip(), actions)
        if name:
            rest = text[match.end() :]
            arguments = loose_arguments(rest, all_parameters(actions), separator=":", closers="")
            return [Found(match.start(), len(text), Call(name, arguments))] if arguments else []
    return []
