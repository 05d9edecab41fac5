"""Under which heading does a sentence stand?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from quire.agents.offline.taking.sentences import sentences
from quire.tasks.quiz.question import QuizQuestion, Rows, as_printed

_SHORTEST, _LONGEST = 60, 260  # characters of a sentence that is quoted
_PER_SECTION = 3


def questions(rows: Rows) -> Iterator[QuizQuestion]:
    """Some sentences of each section whose heading is not another's, each said only once in the paper."""
    sections = rows.of("section_title, section_number, section_content", "sections")
    headings = [bare_heading(title, number) for title, number, _ in sections]
    known = Counter(heading.lower() for heading in headings)
    said = [sentences(content) for _, _, content in sections]
    often = Counter(sentence for each in said for sentence in each)
    for heading, each in zip(headings, said, strict=True):
        if not heading or known[heading.lower()] > 1:
            continue
        fit = [s for s in each if _SHORTEST <= len(s) <= _LONGEST and often[s] == 1 and '"' not in s]
        for sentence in fit[:_PER_SECTION]:
            ask = (
                f'Under which section heading does this paper say: "{sentence}"? Give it without its number.'
            )
            form = "Your answer should be a string."
            yield rows.question("section", ask, heading, form, evaluator=as_printed(heading))


def bare_heading(title: str, number: str) -> str:
    """The heading without its printed number."""
    return re.sub(rf"^{re.escape(number)}[.)\s]*", "", title).strip() if number else title.strip()
