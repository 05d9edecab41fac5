"""What encodes on this machine tells nobody, and leaves nothing outside its folders."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.search.tiny_models import bert_folder

_ENCODE = """
import sys
from pathlib import Path
from quire.search.encoders.transformer import TransformerEncoder
TransformerEncoder("tiny", Path(sys.argv[1])).encode(["hello"])
"""


def test_onnxruntime_writes_no_device_id(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    folders = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "XDG_DATA_HOME": str(home / "data")}
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("ORT_")}
    model = bert_folder(tmp_path / "model")
    command = [sys.executable, "-c", _ENCODE, str(model)]
    subprocess.run(command, env={**inherited, **folders}, check=True, timeout=60)
    assert not [path for path in home.rglob("*") if "onnxruntime" in path.name or path.name == "Microsoft"]
