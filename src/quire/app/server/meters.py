"""Counts and times of requests, as Prometheus reads them."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire.app.server.context import ServerContext

_BOUNDS = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)  # seconds


class Meters:
    """What was counted since the start. Thread-safe."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._within: Counter[tuple[str, float]] = Counter()
        self._seconds: Counter[str] = Counter()
        self._count: Counter[str] = Counter()

    def note(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answered request. `route` is the route's pattern, never what somebody sent."""
        with self._guard:
            self._requests[method, route, status] += 1
            self._count[route] += 1
            self._seconds[route] += seconds  # type: ignore[assignment]
            for bound in _BOUNDS:
                self._within[route, bound] += seconds <= bound

    def text(self, here: ServerContext) -> str:
        """All figures in Prometheus' text form."""
        lines = ["# TYPE quire_requests_total counter"]
        with self._guard:
            for (method, route, status), count in sorted(self._requests.items()):
                told = f'method="{method}",route="{route}",status="{status}"'
                lines.append(f"quire_requests_total{{{told}}} {count}")
            lines.append("# TYPE quire_request_seconds histogram")
            for route in sorted(self._count):
                for bound in _BOUNDS:
                    lines.append(_bucket(route, f"{bound:g}", self._within[route, bound]))
                lines.append(_bucket(route, "+Inf", self._count[route]))
                lines.append(f'quire_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}')
                lines.append(f'quire_request_seconds_count{{route="{route}"}} {self._count[route]}')
        waiting = here.jobs.listed(1000, running=True)
        for state in ("waiting", "running"):
            number = sum(job.state == state for job in waiting)
            lines.append(f'quire_jobs{{state="{state}"}} {number}')
        lines.append(f"quire_asks_running {here.asks.running}")
        for state in ("parsed", "encoded", "failed"):
            number = sum(paper.state == state for paper in here.library.papers())
            lines.append(f'quire_papers{{state="{state}"}} {number}')
        return "\n".join(lines) + "\n"


def _bucket(route: str, bound: str, count: int) -> str:
    return f'quire_request_seconds_bucket{{route="{route}",le="{bound}"}} {count}'
