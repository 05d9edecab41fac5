"""The JSON form of whatever quire returns, for every interface."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import decimal
import math
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def plain(value: Any) -> Any:
    """The JSON form of any value that quire returns: dataclasses by field, bytes in base64."""
    if value is None or isinstance(value, (str, int)):  # most are: long lists take half the time
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
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
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    return value
