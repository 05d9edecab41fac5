"""Errors of the OpenAI protocol as errors of quire, each saying what to do next.

| what comes back | what is raised |
|---|---|
| no connection, more than a reply may hold | ModelUnreachable, at once |
| 408, 409, 425, 429, 5xx, a broken or malformed reply | Transient (tried again, with `Retry-After`) |
| the time limit passed | TimedOut (tried again once) |
| a filter for content, status 400 | ContentFiltered |
| 400 that calls a parameter unsupported | Unsupported (tried again without it) |
| 400 or 413 about the length of the prompt | ContextOverflow |
| a redirect, 401, 403, 404, 429 for lack of credit, other 4xx | ModelRefused |
"""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from time import time
from typing import Any, Protocol

from quire import web
from quire.errors import ContentFiltered, ContextOverflow, ModelError, ModelRefused, ModelUnreachable
from quire.llm.sending import TimedOut, Transient, lost

_TOO_LONG = re.compile(
    r"context[ _-]?(length|window|size)|(maximum|max) context|prompt is too long|too many (input )?tokens"
    r"|input (is|length|tokens?).{0,40}(too long|exceed)"
    r"|exceeds?.{0,40}(token|context).{0,20}(limit|length|size)"
    r"|reduce the length of the messages",
    re.IGNORECASE,
)
_UNSUPPORTED = re.compile(
    r"unsupported|not supported|unrecognized|unknown (parameter|argument)|extra inputs", re.I
)
_FILTERED = frozenset({"content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation"})
_NAMED = re.compile(r"['\"`](\w+)['\"`]")
_PASSING = frozenset({408, 409, 425, 429})


class Headers(Protocol):
    """Fields of a head by name."""

    def get(self, name: str, /) -> str | None:
        """The field's value, if it is there."""
        ...


class Unsupported(ModelRefused):
    """The endpoint does not know a parameter, or not that value of it."""

    parameter = ""


@contextlib.contextmanager
def translated(target: object, time_limit: float, most: int) -> Iterator[None]:
    """Raise what the transport raises as errors of quire; `target` is named in the messages."""
    try:
        yield
    except web.TooSlow as error:
        raise (timed_out if error.sent else _timed_out)(target, time_limit) from error
    except web.NotConnected as error:
        raise ModelUnreachable(
            f"No connection to {target}: {error}.", hint="Is the server running, and is model.base_url right?"
        ) from error
    except web.TooLarge as error:
        told = f"{target} sends a reply of more than {most // 1_000_000} MB, or a head without end."
        raise lost(ModelUnreachable(told)) from error
    except web.WebError as error:
        raise lost(Transient(f"The connection to {target} broke off: {error}.")) from error


def timed_out(target: object, time_limit: float) -> TimedOut:
    """The error of a reply that took too long; the endpoint went on with it for all we know."""
    return lost(_timed_out(target, time_limit))


def _timed_out(target: object, time_limit: float) -> TimedOut:
    return TimedOut(
        f"{target} did not reply within {time_limit:g} seconds.",
        hint="Raise model.time_limit, or ask for less.",
    )


def of_reply(target: object, status: int, data: bytes, headers: Headers) -> ModelError:
    """The error of a reply with an error status, from as much of its body as was read."""
    if 300 <= status < 400:
        where = (headers.get("location") or "")[:200]
        return ModelRefused(
            f"{target} sends requests on to `{where}`; quire sends your text only where you said.",
            hint="If that is right, set model.base_url to it.",
        )
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        body = data[:2000].decode("utf-8", "replace")
    return of_status(target, status, body.get("error", body) if isinstance(body, dict) else body, headers)


def of_status(target: object, status: int, body: object, headers: Headers) -> ModelError:
    """The error of an answer with an error status."""
    detail = body if isinstance(body, Mapping) else {}
    message = detail.get("message") or detail.get("error") or detail.get("detail") or body
    said = " ".join(str(message or "no reason given").split())[:500]
    code = str(detail.get("code") or detail.get("type") or "")
    if status in (400, 403, 422) and _FILTERED & _codes(detail):
        return ContentFiltered(f"A filter of {target} refuses the prompt: {said}")
    if status in (400, 413, 422) and (
        status == 413 or code == "context_length_exceeded" or _TOO_LONG.search(said)
    ):
        return ContextOverflow(
            f"The prompt is longer than {target} reads: {said}",
            hint="Lower agent.window or observations.max_tokens.",
        )
    if status in (400, 422) and (parameter := _unsupported(detail, said)):
        unsupported = Unsupported(f"{target} refuses the request: {said}")
        unsupported.parameter = parameter
        return unsupported
    if code == "insufficient_quota":
        return ModelRefused(f"The account of {target} has no credit left: {said}")
    if status in _PASSING or status >= 500:
        passing = Transient(f"{target} answered with status {status}: {said}")
        passing.retry_after = retry_after(headers)
        passing.lost = status == 408  # it worked on the request until its own time was up
        return passing
    return ModelRefused(
        f"{target} refuses the request with status {status}: {said}", hint=_HINTS.get(status, "")
    )


_HINTS = {
    401: "Is OPENAI_API_KEY right for this endpoint?",
    403: "This key may not use that model.",
    404: "Is the model's name right, and is it offered by this endpoint (model.name, model.base_url)?",
}


def _codes(detail: Mapping[str, Any]) -> set[str]:
    inner = detail.get("innererror")
    said = [detail.get("code"), detail.get("type"), inner.get("code") if isinstance(inner, Mapping) else None]
    return {code for code in said if isinstance(code, str)}


def _unsupported(detail: Mapping[str, Any], said: str) -> str:
    if not (_UNSUPPORTED.search(said) or str(detail.get("code", "")).startswith("unsupported")):
        return ""
    if isinstance(named := detail.get("param"), str) and named:
        return named.partition(".")[0]
    found = _NAMED.search(said)
    return found.group(1) if found else ""


def retry_after(headers: Headers) -> float | None:
    """The seconds that `Retry-After` (seconds or a date) or `retry-after-ms` asks for."""
    for name, divisor in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        with contextlib.suppress(ValueError):
            if math.isfinite(seconds := float(headers.get(name) or "") / divisor):
                return seconds
    with contextlib.suppress(ValueError, TypeError, OverflowError):
        return parsedate_to_datetime(headers.get("retry-after") or "").timestamp() - time()
    return None
