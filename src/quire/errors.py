"""Every error that quire raises on purpose.

The tree, drawn once so that a caller can choose how wide to catch:

    QuireError                      anything below
    ├── SettingsError               a setting is missing, misspelt or of the wrong type
    ├── UnknownNameError            a registry has no such entry (lists the choices)
    ├── DocumentError               a PDF could not be read
    │   ├── PasswordRequired        it is encrypted and no (or a wrong) password was given
    │   ├── NotAPdf                 it is not a PDF, or damaged beyond reading
    │   └── DocumentLimit           it ran into the time, memory or size limit of a file
    ├── LibraryError                the library folder
    │   ├── LibraryLocked           another process is writing to it (names the process)
    │   ├── LibraryDamaged          rows or vectors are missing (run `quire repair`)
    │   ├── LibraryFull             memory, the disk or a limit takes no more; nothing is damaged
    │   ├── LibraryUnsafe           it holds what quire never makes: views, links to other places
    │   ├── VectorsAway             where the vectors are does not answer (words are searched until it does)
    │   └── PaperNotFound           no paper, or several, under that name
    ├── QueryError                  what was asked of rows or vectors
    │   ├── SqlError                the SQL does not run (names the nearest table or column)
    │   ├── SqlRefused              the SQL tries something that is not reading
    │   ├── QueryLimit              time, memory, row or byte limit
    │   └── FilterError             the vector filter has a wrong field, value or syntax
    ├── EncoderUnavailable          no weights or no library for that encoder
    ├── OfflineError                --offline refused a request (names it)
    ├── ModelError                  a language model
    │   ├── ModelUnreachable        refused connection, time-out, retries used up
    │   ├── ModelRefused            wrong key, unknown model, malformed request
    │   ├── ContextOverflow         the prompt is longer than the model reads
    │   ├── ModelDeclined           the model refuses to answer
    │   ├── ContentFiltered         a filter of the endpoint withholds the prompt or the reply
    │   └── BudgetExceeded          --max-cost or a token limit
    ├── ActionError                 an action's text or arguments (an agent sees it as [Error])
    ├── AnswerFormatError           an answer is not of the asked form
    ├── RunError                    a stored run is missing or unreadable
    ├── ScoringError                a scorer could not judge (never a 0)
    ├── TaskError                   a task's data is missing or malformed (names line and field)
    └── MemoryStoreError            the memory file is missing or unreadable

A message says what happened and, where there is one, what to do next.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from quire.types.asking import Usage


class QuireError(Exception):
    """Base of all errors of quire. `hint` is what the user can do next, or an empty string.

    `kind` is its type's name, by which programs are told it.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.kind = type(self).__name__

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()

    def __reduce__(self) -> tuple[object, ...]:
        # Errors cross process borders: rebuild them with their hint.
        return (_rebuild, (type(self), self.message, self.hint))


def _rebuild(kind: type[QuireError], message: str, hint: str) -> QuireError:
    return kind(message, hint=hint)


def as_document(error: QuireError) -> dict[str, str]:
    """An error as programs are told it, by every interface."""
    return {"type": error.kind, "message": error.message, "hint": error.hint}


def as_row(error: QuireError) -> list[Any]:
    """An error for JSON, to be told to another process: type, message, hint, and what it cost."""
    usage = error.usage if isinstance(error, ModelError) else None
    return [type(error).__name__, error.message, error.hint, asdict(usage) if usage else None]


def of_row(row: Any) -> QuireError:
    """The error of such a row, of its own type; of a type that is none here, a RunError."""
    name, message, hint, usage = (*row, None)[:4]
    kind = globals().get(str(name))
    if not (isinstance(kind, type) and issubclass(kind, QuireError)):
        kind = RunError
    error: QuireError = kind(str(message), hint=str(hint))
    if usage and isinstance(error, ModelError):
        error.usage = Usage(**usage)
    return error


class SettingsError(QuireError):
    """A setting is missing, misspelt or of the wrong type."""


class UnknownNameError(QuireError, KeyError):
    """A registry has no entry of that name; the message lists the choices."""


class DocumentError(QuireError):
    """A PDF could not be read."""


class PasswordRequired(DocumentError):
    """The PDF is encrypted and no password, or a wrong one, was given."""


class NotAPdf(DocumentError):
    """The file is not a PDF or is damaged beyond reading."""


class DocumentLimit(DocumentError):
    """The PDF ran into the time, memory or size limit of a single file."""


class LibraryError(QuireError):
    """The library folder cannot be used as asked."""


class LibraryLocked(LibraryError):
    """Another process holds the library; the message names it."""


class VectorsAway(LibraryError):
    """The place where the vectors are does not answer; until it does, words are searched."""


class LibraryDamaged(LibraryError):
    """Rows or vectors are missing or do not belong together."""


class LibraryFull(LibraryError):
    """Memory, the disk or a limit does not take what should go in. What was in is whole."""


class LibraryUnsafe(LibraryError):
    """The library holds something that quire never makes and that could reach outside of it."""


class PaperNotFound(LibraryError):
    """No paper of the library, or more than one, answers to that name."""


class QueryError(QuireError):
    """A question to rows or vectors cannot be answered as asked."""


class SqlError(QueryError):
    """The SQL does not run."""


class SqlRefused(QueryError):
    """The SQL tries something other than reading the parsed views."""


class QueryLimit(QueryError):
    """The query ran into a time, memory, row or byte limit."""


class FilterError(QueryError):
    """The vector filter has a wrong field, value or syntax."""


class EncoderUnavailable(QuireError):
    """The weights or the library of an encoder are not on this machine."""


class OfflineError(QuireError):
    """A network request was refused because quire runs offline; the message names it."""


class ModelError(QuireError):
    """A language model did not give a usable completion.

    `usage` is what the endpoint bills for it, as far as is known; None where nobody counted.
    """

    usage: Usage | None = None


class ModelUnreachable(ModelError):
    """The endpoint refused, timed out, or kept failing until the retries were used up.

    `lost`: it took the request and may have billed it, but no whole reply arrived.
    """

    lost: bool = False


class ModelStopped(ModelError):
    """Its reader stopped it; `text` is what it had written by then."""

    text: str = ""


class ModelRefused(ModelError):
    """The endpoint answered that the request itself is wrong (key, model, parameters)."""


class ContextOverflow(ModelError):
    """The prompt is longer than the model can read."""


class ModelDeclined(ModelError):
    """The model declines to answer; the message holds its words."""


class ContentFiltered(ModelError):
    """A filter of the endpoint withholds the prompt or the reply: one request's failure, not the set-up's."""


class BudgetExceeded(ModelError):
    """The next call would pass the cost or token limit."""


class ActionError(QuireError):
    """An action's text or arguments are wrong; an agent sees the message as `[Error]`."""


class AnswerFormatError(QuireError):
    """An answer is not of the form that was asked for."""


class RunError(QuireError):
    """A stored run is missing or unreadable."""


class ScoringError(QuireError):
    """A scorer could not judge. Never to be read as a score of 0."""


class TaskError(QuireError):
    """A task's data is missing or malformed; the message names file, line and field."""


class MemoryStoreError(QuireError):
    """The memory file is missing, unreadable or of a newer version."""


# They would fail every further question too: who asks many stops at the first, and can resume.
ENDS_A_RUN: tuple[type[ModelError], ...] = (BudgetExceeded, ModelRefused, ModelUnreachable)
