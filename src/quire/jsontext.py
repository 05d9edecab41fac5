"""JSON of foreign origin: bounded in size and depth, and every failure is a ValueError.

loads('{"a": [1]}')                 ->  {"a": [1]}
loads("[" * 300_000)                ->  ValueError (json.loads: RecursionError)
"""

from __future__ import annotations

import json
from typing import Any

LARGEST = 64 << 20  # characters
DEEPEST = 100


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
