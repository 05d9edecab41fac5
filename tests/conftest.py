"""For all tests of properties: the same examples every time, so that what passed here passes in CI, and no
deadline, as a busy machine may be slow. To look for new examples: `pytest --hypothesis-profile=search`.
"""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("quire", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
settings.load_profile("quire")
