"""Whatever the OpenAPI document allows, and what it does not: never a 500, always the one form of errors."""

from __future__ import annotations

import os
import re
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.core.result import Ok
from starlette.testclient import TestClient

from tests.app.server.conftest import Serve

EXAMPLES = int(os.environ.get("QUIRE_SCHEMATHESIS_EXAMPLES", "3"))  # per operation; raise it for a long run
API = "/api/v1"
SENT = ("method", "url", "headers", "params", "json", "files", "content")


def test_no_request_breaks_the_server(serve: Serve) -> None:
    web = serve(settings={"sql__time_limit": 1.0})
    schema = schemathesis.openapi.from_dict(web.get(f"{API}/openapi.json").json())
    met: set[str] = set()
    for found in schema.get_all_operations():
        assert isinstance(found, Ok), found
        operation = found.ok()
        met.add(operation.label)

        @settings(
            max_examples=EXAMPLES,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
            database=None,
        )
        @given(case=operation.as_strategy())
        def never_breaks(case: Any) -> None:
            answer = web.request(**request_of(case))
            assert answer.status_code < 500, (case.as_curl_command(), answer.text)
            if answer.status_code >= 400:
                assert {"type", "message"} <= set(answer.json()["error"]), case.as_curl_command()

        never_breaks()
    assert len(met) > 40


def request_of(case: Any) -> dict[str, Any]:
    """The request of a case, as the test client takes it."""
    made = case.as_transport_kwargs(base_url="http://localhost:8765")
    if isinstance(made.get("data"), bytes):
        made["content"] = made.pop("data")
    return {name: value for name, value in made.items() if name in SENT and value is not None}


def test_the_document_names_every_parameter_and_error(web: TestClient) -> None:
    document = web.get(f"{API}/openapi.json").json()
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            assert operation["summary"], path
            assert "4XX" in operation["responses"] or not path.startswith(API), f"{method} {path}"


def test_the_page_for_programs_tells_every_route_and_loads_nothing_from_elsewhere(web: TestClient) -> None:
    told = web.get("/docs").text
    document = web.get(f"{API}/openapi.json").json()
    for path, operations in document["paths"].items():
        for method in operations:
            assert f"<code>{method.upper()} {path}</code>" in told
    assert "<code>answer_schema</code>" in told
    assert not re.findall(r"""(?:src|href)=["']?(?:https?:)?//""", told)


def test_every_route_refuses_what_it_does_not_take_by_name(web: TestClient) -> None:
    document = web.get(f"{API}/openapi.json").json()
    asked = 0
    for path, operations in document["paths"].items():
        for method in operations if path.startswith(API) else ():
            told = web.request(method, f"{re.sub(r'{.*?}', '1', path)}?nobodys=1")
            assert told.status_code == 422, f"{method} {path}"
            assert "`nobodys`" in told.json()["error"]["message"], f"{method} {path}"
            asked += 1
    assert asked > 30
