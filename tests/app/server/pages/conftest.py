"""A real server, and a headless Chromium that complains of whatever a visitor should not see."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
import uvicorn
from playwright.sync_api import expect, sync_playwright

from quire import Library
from quire.app.server.access import Access
from quire.app.server.app import create_app
from quire.app.server.keys import Keys
from tests.app.conftest import copied
from tests.app.server.conftest import KEYWORDS

CHROMIUM = next((path for name in ("chromium", "chromium-browser") if (path := shutil.which(name))), None)
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
WIDE = {"width": 1280, "height": 800}
PATIENCE = 60_000  # milliseconds; a busy machine is slow
expect.set_options(timeout=PATIENCE)


@dataclass
class Visit:
    """A browser's page on a server; `complaints` is what must stay empty."""

    page: Any
    url: str
    library: Library
    complaints: list[str] = field(default_factory=list)

    def open(self, path: str = "/") -> Any:
        """Go to a view; gives the page."""
        self.page.goto(self.url + path)
        return self.page


Visiting = Callable[..., Visit]


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """One browser for the tests of this folder; its event loop would forbid others that of their own."""
    if CHROMIUM is None:
        pytest.skip("The browser tests need Chromium (`apt-get install chromium`).")
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_playwright() as playwright:
        # Chromium's own sandbox does not start for root; the pages that it sees here are ours.
        started = playwright.chromium.launch(executable_path=CHROMIUM, chromium_sandbox=not root)
        yield started
        started.close()


@pytest.fixture
def visit(browser: Any, filled: Path, tmp_path: Path) -> Iterator[Visiting]:
    """Serve a copy of the example papers (or an empty library) and visit it; ends with no complaint."""
    ends: list[Callable[[], None]] = []
    visits: list[Visit] = []

    def start(*, empty: bool = False, options: dict[str, Any] | None = None, **context: Any) -> Visit:
        folder = tmp_path / "library"
        if not empty and not folder.exists():
            copied(filled, folder)
        library = Library.open(folder, create=True, **KEYWORDS, **(options or {}))
        url, end = _serve(library, tmp_path / "home")
        ends.append(end)
        made = browser.new_context(reduced_motion="reduce", **context)
        made.set_default_timeout(PATIENCE)
        ends.append(made.close)
        seen = Visit(made.new_page(), url, library)
        _watch(seen)
        visits.append(seen)
        return seen

    yield start
    for end in reversed(ends):
        end()
    assert [complaint for seen in visits for complaint in seen.complaints] == []


def _watch(visit: Visit) -> None:
    """Note every message on the console, every error, every dialog, and every request to elsewhere."""
    page, told = visit.page, visit.complaints

    def asked(dialog: Any) -> None:
        told.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def requested(request: Any) -> None:
        if not request.url.startswith(visit.url):
            told.append(f"request: {request.url}")

    page.on("console", lambda message: told.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: told.append(f"error: {error}"))
    page.on("dialog", asked)
    page.on("request", requested)


def _serve(library: Library, home: Path) -> tuple[str, Callable[[], None]]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    app = create_app(library, access=Access(Keys(home, library.folder)))
    config = uvicorn.Config(app, port=port, log_level="critical", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    end = time.monotonic() + 10
    while not server.started and time.monotonic() < end:
        time.sleep(0.01)

    def stop() -> None:
        server.should_exit = True
        thread.join(10)

    return f"http://127.0.0.1:{port}", stop


DROP = """async ([files]) => {
  const carried = new DataTransfer();
  for (const [name, data] of files) {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    carried.items.add(new File([bytes], name, { type: name.endsWith(".pdf") ? "application/pdf" : "" }));
  }
  for (const kind of ["dragenter", "dragover", "drop"]) {
    const how = { dataTransfer: carried, bubbles: true, cancelable: true };
    document.body.dispatchEvent(new DragEvent(kind, how));
  }
}"""


def pictured(page: Any, name: str) -> None:
    """Check the view with axe, its colours in the dark too; leave pictures of it where they are wanted."""
    page.evaluate(AXE)
    found = page.evaluate("async () => (await axe.run()).violations")
    page.emulate_media(color_scheme="dark")
    dark = "async () => (await axe.run({ runOnly: ['color-contrast'] })).violations"
    found += page.evaluate(dark)
    page.emulate_media(color_scheme="light")
    bad = [
        (each["id"], [node["html"][:160] for node in each["nodes"]])
        for each in found
        if each["impact"] in ("serious", "critical")
    ]
    assert bad == [], name
    if not (folder := os.environ.get("QUIRE_PICTURES")):
        return
    size = page.viewport_size
    for scheme, wide in (("light", WIDE), ("dark", WIDE), ("light", {"width": 390, "height": 844})):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size(wide)
        page.wait_for_timeout(300)
        page.screenshot(path=Path(folder) / f"{name}-{scheme}-{wide['width']}.png")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(size)
