"""The language model chosen over REST: kept in the user's own settings, its key told to nobody."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest

from quire.app.server.keys import Keys
from tests.app.server.conftest import Serve
from tests.llm.server import say, serving

API = "/api/v1/models"


def test_a_model_is_chosen_tried_and_kept_and_its_key_never_told(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUIRE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "quire.toml").write_text('[index]\nprecision = "int8"  # mine\n')
    web = serve()
    assert web.get(API).json()["name"] == ""
    with serving([say("I am here.")]) as model:
        body = {"name": "tiny", "base_url": model.url, "max_cost": 0.0, "key": "sk-secret"}
        told = web.put(API, json=body)
        assert told.json() == {
            "name": "tiny",
            "base_url": model.url,
            "max_cost": 0.0,
            "spent": 0.0,
            "key": True,
        }
        tried = web.post(f"{API}/try", json={})
        assert tried.status_code == 200, tried.text
        assert tried.json()["said"] == "I am here."
        assert model.headers[0]["authorization"] == "Bearer sk-secret"
    kept = (tmp_path / "home" / "quire.toml").read_text()
    assert tomllib.loads(kept)["model"] == {"name": "tiny", "base_url": model.url, "max_cost": 0.0}
    assert "# mine" in kept
    shown = told.text + tried.text + web.get(API).text + web.get("/model").text + kept
    assert "sk-secret" not in shown
    assert "tiny" in web.get("/model").text
    assert "tiny answers" in web.get("/ask").text
    assert web.put(API, json={"name": "", "key": ""}).json()["name"] == ""
    assert "OPENAI_API_KEY" not in os.environ
    assert "Rules on this machine answer" in web.get("/ask").text


@pytest.mark.parametrize(
    "wrong", [{"base_url": "file:///etc/passwd"}, {"max_cost": -1}, {"key": "a b"}, {"model": "x"}]
)
def test_what_is_no_setting_is_refused(serve: Serve, wrong: dict[str, object]) -> None:
    assert serve().put(API, json=wrong).status_code == 422


def test_only_this_machine_s_user_chooses(serve: Serve, keys: Keys) -> None:
    key = keys.add("ann", "write")
    web = serve(client="192.0.2.7", bound="0.0.0.0", base="http://192.0.2.1:8765")
    head = {"Authorization": f"Bearer {key}"}
    assert web.get(API, headers=head).status_code == 200
    assert web.put(API, json={"name": "x"}, headers=head).status_code == 403
    assert web.post(f"{API}/try", json={}, headers=head).status_code == 403
