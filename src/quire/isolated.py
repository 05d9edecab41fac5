"""Starting a Python of our own beside hostile things: no PYTHONPATH, no user's packages, no current folder.

    subprocess.Popen(command("quire.tasks.judge_child", "ddxplus", "/data"))     # runs its main()

What else a child imports must be added to its path by name, after it has sealed itself.
"""

from __future__ import annotations

import sys
from pathlib import Path

# The folder that holds the package comes last, so that nothing in it shadows anything.
ROOT = str(Path(__file__).parents[1])
_START = (
    "import importlib, sys; sys.path.append(sys.argv.pop(1)); "
    "sys.exit(importlib.import_module(sys.argv.pop(1)).main())"
)


def command(module: str, *arguments: str) -> list[str]:
    """The command line that runs `MODULE.main()` with these arguments in `sys.argv[1:]`."""
    return [sys.executable, "-I", "-c", _START, ROOT, module, *arguments]
