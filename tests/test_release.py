"""What is built can be installed and used: the wheel holds all that quire reads, and runs elsewhere."""

from __future__ import annotations

import os
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


def test_the_installed_package_works_elsewhere(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    environment = {
        **os.environ,
        "PYTHONPATH": str(tmp_path / "installed"),
        "QUIRE_HOME": str(tmp_path / "home"),
    }
    for arguments, wanted in (
        (["--version"], f"quire {PROJECT['project']['version']}"),
        (["parse", str(EXAMPLES / "paper-boats.pdf")], "# Paper Boats"),
    ):
        command = [sys.executable, "-m", "quire", *arguments]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment
        )
        assert done.returncode == 0, done.stderr[-2000:]
        assert wanted in done.stdout


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
