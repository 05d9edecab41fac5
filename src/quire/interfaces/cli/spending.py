"""What a command took of language models, told at its end: all that was billed, failed requests too."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quire.models import Gateway


def spent_row(gateway: Gateway) -> list[dict[str, Any]]:
    """For JSON: one row for each role and model."""
    accounts = gateway.meter.ledger.items()
    return [{"role": role, "model": name, **asdict(account)} for (role, name), account in accounts]


def spent_line(gateway: Gateway) -> str:
    """One line, "" where no model was asked."""
    parts = [
        f"{role} {name} {account.requests} requests"
        + (f" ({account.failed} failed)" if account.failed else "")
        + f", ${account.usage.cost:.4f}"
        for (role, name), account in gateway.meter.ledger.items()
    ]
    return f"Spent ${gateway.meter.total.cost:.4f}: {'; '.join(parts)}." if parts else ""
