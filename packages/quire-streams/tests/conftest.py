"""The same profile of properties and the same surroundings as quire's own tests have."""

import tests.conftest  # noqa: F401
