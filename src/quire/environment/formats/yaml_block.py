"""Actions as a YAML block.

    action_type: ClassicRetrieve
    parameters:
      query: dropout

Aliases are refused (a few lines of them can name gigabytes) and dates stay text.
"""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import islice
from typing import Any

from quire.environment.formats.base import (
    MAX_CANDIDATES,
    TAG,
    Actions,
    Found,
    all_parameters,
    from_mapping,
    known,
    next_tag,
)
from quire.environment.formats.lenient import lenient_arguments
from quire.literals import speak, unescape
from quire.types import Call

_HEAD = (
    r"[ \t]{0,99}(?:-[ \t]{1,9})?"
    r"(?:(?:action_type|action_name|action|tool|name|function)[ \t]{0,9}:"
    r"|[A-Z]\w{2,60}[ \t]{0,9}:[ \t]{0,99}$)"
)
_START = re.compile(_HEAD, re.MULTILINE)
_LINE_START = re.compile(f"^{_HEAD}", re.MULTILINE)
_EXPONENT = re.compile(r"^[-+]?[0-9]+[eE][-+]?[0-9]+$")
_NAMED = re.compile(
    r"(?:action_type|action_name|action|tool|name|function)\s{0,9}:\s{0,9}[\"']?([\w ]{3,60})"
)
_GOES_ON = re.compile(r"[ \t]|$|[\]}\"'-]|[\w ]{1,60}:")
_NOT_PLAIN = re.compile(r"[^\x20-\x7e]")
_MAX_CHARACTERS = 20_000  # of all blocks of a reply: PyYAML takes a second for 50 000


class YamlBlock:
    """The format `yaml`."""

    def render(self, call: Call) -> str:
        """Block style; values in JSON notation, which YAML contains and which never breaks a line."""
        lines = [f"action_type: {call.name}", "parameters:" if call.arguments else "parameters: {}"]
        lines += [f"  {name}: {_flow(value)}" for name, value in call.arguments.items()]
        return "\n".join(lines)

    def find(self, text: str, actions: Actions) -> list[Found]:
        """All blocks that describe a call."""
        found: list[Found] = []
        left = _MAX_CHARACTERS
        for start in _starts(text):
            if found and start < found[-1].end:
                continue
            source = _block(text, start, left)
            left -= len(source)
            call = from_mapping(_load(source), actions) if source else None
            if call:
                found.append(Found(start, start + len(source), call))
        return found

    def guess(self, text: str, actions: Actions) -> list[Found]:
        """A block that YAML cannot read."""
        for match in _NAMED.finditer(text):
            name = known(match[1].strip(), actions)
            if name:
                end = next_tag(text, match.end())
                inside = text[match.end() : end]
                arguments = lenient_arguments(inside, all_parameters(actions), separator=":", closers="")
                return [Found(match.start(), end, Call(name, arguments))] if arguments else []
        return []


def _starts(text: str) -> list[int]:
    """Where a block may begin: at a line's start or after a tag."""
    lines = {match.start() for match in islice(_LINE_START.finditer(text), MAX_CANDIDATES)}
    tags = (match.end() for match in islice(TAG.finditer(text), MAX_CANDIDATES))
    return sorted(lines | {end for end in tags if _START.match(text, end)})[:MAX_CANDIDATES]


def _flow(value: Any) -> str:
    # JSON is YAML but for its surrogate pairs and for characters that YAML wants escaped.
    text = speak(json.dumps(value, ensure_ascii=False))
    return _NOT_PLAIN.sub(lambda match: f"\\U{ord(match[0]):08x}", text)


def _block(text: str, start: int, most: int) -> str:
    """The lines from `start` that can belong to one YAML mapping; "" if they are more than can be read."""
    lines = text[start : start + most + 1].split("\n")
    kept = [lines[0]]
    for line in lines[1:]:
        if TAG.match(line) or not _GOES_ON.match(line):
            break
        kept.append(line)
    block = "\n".join(kept).rstrip()
    return block if len(block) <= most else ""


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


@cache
def _plain_loader() -> Any:
    """A safe loader without dates, sets and other types that JSON lacks, and with JSON's floats.

    Double-quoted text keeps its escapes until `unescape` reads them as a model means them.
    """
    import yaml

    own = {"ESCAPE_REPLACEMENTS": _AsWritten(), "ESCAPE_CODES": {}}
    Loader: Any = type("Loader", (yaml.SafeLoader,), own)

    def text(loader: Any, node: Any) -> str:
        value: str = loader.construct_scalar(node)
        return unescape(value) if node.style == '"' else value

    Loader.add_constructor("tag:yaml.org,2002:str", text)
    Loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in rules if not tag.endswith(":timestamp")]
        for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    # YAML 1.1, which PyYAML reads, takes 2e-06 for a text: its floats need a dot.
    Loader.add_implicit_resolver("tag:yaml.org,2002:float", _EXPONENT, list("-+0123456789"))
    return Loader


class _AsWritten(dict[str, str]):
    """Every escape but that of a line break stands for itself."""

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key not in "\r\n\x85\u2028\u2029\0"

    def __missing__(self, key: str) -> str:
        return f"\\{key}"
