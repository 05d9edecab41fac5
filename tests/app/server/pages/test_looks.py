"""What can be measured of how the page looks: nothing sticks out at 400 points, every text can be read."""

from __future__ import annotations

import base64
from typing import Any

from playwright.sync_api import expect

from tests.app.conftest import FOLDS_AGAIN, tell_of_folds
from tests.app.server.pages.conftest import DROP, Visit, Visiting
from tests.library.conftest import write_pdf

EVIL = "<img src=x onerror=alert(1)>\"'><script>alert(2)</script>"

# Ratio of luminances between each visible text and what lies behind it; gives those below what WCAG AA asks.
FAINT = """() => {
  const numbers = (colour) => {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d");
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], below) => [...[r, g, b].map((part, i) => part * a + below[i] * (1 - a)), 1];
  const behind = (element) => {
    const layers = [];
    for (let one = element; one; one = one.parentElement) layers.push(getComputedStyle(one).backgroundColor);
    return layers.reverse().map(numbers).reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const faint = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const shown = element.checkVisibility() && !element.closest(".unseen, .text-layer, svg, option");
    if (!own || !shown) continue;
    const style = getComputedStyle(element);
    const ground = behind(element);
    const [a, b] = [light(over(numbers(style.color), ground)), light(ground)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const wanted = parseFloat(style.fontSize) >= 24 ? 3 : 4.5;
    if (ratio < wanted) faint.push(`${element.className} ${element.textContent.slice(0, 30)} ${ratio}`);
  }
  return faint;
}"""
WIDER = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


def views(seen: Visit) -> list[str]:
    """Addresses of all views, with an answer that was judged."""
    paper = seen.library.paper("paper-boats.pdf").id
    run = seen.library.ask("What does ST stand for?", papers=[paper])
    seen.library.verdict("right", run.run_id)
    lost = seen.library.ask("At what temperature does mercury boil?")
    read, shown = f"/read/{paper}/1?box=50,60,200,20", f"/papers/{paper}"
    tell_of_folds(seen.library)
    beside = seen.library.ask(FOLDS_AGAIN, papers=["paper-boats.pdf"])
    runs = [f"/runs/{each.run_id}" for each in (run, lost, beside)]
    return ["/", "/?q=boats", "/ask", shown, read, *runs, "/memory", "/measure", "/keys-help", "/runs/none"]


def test_every_text_can_be_read_and_nothing_sticks_out(visit: Visiting) -> None:
    seen = visit(viewport={"width": 400, "height": 800})
    for address in views(seen):
        page = seen.open(address)
        assert page.evaluate(WIDER) <= 0, address
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate(FAINT) == [], (address, scheme)
        page.set_viewport_size({"width": 2000, "height": 1100})
        assert page.evaluate(WIDER) <= 0, address
        page.set_viewport_size({"width": 400, "height": 800})
    seen.complaints[:] = [told for told in seen.complaints if "404" not in told]  # the last one was none


MUHAMMAD = "\u0645\u062d\u0645\u062f"  # written from right to left


def test_long_names_and_names_in_arabic_fit_a_phone(visit: Visiting, tmp_path: Any) -> None:
    address = "https://example.org/" + "long_address_" * 4
    cited = ("References", "[1] A. Writer. A paper on folds. Journal of Folds, 2020.", address)
    seen = visit(viewport={"width": 390, "height": 844})
    file = write_pdf(tmp_path / "long.pdf", "A Paper on Folds", "1 Introduction", "We fold.", *cited)
    seen.library.add(file)
    long, boats = (seen.library.paper(name).id for name in ("long.pdf", "paper-boats.pdf"))
    assert address in seen.library.contents(long).references[0].text
    seen.library.edit(boats, {"title": "On boats of paper " * 9 + "Soaking" * 40})
    seen.library.edit(long, {"title": "", "authors": [MUHAMMAD, f"{MUHAMMAD} II"]})
    for view in ("/", f"/papers/{long}", f"/papers/{boats}", f"/read/{boats}/1", f"/ask?paper={boats}"):
        page = seen.open(view)
        assert page.evaluate(WIDER) <= 0, view
    asked = seen.library.ask(f"What is {'Soaking' * 40}?", papers=["paper-boats.pdf"])
    assert seen.open(f"/runs/{asked.run_id}").evaluate(WIDER) <= 0
    facts = seen.open().locator(f'.paper[data-id="{long}"] .facts > span')
    name, pages = (facts.nth(i).bounding_box() for i in range(2))
    assert name["x"] < pages["x"], "the figure belongs to no name"
    one, two = (facts.first.locator("bdi").nth(i).bounding_box() for i in range(2))
    assert one["x"] < two["x"]


def test_a_hostile_file_and_question_stay_text(visit: Visiting, tmp_path: Any) -> None:
    evil = write_pdf(tmp_path / "evil.pdf", EVIL, "Abstract", f"We study {EVIL} at length.", "1 Introduction")
    page = visit(empty=True).open()
    data = base64.b64encode(evil.read_bytes()).decode()
    broken = base64.b64encode(b"%PDF-1.4 " + EVIL.encode()).decode()
    page.evaluate(DROP, [[[f"{EVIL}.pdf", data], [f"broken {EVIL}.pdf", broken]]])
    page.wait_for_selector(".paper.failed")
    page.wait_for_selector(".paper:not(.failed)")
    page.fill("#filter input[name=q]", EVIL)
    page.wait_for_selector("#passages .hits, #passages h2")
    page.goto(page.url.split("?")[0] + "ask")
    page.fill("#text", f"What is {EVIL}?")
    page.keyboard.press("Enter")
    page.wait_for_selector(".answer")
    expect(page.locator(".question").first).to_have_text(f"What is {EVIL}?")
    expect(page.locator("#text")).not_to_be_focused(timeout=30_000)  # the keys are no longer the field's
    page.keyboard.press("c")
    expect(page.locator(".correction")).to_be_visible()
    page.keyboard.type(EVIL)
    page.keyboard.press("Enter")
    page.wait_for_selector(".learned:not([hidden])")
    page.get_by_role("link", name="See it in the memory").click()
    page.wait_for_selector("#items")
    assert page.locator("img[src=x]").count() == 0
