r"""What a model is writing, told while it writes: its thought, and its answer as the text that it will be.

    listening = Listening(print, stop=lambda: False)
    hear = listening.begin()                 # for each request anew
    hear('[Action]: GenerateAnswer(answer="Two ')   ->  Said("answer", "Two ")
    hear('of three.")')                             ->  Said("answer", "of three.")

Only texts are told as they come; a number or a list is there when the step is. What is told is a foretaste:
the step that follows says what was understood. Time is linear in the reply; of more than `_LONGEST`
characters the rest is not told. A reasoning block and a made-up observation are not told; the arguments of
native calls are not heard.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from quire.errors import ModelStopped
from quire.literals import unescape
from quire.types import Said

_LONGEST = 50_000
REASONING = "think|thinking|reasoning|thought_process|scratchpad|analysis"
"""Tags of blocks in which a model thinks aloud, as a regular expression."""
_TOKEN = re.compile(
    rf"<(?P<close>/?)(?:{REASONING})>"
    r"|(?:GenerateAnswer\s{0,9}\(\s{0,9}(?:answer\s{0,9}=\s{0,9})?|[\"']answer[\"']\s{0,9}:\s{0,9})"
    r"(?P<quote>\"\"\"|'''|[\"'])"
    r"|\[(?P<tag>Thought|Action|Evidence|Observation)[^\]\n]{0,20}\]:?[ \t]?",
    re.IGNORECASE,
)
_HELD = 60  # characters at the end that may be the beginning of a token
_OPEN_ESCAPE = re.compile(r"\\(?:[A-Za-z][A-Za-z0-9]{0,14})?")  # what follows tells what it means
_ENDS = ")}"


class Listening:
    """Passes on what replies say while they are written, until `stop` says so."""

    def __init__(
        self, on_text: Callable[[Said], None] | None = None, stop: Callable[[], bool] | None = None
    ) -> None:
        self._on_text, self._stop = on_text, stop or (lambda: False)

    def begin(self) -> Callable[[str], None]:
        """What hears the pieces of one reply; it raises ModelStopped with the reply so far."""
        reader, pieces = ReplyReader(), list[str]()

        def hear(piece: str) -> None:
            pieces.append(piece)
            for said in reader.feed(piece) if piece else ():
                if self._on_text:
                    self._on_text(said)
            self.check("".join(pieces) if self._stop() else "")

        return hear

    def check(self, written: str = "") -> None:
        """End what is under way, if that is wanted.

        Raises:
            ModelStopped: it is; holds what was `written`.
        """
        if self._stop():
            error = ModelStopped("It was stopped.")
            error.text = written
            raise error


def written_answer(reply: str) -> str:
    """The text of the answer in a reply that broke off; "" where none was begun."""
    reader = ReplyReader()
    reader.feed(reply)
    return reader.rest().strip()


class ReplyReader:
    """One reply as far as it has come. `answer` is the text of its answer so far."""

    def __init__(self) -> None:
        self.answer = ""
        self._text, self._at, self._quote = "", 0, ""
        self._depth = 0  # of reasoning blocks
        self._tag = ""

    def rest(self) -> str:
        """The answer so far with what was held back of it, where no more will come."""
        if not self._quote:
            return self.answer
        tail = self._text[self._at :]
        if (body := tail.rstrip(" \n)}")).endswith(self._quote):
            tail = body.removesuffix(self._quote)
        return self.answer + unescape(tail.rstrip("\\"))

    def feed(self, piece: str) -> list[Said]:
        """What the piece says."""
        self._text += piece[: max(_LONGEST - len(self._text), 0)]
        told: list[Said] = []
        while not self._quote and self._tag != "done" and (token := _TOKEN.search(self._text, self._at)):
            if token.end() > len(self._text) - len('""') and token["quote"] in ('"', "'"):
                break  # it may be the first of three
            told += self._thought(token.start())
            self._at = token.end()
            self._enter(token)
        if self._quote:
            told += self._spoken()
        elif self._tag != "done":
            told += self._thought(len(self._text) - _HELD)
        return told

    def _enter(self, token: re.Match[str]) -> None:
        if token["tag"]:
            self._tag = "done" if token["tag"].lower() == "observation" else token["tag"].lower()
        elif not token["quote"]:
            self._depth = max(self._depth + (-1 if token["close"] else 1), 0)
        elif not self._depth:
            self._quote = token["quote"]

    def _thought(self, end: int) -> list[Said]:
        start, self._at = self._at, max(end, self._at)
        piece = self._text[start : self._at]
        told = self._tag == "thought" and not self._depth and piece.strip()
        return [Said("thought", piece)] if told else []

    def _spoken(self) -> list[Said]:
        """The answer's text up to its quotation mark, or as far as it can be told."""
        end, closed = self._close()
        piece = unescape(self._text[self._at : end])
        self._at = end
        if closed:
            self._quote, self._tag = "", "done"
        self.answer += piece
        return [Said("answer", piece)] if piece else []

    def _close(self) -> tuple[int, bool]:
        """Where what is sure of the answer ends, and whether it is the answer's end."""
        place = self._at
        while (found := self._mark(place)) >= 0:
            if self._text[found] == "\\":
                if _OPEN_ESCAPE.fullmatch(self._text, found):
                    return found, False
                place = found + 2
                continue
            after = self._text[found + len(self._quote) : found + _HELD].strip()[:1]
            if not after:
                return found, False
            if after in _ENDS:
                return found, True
            place = found + len(self._quote)
        return max(len(self._text) - len(self._quote) + 1, self._at), False

    def _mark(self, place: int) -> int:
        marks = [self._text.find(sign, place) for sign in ("\\", self._quote)]
        return min((each for each in marks if each >= 0), default=-1)
