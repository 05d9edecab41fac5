"""Which diagnosis was taken for which (the paper's Figure 3).

Records hold no gold, so the data folder is read again, at report time, in the process of the reader.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quire.streams.report.groups import Group

# The paper's Figure 3 shows the diseases of the upper airways.
UPPER_AIRWAYS = (
    "Acute laryngitis",
    "Acute rhinosinusitis",
    "Allergic sinusitis",
    "Chronic rhinosinusitis",
    "URTI",
    "Viral pharyngitis",
)
CONFUSED = ("zero_shot", "self_stream_icl", "mam_stream_icl")  # the methods of that figure
_OTHER = "another"


@dataclass(frozen=True, slots=True)
class Confusion:
    """`share[i][j]`: how often (0 to 1) what is `labels[i]` was called `said[j]`; `counts` per row."""

    name: str
    labels: tuple[str, ...]
    said: tuple[str, ...]
    share: tuple[tuple[float, ...], ...]
    counts: tuple[int, ...]


def confusion(one: Group, gold: Mapping[str, str], labels: Sequence[str] = UPPER_AIRWAYS) -> Confusion:
    """The matrix of some labels; answers outside them are one column.

    `gold` maps instance ids to labels as the solver writes them (a leading number is ignored).
    """
    pairs: Counter[tuple[str, str]] = Counter()
    for run in one.runs:
        for record in run.records:
            meant, said = _bare(gold.get(record.instance, "")), _bare(record.attempt.output)
            if meant in labels:
                pairs[meant, said if said in labels else _OTHER] += 1
    shown = (*labels, _OTHER)
    counts = tuple(sum(pairs[label, other] for other in shown) for label in labels)
    share = tuple(
        tuple(pairs[label, other] / total if total else 0.0 for other in shown)
        for label, total in zip(labels, counts, strict=True)
    )
    return Confusion(one.name, tuple(labels), shown, share, counts)


def _bare(label: str) -> str:
    number, dot, name = label.partition(". ")
    return name if dot and number.isdigit() else label
