"""Fields of a record, with errors that name file, line and field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quire.errors import TaskError


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One line of a file."""

    where: str  # "FILE, line N"
    row: Mapping[str, Any]

    def text(self, name: str, default: str | None = None) -> str:
        """A field that is a text.

        Raises:
            TaskError: it is something else, or missing without a default.
        """
        value = self.row.get(name, default)
        if not isinstance(value, str):
            raise self.error(name, "a text")
        return value

    def texts(self, *names: str) -> tuple[str, ...]:
        """The first of these fields that is there: a list of texts, or one text. Empty if none is."""
        for name in names:
            if name in self.row and self.row[name] is not None:
                value = self.row[name]
                listed = [value] if isinstance(value, str) else value
                if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
                    raise self.error(name, "a list of texts")
                return tuple(listed)
        return ()

    def error(self, name: str, wanted: str) -> TaskError:
        """What to raise for a field that is not as it should be."""
        if name not in self.row:
            return TaskError(f"{self.where}: field `{name}` is missing; it must be {wanted}.")
        kind = type(self.row[name]).__name__
        return TaskError(f"{self.where}: field `{name}` must be {wanted}, not {kind}.")
