"""What is fuzzed: functions of bytes that nobody vouches for. Each may raise nothing and ends in linear time.

`benchmarks/fuzz.py` drives them by coverage; `test_corpus.py` runs what it found once more in every test run.
"""

from __future__ import annotations

import contextlib
import json
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from quire import jsontext, trust
from quire.ask.actions import load_actions
from quire.ask.answer_format import read_format
from quire.ask.chats import import_chat
from quire.ask.formats import FORMATS, Actions
from quire.ask.replies import parse_reply
from quire.ask.runs import from_lines, to_lines
from quire.errors import AnswerFormatError, FilterError, QuireError, RunError, SettingsError
from quire.pdf.assemble import assemble
from quire.pdf.raw import Edges, FileFacts, Line, RawPage, Word, make_line
from quire.search.filters import parse

Target = Callable[[bytes], None]
_TEXTS = (
    "Table 1: Results", "Figure 2.", "Abstract", "References", "[1] A. Author. On Boats. 2020.",
    "1 Introduction", "2.1", "the", "boats", "float", "10.5", "-3", "%", "x=1", "(3)", "α", "\u202e", "\x00",
    "a" * 300, "hy-", "ﬁ", "12", "Keywords:", "doi:10.1000/182", "arXiv:2001.00001v2", "10^9", "…………… 7", "|",
    "†",
)  # fmt: skip
_ACTIONS: list[Actions] = []


def filters(data: bytes) -> None:
    """A vector filter is read or refused; of what is read, every value is a parameter."""
    with contextlib.suppress(FilterError):
        condition = parse(_text(data))
        assert condition.sql.count("?") == len(condition.parameters)
        assert set("'\"") & set(condition.sql.replace("ESCAPE '\\'", "")) == set()


def replies(data: bytes) -> None:
    """A model's reply is read in every format or refused."""
    if not _ACTIONS:
        _ACTIONS.append(load_actions())
    for form in FORMATS:
        with contextlib.suppress(QuireError):
            parse_reply(_text(data), _ACTIONS[0], form)


def answers(data: bytes) -> None:
    """An answer fits its form, becomes one that JSON has, or is refused. The first line asks for the form."""
    words, _, value = _text(data).partition("\n")
    with contextlib.suppress(AnswerFormatError):
        json.dumps(read_format(words).coerce(value))
    with contextlib.suppress(ValueError):
        schema = jsontext.loads(words)
        if isinstance(schema, dict):
            with contextlib.suppress(AnswerFormatError):
                read_format("", schema).coerce(jsontext.loads(value))


def configuration(data: bytes) -> None:
    """A settings file is read or refused."""
    with contextlib.suppress(SettingsError):
        trust.needing(trust.parse(Path("quire.toml"), data))


def imports(data: bytes) -> None:
    """A recorded conversation or run is read or refused; a run that is read can be written and read again."""
    lines = _text(data).splitlines()
    with contextlib.suppress(RunError):
        import_chat(lines, "x")
    with contextlib.suppress(RunError, AttributeError, KeyError, TypeError, ValueError):
        run = from_lines(lines)
        written = list(to_lines(run))
        assert list(to_lines(from_lines(written))) == written


def pages(data: bytes) -> None:
    """Whatever stands on a page, a document comes of it."""
    take = _numbers(data)
    assemble([_page(number, take) for number in range(1, next(take) % 4 + 2)], FileFacts("fuzz", {}))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _numbers(data: bytes) -> Iterator[int]:
    yield from data[:4000]
    while True:
        yield 0


def _page(number: int, take: Iterator[int]) -> RawPage:
    lines = tuple(_line(take) for _ in range(next(take) % 40))
    rules = tuple(_edges(take) for _ in range(next(take) % 20))
    pictures = tuple(_edges(take) for _ in range(next(take) % 4))
    drawings = tuple(_edges(take) for _ in range(next(take) % 12))
    return RawPage(
        number, 4.0 * next(take) + 1, 4.0 * next(take) + 1, "", lines, rules, pictures, drawings,
        drawings, next(take) / 255,
    )  # fmt: skip


def _line(take: Iterator[int]) -> Line:
    y, x, size = 4.0 * next(take), 3.0 * next(take), next(take) / 8 + 0.1
    words = []
    for _ in range(next(take) % 8 + 1):
        text, gap = _TEXTS[next(take) % len(_TEXTS)], next(take) / 10
        flags = next(take)
        width = 0.5 * size * len(text)
        bold, italic = bool(flags & 1), bool(flags & 2)
        word = Word(text, x, y - 0.75 * size, x + width, y + 0.22 * size, y, size, bold, italic, "F")
        script, angle = (flags >> 2) % 3 - 1, (0, 90, 270, 0)[flags >> 6]
        words.append(word._replace(script=script, glued=bool(flags & 16), angle=angle))
        x += width + gap
    return make_line(words, size, y)


def _edges(take: Iterator[int]) -> Edges:
    x0, y0, width, height = (next(take) * 3.0 for _ in range(4))
    return Edges(x0, y0, x0 + width, math.floor(y0 + height / 30 if width > 300 else y0 + height))


def timed(target: Target, limit: float) -> Target:
    """A target that fails where one input takes longer, in seconds of processor time."""

    def run(data: bytes) -> None:
        start = time.process_time()
        target(data)
        took = time.process_time() - start
        assert took < limit, f"{took:.0f} s of processor time"

    return run


TARGETS: dict[str, Target] = {
    "filters": filters,
    "replies": replies,
    "answers": answers,
    "configuration": configuration,
    "imports": imports,
    "pages": pages,
}
