"""Made-up prose in several languages: sentences, titles, names, from small word lists.

    voice = Voice("en", random.Random(1))
    voice.sentence()        # 'However, adaptive estimators exceed previous estimates by 12.4%.'

Nothing is copied from any paper. `languages.json` holds the lists: whole phrases, so that any two agree.
"""

from __future__ import annotations

import functools
import json
import random
from pathlib import Path
from typing import Any

_SPECIAL = {"%": r"\%", "&": r"\&", "#": r"\#", "_": r"\_", "±": r"$\pm$", "<": "$<$"}


@functools.cache
def _languages() -> dict[str, Any]:
    table: dict[str, Any] = json.loads((Path(__file__).parent / "languages.json").read_text("utf-8"))
    return table


def escaped(text: str) -> str:
    """Plain text as LaTeX."""
    return "".join(_SPECIAL.get(c, c) for c in text)


class Voice:
    """One language and one stream of chance."""

    def __init__(self, language: str, rng: random.Random) -> None:
        self.rng = rng
        self.language = language
        self.words = _languages()[language]

    def one(self, key: str) -> str:
        """A phrase of a list."""
        return str(self.rng.choice(self.words[key]))

    def label(self, key: str) -> str:
        """A fixed word, as "abstract" or "references"."""
        return str(self.words[key])

    def _fill(self, pattern: str) -> str:
        rng = self.rng
        values = {
            "{s}": lambda: self.one("subjects"), "{v}": lambda: self.one("verbs"), "{o}": lambda: self.one("objects"),
            "{t}": lambda: self.one("topics"), "{u}": lambda: self.one("objectsOf"),
            "{i}": lambda: str(rng.randint(12, 900)), "{d}": lambda: str(rng.randint(1, 9)),
            "{f}": lambda: f"{rng.uniform(0.5, 99):.1f}", "{y}": lambda: str(rng.randint(1975, 2023)),
        }  # fmt: skip
        for slot, value in values.items():
            while slot in pattern:
                pattern = pattern.replace(slot, value(), 1)
        return pattern

    def clause(self) -> str:
        """Subject, verb, object, and what may follow, without the full stop."""
        space = self.words["space"]
        text = space.join(self.one(k) for k in ("subjects", "verbs", "objects"))
        text = self.one("links") + text + self._fill(self.one("tails"))
        if self.rng.random() < 0.15:
            text += self._fill(self.one("tails"))
        return text[0].upper() + text[1:]

    def sentence(self) -> str:
        """One whole sentence."""
        return self.clause() + self.words["end"]

    def prose(self, count: int) -> str:
        """Several sentences."""
        return str(self.words["space"]).join(self.sentence() for _ in range(count))

    def title(self) -> str:
        """A title of a paper or of a cited work."""
        text = self._fill(self.one("titles"))
        return text[0].upper() + text[1:]

    def people(self, count: int) -> list[tuple[str, str]]:
        """First and last names, no last name twice."""
        lasts = self.rng.sample(self.words["last"], min(count, len(self.words["last"])))
        middle = self.language in ("en", "de", "fr")
        return [
            (
                self.one("first")
                + (f" {self.rng.choice('ABHKLM')}." if middle and self.rng.random() < 0.25 else ""),
                n,
            )
            for n in lasts
        ]

    def name(self, person: tuple[str, str]) -> str:
        """A name as printed in this language."""
        return (
            person[1] + person[0]
            if self.language == "zh"
            else (f"{person[1]} {person[0]}" if self.language == "ja" else f"{person[0]} {person[1]}")
        )
