r"""JSON of foreign origin: bounded in size and depth, and every failure is a ValueError.

as_json(Box(0, 0, 9, 9))            ->  [0, 0, 9, 9]
of_json(Evidence, {"page": 2, ...}) ->  Evidence(page=2, ...)
loads('{"a": [1]}')                 ->  {"a": [1]}
loads("[" * 300_000)                ->  ValueError (json.loads: RecursionError)
dumps("\x9b31m")                    ->  a text that no terminal obeys, and that reads back the same
"""

from __future__ import annotations

import base64
import dataclasses
import datetime
import json
import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")

LARGEST = 64 << 20  # characters
DEEPEST = 100


# JSON escapes the control characters below 32 alone; these too move cursors, hide or turn text.
_UNSEEN = re.compile(r"[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]")


def dumps(value: Any, *, indent: int | None = None) -> str:
    """A value as JSON in readable letters; whatever does not show is escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _as_text(value: Any) -> Any:
    if isinstance(value, float):
        return value
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return value.isoformat() if isinstance(value, datetime.date | datetime.time) else str(value)


def as_json(value: Any, leaf: Callable[[Any], Any] = _as_text) -> Any:
    """The value as JSON types, dataclasses by field; half a sign (a lone surrogate) in a text becomes "?".

    `leaf` makes JSON of what is none of them, and no text or whole number: by default numbers stay as they
    are, bytes become base64, dates ISO 8601, and whatever else JSON lacks its text.
    """
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, str):  # what is whole stays: most are, and long lists take half the time
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: as_json(getattr(value, field.name), leaf) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {as_json(str(key)): as_json(each, leaf) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [as_json(each, leaf) for each in value]
    return leaf(value)


def plain(value: Any) -> Any:
    """As `as_json`, for whoever knows neither NaN nor infinity: null stands for them.

    Decimals are numbers, spans of time their seconds.
    """

    def finite(leaf: Any) -> Any:
        if isinstance(leaf, Decimal):
            leaf = float(leaf)
        if isinstance(leaf, datetime.timedelta):
            leaf = leaf.total_seconds()
        return None if isinstance(leaf, float) and not math.isfinite(leaf) else _as_text(leaf)

    return as_json(value, finite)


def of_json(kind: type[T], value: Any) -> T:
    """The dataclass that `as_json` made the value of, other dataclasses inside; unknown fields are ignored.

    Raises:
        ValueError: a field is missing or of another type; which is told in one line without signs that a
            terminal obeys.
    """
    from pydantic import ValidationError

    try:
        found: T = _adapter(kind).validate_python(value)  # type: ignore[arg-type]  # every class has a hash
    except ValidationError as error:  # whose own words are many lines, and keys of the value as they are
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ValueError(f"{place[:80]!r}: {first['msg']}") from None
    return found


@cache
def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def lines(text: str) -> list[str]:
    """The lines of a text with a JSON value in each: what else ends lines may stand in a value."""
    return text.removesuffix("\n").split("\n") if text else []


def read(path: Path, *, largest: int = LARGEST) -> Any:
    """The value in a file.

    Raises:
        ValueError: it is no regular file, too large, or not JSON within the bounds of `loads`.
        OSError: it is missing or cannot be read.
    """
    if not path.is_file() and path.exists():
        raise ValueError("it is no file")
    if path.stat().st_size > largest:
        raise ValueError(f"it is longer than {largest} bytes")
    return loads(path.read_bytes(), largest=largest)


def loads(text: str | bytes, *, strict: bool = True, largest: int = LARGEST, deepest: int = DEEPEST) -> Any:
    """The value of a JSON text. `strict=False` allows control characters in strings.

    Raises:
        ValueError: it is not JSON, longer than `largest`, or nested more than `deepest` levels.
    """
    if len(text) > largest:
        raise ValueError(f"it is longer than {largest} characters")
    try:
        value = json.loads(text, strict=strict)
    except RecursionError as error:
        raise ValueError(f"it is nested more than {deepest} levels deep") from error
    level = [value]
    for _ in range(deepest):
        level = [child for each in level for child in _children(each)]
        if not level:
            return value
    raise ValueError(f"it is nested more than {deepest} levels deep")


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
