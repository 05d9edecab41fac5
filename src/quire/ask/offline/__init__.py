"""The offline policy: rules that read a question, act on the library, and answer or abstain.

`question/` understands what is asked, `kinds/` has one file per kind of asking, `taking/` takes answers
out of what comes back, `confidence.py` decides whether that is enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quire.registry import lazily

if TYPE_CHECKING:
    from quire.ask.offline.policy import OfflinePolicy

__all__ = ["OfflinePolicy"]

__getattr__ = lazily(__name__, {"OfflinePolicy": "policy"})
