"""A question that its papers do not answer: right is who abstains.

>>> abstain(None).value
1.0
"""

from __future__ import annotations

from typing import Any

from quire.eval.scorers.scores import is_blank, right, scorer, show, wrong
from quire.types import Score


@scorer
def abstain(prediction: Any) -> Score:
    """1 if nothing was answered. In records: `{"eval_func": "abstain"}`."""
    if is_blank(prediction):
        return right("It abstained, and there is no answer to find.")
    return wrong(f"There is no answer to find, and {show(prediction)} was answered.")
