"""A question in another language than the papers, told in words.

remark(foreign("Wie viele Patienten nahmen an der Studie teil?"), {"en"})
"""

from __future__ import annotations

import re
from collections.abc import Set

_NAMES = {
    "ar": "Arabic", "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "fr": "French",
    "he": "Hebrew", "hi": "Hindi", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch",
    "pt": "Portuguese", "ru": "Russian", "th": "Thai", "zh": "Chinese",
}  # fmt: skip
# Words that open questions: too rare in papers for `find_language` to count them.
_ASKING = {
    "de": "wie wieviel wieviele viele was welche welcher welches welchen warum weshalb wer wo wann wurde "
    "wurden haben hat waren ist sind gibt",
    "es": "cuántos cuántas cuánto cuánta qué cuál cuáles por quién dónde cuándo cómo fueron fue hubo son",
    "fr": "combien quel quelle quels quelles pourquoi comment qui quand où quoi ont été était étaient sont",
    "it": "quanti quante quanto quanta quale quali perché chi dove quando come sono stati stato furono",
    "nl": "hoeveel welke wat waarom wie waar wanneer hoe werden werd hebben heeft zijn",
    "pt": "quantos quantas quanto qual quais porquê quem onde quando como foram foi são",
}
_LISTS = {code: frozenset(words.split()) for code, words in _ASKING.items()}
_ENGLISH = frozenset(
    "what which who whose why how when where was were is are did does do the of in many much a an to".split()
)


def language_of(question: str) -> str:
    """The language of a question, "" if it cannot be told."""
    words = re.findall(r"[^\W\d_]+", question.lower())
    if sum(word in _ENGLISH for word in words) >= 2:
        return "en"
    counts = {code: sum(word in known for word in words) for code, known in _LISTS.items()}
    best = max(sorted(counts), key=lambda code: counts[code])
    if counts[best] >= 2:
        return best
    from quire.pdf.front.imprint import find_language  # few questions need the room that reads PDFs

    return find_language(question)


def foreign(question: str) -> str:
    """The language of a question that is not in English, "" for English or where it cannot be told."""
    asked = language_of(question)
    return "" if asked == "en" else asked


def remark(asked: str, papers: Set[str]) -> str:
    """What to tell who asks in a language that none of the papers is in; "" if there is nothing to tell."""
    if asked in papers or not papers:
        return ""
    written = ", ".join(sorted(_NAMES.get(code, code) for code in papers))
    return (
        f"The question seems to be in {_NAMES.get(asked, asked)}, the papers are in {written}: ask in the "
        "language of the papers. The search by meaning reads English only."
    )
