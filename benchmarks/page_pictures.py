"""Pictures of every view of `quire serve`, desktop and narrow, light and dark, by a headless Chromium.

    quire serve --library my-papers
    python benchmarks/page_pictures.py http://127.0.0.1:8765 pictures --ask "How many frogs ...?"

Each --ask is asked on the page (and stays in the library as a run); the page of its evidence is opened beside
it. The first is judged right, so that the memory has something to show.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

SIZES = {"wide": (1440, 900), "narrow": (400, 860)}
CHROMIUM = "/usr/bin/chromium"


def main() -> None:
    options = _options()
    options.output.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        views = dict(_views(browser, options.url, options.paper, options.ask))
        for (name, address), size, scheme in product(views.items(), SIZES, ("light", "dark")):
            if options.only and not re.search(options.only, f"{name}-{size}-{scheme}"):
                continue
            _picture(
                browser, options.url + address, options.output / f"{name}-{size}-{scheme}.png", size, scheme
            )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url", help="Address of a running `quire serve`.")
    parser.add_argument("output", type=Path, help="Folder of the pictures.")
    parser.add_argument("--ask", action="append", default=[], help="A question to ask; repeat for more.")
    parser.add_argument("--paper", default="", help="Words of a title: ask this paper, and show it.")
    parser.add_argument("--only", default="", help="Only pictures whose names match.")
    return parser.parse_args()


def _views(browser: Browser, url: str, title: str, questions: list[str]) -> Iterator[tuple[str, str]]:
    """Names and addresses of all views; questions are asked and become answers to look at."""
    page = browser.new_page()
    page.goto(url)
    paper = page.locator(".paper h2 a", has_text=title).first.get_attribute("href") or "/"
    yield from {"library": "/", "search": "/?q=model", "paper": paper, "ask": "/ask"}.items()
    yield "read", paper.replace("/papers/", "/read/") + "/1?box=60,60,300,40"
    for number, question in enumerate(questions):
        page.goto(f"{url}/ask" + (f"?paper={paper.rpartition('/')[2]}" if title else ""))
        page.fill("#text", question)
        page.keyboard.press("Enter")
        page.wait_for_selector(".turn .answer", timeout=120_000)
        if number == 0:
            page.locator('[data-verdict="right"], [data-verdict="wrong"]').locator(
                "visible=true"
            ).first.click()
            page.wait_for_selector(".learned:not([hidden])")
        yield f"answer-{number}", page.url.removeprefix(url)
    yield from {"memory": "/memory", "measure": "/measure"}.items()
    page.goto(f"{url}/measure")
    evaluation = page.locator('.records a[href^="/measure/"]').first
    if evaluation.count():
        yield "evaluation", evaluation.get_attribute("href") or "/measure"
    page.close()


def _picture(browser: Browser, address: str, file: Path, size: str, scheme: str) -> None:
    width, height = SIZES[size]
    page = browser.new_page(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )
    page.goto(address)
    evidence = page.locator(".turn:last-child .evidence a")
    if evidence.count() and size == "wide":
        evidence.first.click()
        page.wait_for_selector("#reader")
    if page.locator("#filter input[name=q]").count() and "q=" in address:
        page.wait_for_selector(".hits")
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(150)  # the words are laid over the page
    page.screenshot(path=file)
    print(file)
    page.close()


if __name__ == "__main__":
    main()
