"""For all tests of properties: the same examples every time, so that what passed here passes in CI, and no
deadline, as a busy machine may be slow. To look for new examples: `pytest --hypothesis-profile=search`.

One child parses at a time: starting a second one costs more than the few small PDFs of a test, and another
process of tests has the other core.
"""

from __future__ import annotations

import os

from hypothesis import settings

os.environ["QUIRE_PARSING__WORKERS"] = "1"

settings.register_profile("quire", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
settings.load_profile("quire")
