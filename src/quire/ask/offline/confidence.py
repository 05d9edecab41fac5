"""When a finding is good enough to be an answer.

A wrong answer given as certain is worse than none, so below these the policy shows evidence. The thresholds
were chosen on benchmarks/answering.py and training/answers/train.py: see docs/log.d/answering.md.
"""

from __future__ import annotations

from quire.ask.offline.plan import Finding

ENOUGH = 0.55  # for what a rule found that explains the question
SURE = 0.7  # for what is taken out of a passage: the calibrated rate of right answers
FITTING = 0.3  # how well a kind must fit the question to be tried at all


def is_enough(finding: Finding) -> bool:
    """Whether to answer with it."""
    return finding.value is not None and finding.confidence >= ENOUGH
