"""When a finding is good enough to be an answer.

A wrong answer given as certain is worse than none, so below `ENOUGH` the policy abstains and shows the
closest passages. The threshold was chosen on benchmarks/answering.py: see docs/log.md.
"""

from __future__ import annotations

from quire.agents.offline.plan import Finding

ENOUGH = 0.55
FITTING = 0.3  # how well a kind must fit the question to be tried at all


def is_enough(finding: Finding) -> bool:
    """Whether to answer with it."""
    return finding.value is not None and finding.confidence >= ENOUGH
