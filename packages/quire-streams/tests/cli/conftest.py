"""The command line, as in the tests of quire."""

from tests.app.cli.conftest import apart, quire
from tests.conftest import filled

__all__ = ["apart", "filled", "quire"]
