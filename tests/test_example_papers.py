"""The demo's PDFs in the repository are the ones that its script writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_the_script_writes_the_papers_that_are_kept(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(EXAMPLES / "make_papers.py"), str(tmp_path)], check=True)
    kept = {file.name: file.read_bytes() for file in (EXAMPLES / "papers").glob("*.pdf")}
    written = {file.name: file.read_bytes() for file in tmp_path.glob("*.pdf")}
    assert len(kept) == 4
    assert written == kept
