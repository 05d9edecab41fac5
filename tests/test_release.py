"""What is built can be installed and used: the wheel holds all that quire reads, and runs elsewhere."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples" / "papers"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of quire, built without network."""
    folder = tmp_path_factory.mktemp("dist")
    program = f"import hatchling.build; print(hatchling.build.build_wheel({str(folder)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=ROOT
    )
    if "No module named 'hatchling'" in done.stderr:
        pytest.skip("hatchling is not installed")
    assert done.returncode == 0, done.stderr[-2000:]
    (built,) = folder.glob("quire-*.whl")
    return built


def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if name.startswith("quire/")}
    wanted = {
        str(path.relative_to(ROOT / "src"))
        for path in (ROOT / "src" / "quire").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert wanted - held == set()
    assert wheel.stat().st_size < 36e6


def test_the_installed_package_works_elsewhere(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Commands, page and tools, as `make release` tries them in an environment of their own."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "installed"))
    monkeypatch.setenv("QUIRE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("QUIRE_OFFLINE", "1")
    monkeypatch.setenv("QUIRE_INDEX__ENCODERS", '["text_bm25_en"]')
    place = [sys.executable, "-c", "import quire; print(quire.__file__)"]
    assert str(tmp_path) in subprocess.run(place, capture_output=True, text=True, check=True).stdout
    tried = runpy.run_path(str(ROOT / "examples" / "try_install.py"))
    boats, library = str(EXAMPLES / "paper-boats.pdf"), ["--library", str(tmp_path / "library")]
    assert f"quire {PROJECT['project']['version']}" in tried["ran"]("--version")
    assert "# Paper Boats" in tried["ran"]("parse", boats)
    assert "1 added" in tried["ran"]("add", boats, *library)
    tried["page"](library)
    tried["tools"](library)
    assert "ok: mcp tools/list" in capsys.readouterr().out


def test_versions_agree() -> None:
    import quire

    part = (ROOT / "packages" / "quire-streams" / "pyproject.toml").read_text(encoding="utf-8")
    found = {told["project"]["version"] for told in (tomllib.loads(part), PROJECT)}
    assert found == {quire.__version__}
    assert f"## {quire.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"version: {quire.__version__}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["openai", "torch", "onnx", "sentence-transformers", "litellm"])
def test_the_default_install_asks_for_nothing_that_clashes_or_is_large(name: str) -> None:
    wanted = PROJECT["project"]["dependencies"]
    assert not [line for line in wanted if line.split(">")[0].split("[")[0].strip() == name]
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert f"\n{name}==" not in lock


def instructions() -> list[list[str]]:
    """The Dockerfile's lines as words, those that go on joined, comments left out."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    return [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def test_the_dockerfile_keeps_to_what_linters_ask() -> None:
    """Known instructions, pinned images, no shell where none is wanted, nothing left of downloads."""
    lines = instructions()
    known = "FROM WORKDIR COPY RUN USER ENV VOLUME EXPOSE HEALTHCHECK CMD".split()
    assert {words[0] for words in lines} <= set(known)
    assert lines[0][0] == "FROM"
    stages = {words[3] for words in lines if words[0] == "FROM" and len(words) > 2}
    assert all(re.fullmatch(r"[\w/.-]+:[\w.-]+", words[1]) for words in lines if words[0] == "FROM")
    sources = [word for words in lines for word in words if word.startswith("--from=")]
    assert {source.removeprefix("--from=") for source in sources} == stages
    assert all(words[1].startswith("/") for words in lines if words[0] in ("WORKDIR", "VOLUME"))
    runs = [" ".join(words[1:]) for words in lines if words[0] == "RUN"]
    assert all("--no-cache-dir" in run for run in runs if "pip install" in run)
    assert not any(word in run for run in runs for word in ("sudo", "curl", "apt-get upgrade", "chmod 777"))
    last = len(lines) - 1 - [words[0] for words in lines][::-1].index("FROM")
    end = [words[0] for words in lines[last:]]
    assert [end.count(word) for word in ("USER", "CMD", "HEALTHCHECK")] == [1, 1, 1]
    assert end.index("USER") > max(at for at, word in enumerate(end) if word in ("COPY", "RUN"))
    for words in lines:
        if words[0] in ("CMD", "HEALTHCHECK"):
            json.loads(" ".join(words).partition("CMD ")[2])


def test_the_dockerfile_is_of_this_quire() -> None:
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    named = {
        word
        for line in lines
        if line.startswith("COPY") and "--from" not in line
        for word in line.split()[1:-1]
    }
    assert all((ROOT / name).exists() for name in named)
    assert any(line.startswith("USER ") and "root" not in line for line in lines)
    assert not [line for line in lines if ":latest" in line or line.startswith("ADD ")]
