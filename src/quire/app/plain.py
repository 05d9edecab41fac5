"""The JSON form of whatever quire returns, for every interface."""

from __future__ import annotations

import base64
import datetime
import decimal
import math
import uuid
from pathlib import Path
from typing import Any

from quire import jsontext


def plain(value: Any) -> Any:
    """The JSON form of any value that quire returns: dataclasses by field, bytes in base64."""
    return jsontext.as_json(value, _leaf)


def _leaf(value: Any) -> Any:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON knows neither NaN nor infinity
    if isinstance(value, (uuid.UUID, Path)):
        return str(value)
    if isinstance(value, (datetime.date, datetime.time, datetime.datetime)):
        return value.isoformat()
    return value.total_seconds() if isinstance(value, datetime.timedelta) else value
