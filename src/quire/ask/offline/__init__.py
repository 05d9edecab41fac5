"""The offline policy: rules that read a question, act on the library, and answer or abstain.

`question` understands what is asked, by the words of `lexicon`; `kinds/` are the rules, `plan` says how one
works and when its finding is enough. What no rule explains is `searched`: `extract/` takes a number out of
the `evidence`, `headline` judges it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quire.registry import lazily

if TYPE_CHECKING:
    from quire.ask.offline.policy import OfflinePolicy

__all__ = ["OfflinePolicy"]

__getattr__ = lazily(__name__, {"OfflinePolicy": "policy"})
