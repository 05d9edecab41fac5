"""Replay every attack that was tried on quire: attempts, what came through, worst time and memory.

    python benchmarks/attack.py                     # all
    python benchmarks/attack.py server 25.13        # those of a module, a point, or so named

Bounded and on loopback only. Ends with 1 if anything came through.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("chosen", nargs="*", help="modules, points, parts of names; all if none")
    chosen = set(parser.parse_args().chosen)
    sys.path.insert(0, str(ROOT))
    attacks = importlib.import_module("benchmarks.attacks")
    through = 0
    print(f"{'point':8} {'attack':52} {'tried':>6} {'through':>8} {'worst s':>8} {'worst MB':>9}")
    for module in sorted(each.name for each in pkgutil.iter_modules(attacks.__path__)):
        for attack in importlib.import_module(f"benchmarks.attacks.{module}").ATTACKS:
            if chosen and not any(one in (module, attack.point) or one in attack.name for one in chosen):
                continue
            with tempfile.TemporaryDirectory(prefix="quire-attack-") as folder:
                told = attack.run(Path(folder))
            through += len(told.through)
            print(
                f"{attack.point:8} {attack.name:52} {told.attempts:6} {len(told.through):8}"
                f" {told.worst_seconds:8.2f} {told.worst_mb:9.0f}  {told.notes}"
            )
            for each in told.through[:5]:
                print(f"         came through: {each}")
    sys.exit(f"{through} came through" if through else 0)


if __name__ == "__main__":
    main()
