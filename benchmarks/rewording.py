"""The same questions in other words: several wordings for each thing that a quiz asks.

    python benchmarks/rewording.py QUIZ.jsonl > other.jsonl && quire eval other.jsonl

Questions in the AirQA layout are recognised by what each asks, and written anew in every wording below: other
verbs, other order, other names for things, typing errors, without quotation marks. Gold and evaluator stay;
the wording is one more tag, so that `quire eval` tells each apart. Nothing in quire knows these wordings.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from natural import read_lines

# What a question asks, by a pattern that takes its parts, and the other wordings of it.
WORDINGS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        r"^Who is the first author",
        (
            "Give the name of the person listed first among the authors.",
            "Name the lead author, in full.",
            "Whose name comes first in the list of authors?",
            "Which writer is named first on the title page?",
            "Frist author of the article?",
        ),
    ),
    (
        r"^How many authors",
        (
            "By how many people was this article written?",
            "What is the number of authors?",
            "Count the authors of this publication.",
            "How many researchers signed this paper as autors?",
        ),
    ),
    (
        r"^What is the DOI",
        (
            "Give me the digital object identifier of this article, beginning with 10.",
            "Which DOI does the paper carry?",
            "I need the doi to cite this study.",
            "doi?",
        ),
    ),
    (
        r"^How many entries does the reference list",
        (
            "How many works are cited in the bibliography?",
            "What is the total number of references?",
            "Count the items in the list of references.",
            "How long is the bibliography, in entries?",
            "How many refrences are listed at the end?",
        ),
    ),
    (
        r"^What is the title of the work listed as reference \[(?P<n>\d+)\]",
        (
            "Which title does bibliography item {n} have?",
            "What is reference number {n} called?",
            "Name the article cited as [{n}].",
            "In the list of references, what is the title of entry {n}?",
            "Ref. {n}: what is its title?",
        ),
    ),
    (
        r"^In which year was reference \[(?P<n>\d+)\]",
        (
            "When did the work cited as [{n}] appear?",
            "What is the publication year of entry {n} in the bibliography?",
            "Reference no. {n} dates from which year?",
            "Year of ref {n}?",
        ),
    ),
    (
        r"^Which (?P<what>table|figure) of this paper has the caption that begins \"(?P<quote>.*)\"\?",
        (
            'Tell me the label of the {what} captioned "{quote}..."',
            'Which is the number of the {what} whose legend starts with "{quote}"?',
            "There is a {what} with the caption '{quote}'. What is it labelled?",
            'The words "{quote}" open the caption of one {what}. Which one?',
        ),
    ),
    (
        r"^In (?P<table>.*?), what is the value in the column \"(?P<col>.*)\" "
        r"for the row \"(?P<row>.*)\"\? Give",
        (
            'What does {table} report for "{row}" under "{col}"?',
            'Look up the row "{row}" of {table}: which entry stands in its "{col}" column?',
            'According to {tab}, what is the "{col}" of "{row}"?',
            'Find the cell of {table} where the line "{row}" meets the header "{col}".',
            "Which {col} does {table} list for {row}?",
        ),
    ),
    (
        r"^Under which section heading does this paper say: \"(?P<quote>.*)\"\? Give",
        (
            'In what section can one read "{quote}"?',
            'The sentence "{quote}" belongs to which part of the paper?',
            'Name the heading under which this statement is found: "{quote}"',
            'Where in the article is it written that "{quote}"? Name the section.',
        ),
    ),
    (
        r"^What does the abbreviation \"(?P<short>.*)\" stand for",
        (
            "What is {short} short for?",
            'Spell out the acronym "{short}" as the authors use it.',
            "What is the meaning of {short} in this article?",
            "Give the full form of {short}.",
            'Expand "{short}".',
        ),
    ),
    (
        r"^Fill the gap with the number that this paper gives: \"(?P<quote>.*)\"$",
        (
            'Which number is missing here: "{quote}"',
            'Complete this sentence of the paper: "{quote}"',
            "What number belongs in the blank? {quote}",
            'In the sentence "{blank}", what value was left out?',
        ),
    ),
)


def reworded(records: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Every question in every other wording."""
    for record in records:
        for pattern, wordings in WORDINGS:
            match = re.search(pattern, record["question"])
            if match:
                for number, wording in enumerate(wordings):
                    text, tags = wording.format(**_parts(match)), [*record["tags"], wording]
                    yield {**record, "question": text, "uuid": f"{record['uuid']}-{number}", "tags": tags}


def _parts(match: re.Match[str]) -> dict[str, str]:
    parts = dict(match.groupdict())
    if "table" in parts:
        parts["tab"] = parts["table"].replace("Table", "Tab.")
    if "quote" in parts:
        parts["blank"] = parts["quote"].replace("____", "[...]")
    return parts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("quiz", type=Path)
    for each in reworded(read_lines(parser.parse_args().quiz)):
        print(json.dumps(each, ensure_ascii=False))


if __name__ == "__main__":
    main()
