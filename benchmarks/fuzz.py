"""Coverage-guided fuzzing (atheris, for development only) of what reads foreign text, each for some seconds.

    python benchmarks/fuzz.py --seconds 60 [filters replies answers configuration imports pages]

Begins with the inputs of `tests/fuzz/corpus/`, each target in a process of its own. A finding is written to
`--findings` and ends its target with exit code 1: mend it, and keep the input in the corpus. `--keep` adds at
most some new inputs of each target, the smallest that reached new code.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
_LONGEST = 20_000  # bytes of an input
_SLOWEST = 20  # seconds of processor time for one
_HANGS = 300  # seconds of the clock, which a busy machine stretches
_MEMORY = 1500  # MB


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--findings", type=Path, default=Path("fuzz-findings"))
    parser.add_argument("--keep", type=int, default=0)
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    from tests.fuzz.targets import TARGETS

    failed = [
        name
        for name in options.targets or TARGETS
        if not fuzzed(name, options.seconds, options.findings, options.keep)
    ]
    sys.exit(f"findings: {', '.join(failed)}" if failed else 0)


def fuzzed(name: str, seconds: int, findings: Path, keep: int) -> bool:
    """Fuzz one target; whether nothing was found."""
    findings.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        limits = [f"-max_total_time={seconds}", f"-timeout={_HANGS}", f"-rss_limit_mb={_MEMORY}"]
        size = [f"-max_len={_LONGEST}", f"-artifact_prefix={findings}/{name}-"]
        code = (
            f"import sys; sys.path.insert(0, {str(ROOT)!r}); import atheris\n"
            "with atheris.instrument_imports(include=['quire']):\n"
            "    from tests.fuzz.targets import TARGETS\n"
            f"from tests.fuzz.targets import timed\n"
            f"atheris.Setup(sys.argv, timed(TARGETS[{name!r}], {_SLOWEST}))\natheris.Fuzz()\n"
        )
        command = [sys.executable, "-c", code, *limits, *size, folder, str(CORPUS / name)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        last = [line for line in done.stderr.splitlines() if "cov:" in line][-1:]
        runs = [line for line in done.stderr.splitlines() if line.startswith("Done ")][-1:]
        print(f"{name}: exit {done.returncode} {' '.join(last + runs)}", flush=True)
        if done.returncode:
            print("\n".join(done.stderr.splitlines()[-25:]), flush=True)
        for file in sorted(Path(folder).iterdir(), key=lambda one: one.stat().st_size)[:keep]:
            shutil.copy(file, CORPUS / name / file.name[:12])
    return done.returncode == 0


if __name__ == "__main__":
    main()
