"""What a newcomer does, by mouse and by keys alone: add, watch, ask, look, judge, remember, forget."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from tests.app.conftest import FOLDS, FOLDS_AGAIN, PAPERS, tell_of_folds
from tests.app.server.pages.conftest import DROP, WIDE, Visiting, pictured
from tests.llm.server import Act, say, serving, slowly

QUESTION = "In Table 1, what is the soaking time of the keel boat at 160 g?"


OVER = """(word, mark) => {
  const [a, b] = [word.getBoundingClientRect(), mark.getBoundingClientRect()];
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}"""


def drop(page: Any, *files: tuple[str, bytes]) -> None:
    """Drop files on the page as a hand would."""
    page.evaluate(DROP, [[[name, base64.b64encode(data).decode()] for name, data in files]])


def mark_is_in_view(page: Any) -> bool:
    """Whether the marked box stands within what the reader shows."""
    return bool(
        page.evaluate(
            """() => {
              const mark = document.querySelector("#reader .found").getBoundingClientRect();
              const desk = document.querySelector("#reader .desk").getBoundingClientRect();
              return mark.width > 0 && mark.top >= desk.top && mark.bottom <= desk.bottom;
            }"""
        )
    )


def test_add_by_drop_ask_look_judge_remember_forget(visit: Visiting) -> None:
    page = visit(empty=True, viewport={"width": 1280, "height": 800}).open()
    assert page.get_by_role("heading", name="Drop PDFs here").is_visible()
    boats = (PAPERS / "paper-boats.pdf").read_bytes()
    drop(page, ("paper-boats.pdf", boats), ("broken.pdf", b"%PDF-1.4 and nothing more"), ("notes.txt", b"hi"))
    page.wait_for_selector(".job")
    page.reload()  # who leaves and comes back sees the work go on, or done
    page.wait_for_selector(".paper:not(.failed)")
    page.wait_for_selector(".paper.failed .reason")
    assert page.locator(".paper.failed [data-retry]").is_visible()

    page.get_by_role("link", name="Ask", exact=True).first.click()
    page.fill("#text", QUESTION)
    page.get_by_role("button", name="Ask", exact=True).click()
    page.wait_for_selector(".answer.answer")
    assert "243.8" in page.locator("div.value").inner_text()
    page.wait_for_selector("#reader")  # there is room: the first evidence opens by itself
    page.get_by_role("button", name="Close the page").click()
    page.locator("div.value .cite").first.click()
    page.wait_for_selector("#reader .found", state="attached")
    assert mark_is_in_view(page)
    page.wait_for_selector("#reader .text-layer span", state="attached")
    page.wait_for_selector("#reader .marks .line", state="attached")  # asked for beside the words
    (cell,) = page.locator("#reader .marks .line").all()  # of the table its one cell
    assert page.locator("#reader .text-layer span", has_text="243.8").last.evaluate(
        OVER, cell.element_handle()
    )
    assert "Hull Folds Change" in page.locator("#reader .text-layer").inner_text()

    page.get_by_role("button", name="Right").click()
    page.wait_for_selector(".learned:not([hidden])")
    assert page.get_by_role("button", name="Right").get_attribute("aria-pressed") == "true"
    page.fill("#text", QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_selector(".turn:nth-child(2) .used")  # the same question is answered from the memory
    page.get_by_role("button", name="Ask anew without memory").click()
    expect(page.locator(".turn .answer.answer")).to_have_count(3)
    address = page.url
    page.get_by_role("link", name="Memory", exact=True).click()
    assert page.locator("#items h2").inner_text() == QUESTION
    page.get_by_role("button", name="Forget").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#items h2")).to_have_text(QUESTION)
    page.get_by_role("button", name="Forget").click()
    page.locator("summary", has_text="Forgotten lately").click()
    page.get_by_role("button", name="Forget for good").click()
    page.get_by_role("button", name="Yes, for good").click()
    page.wait_for_selector("summary:has-text('Forgotten lately')", state="detached")
    page.wait_for_selector("#items", state="detached")
    page.goto(address)  # the thread is still there, with all answers
    assert page.locator(".turn .answer.answer").count() == 3
    page.locator(".used summary").click()
    assert "(forgotten)" in page.locator(".used").inner_text()


def test_what_may_be_the_same_question_is_shown_and_used_at_a_click(visit: Visiting) -> None:
    seen = visit(viewport={"width": 1280, "height": 800})
    tell_of_folds(seen.library)
    (boats,) = (paper.id for paper in seen.library.papers() if paper.file_name == "paper-boats.pdf")
    page = seen.open(f"/ask?paper={boats}")
    page.fill("#text", FOLDS_AGAIN)
    page.keyboard.press("Enter")
    beside = page.get_by_role("region", name="Maybe the same was asked")
    for told in (FOLDS, "tears fibres", "judged by ann"):
        expect(beside).to_contain_text(told)
    beside.get_by_role("button", name="Use this answer").click()
    expect(page.locator(".learned")).to_contain_text("This question, too, is answered so")
    assert beside.get_by_role("button").get_attribute("aria-pressed") == "true"
    page.fill("#text", FOLDS_AGAIN)
    page.keyboard.press("Enter")
    expect(page.locator(".turn .answer.answer")).to_contain_text("tears fibres")


def test_by_keys_alone(visit: Visiting) -> None:
    seen = visit(viewport=WIDE)
    page = seen.open()
    press = page.keyboard.press
    press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    pictured(page, "10-keys")
    press("Escape")
    press("/")
    page.keyboard.type("boats", delay=5)
    expect(page.locator(".paper")).to_have_count(1)
    press("ArrowDown")
    press("x")
    expect(page.locator("#chosen-count")).to_have_text("1 paper")
    pictured(page, "10-chosen")
    press("i")
    page.wait_for_url(re.compile(r"/ask\?paper="))
    expect(page.locator("#scope")).to_have_text("1 chosen paper")
    page.keyboard.type("How many entries has the bibliography?")
    press("Enter")
    page.wait_for_selector(".answer")
    page.wait_for_selector("#reader .found", state="attached")
    press("n")
    press("+")
    press("Escape")
    expect(page.locator("#beside")).to_be_hidden()
    press("w")
    page.wait_for_selector(".learned:not([hidden])")
    press("c")
    page.keyboard.type("5")
    press("Enter")
    expect(page.locator(".learned")).to_contain_text("your answer is kept")
    correct = page.get_by_role("button", name="Correct it")
    expect(correct).to_be_focused()
    expect(correct).to_have_attribute("aria-expanded", "false")
    pictured(page, "10-judged")
    press("g")
    press("m")
    page.wait_for_url(re.compile("/memory"))
    forget = page.get_by_role("button", name="Forget").first
    for _ in range(20):
        if forget.evaluate("button => button === document.activeElement"):
            break
        press("Tab")
    kept = page.locator("#items > li").count()
    press("Enter")
    expect(page.locator("#items > li")).to_have_count(kept - 1)
    press("g")
    press("l")
    page.wait_for_url(seen.url + "/")
    press("j")
    press("j")
    press("Delete")
    expect(page.locator(".paper")).to_have_count(3)
    page.get_by_role("button", name="Undo").focus()
    press("Enter")
    expect(page.locator(".paper")).to_have_count(4)


def test_a_page_that_arrives_after_it_was_closed_stays_closed(visit: Visiting) -> None:
    page = visit(viewport={"width": 1280, "height": 800}).open("/ask")
    page.fill("#text", QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_selector("#reader")
    held: list[Any] = []
    page.route("**/read/**", lambda route: held.append(route))
    page.get_by_role("button", name="Close the page").click()
    page.locator(".evidence a[data-evidence]").first.click()  # another look at it, on a slow line
    while not held:
        page.wait_for_timeout(5)
    page.keyboard.press("Escape")
    expect(page.locator("#beside")).to_be_hidden()
    with page.expect_response("**/read/**"):
        held[0].continue_()
    page.wait_for_timeout(100)
    expect(page.locator("#beside")).to_be_hidden()


def test_single_keys_can_be_turned_off(visit: Visiting) -> None:
    page = visit().open()
    page.keyboard.press("?")
    page.get_by_role("checkbox", name=re.compile("Single keys")).uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("x")
    page.keyboard.press("g")
    page.keyboard.press("a")
    page.wait_for_timeout(100)
    assert page.url.endswith("/")
    page.reload()
    page.keyboard.press("?")
    assert not page.get_by_role("dialog", name="Keys").is_visible()


def test_steps_of_a_model_stream_in_and_stop_ends_it(visit: Visiting) -> None:
    look = '[Thought]: see what there is\n[Action]: RetrieveFromDatabase(sql="SELECT title FROM metadata")'
    acts: list[Act] = [say(look), slowly(look, 2.0), say(look), say(look)]
    with serving(acts) as model:
        options = {"model__name": "slow", "model__base_url": model.url}
        page = visit(options=options).open("/ask")
        page.fill("#text", "Which boats float?")
        page.keyboard.press("Enter")
        page.wait_for_selector(".working .step >> nth=1", state="attached")
        assert page.locator(".working .now").is_visible()
        page.keyboard.press("Escape")
        expect(page.locator(".turn .state")).to_contain_text("Stopped")
        expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()
        page.reload()
        expect(page.locator(".turn")).to_contain_text("Stopped; this is what came")


def test_the_chosen_theme_stays(visit: Visiting) -> None:
    page = visit(color_scheme="light").open()
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Theme: as the system").click()
    page.get_by_role("button", name="Theme: light").click()
    page.reload()
    assert page.evaluate(ground) != light
    expect(page.get_by_role("button", name="Theme: dark")).to_be_visible()


def test_a_read_page_without_scripts_shows_the_box(visit: Visiting, tmp_path: Path) -> None:
    seen = visit(java_script_enabled=False)
    paper = seen.library.papers()[0].id
    page = seen.open(f"/read/{paper}/1?box=50,60,200,20")
    assert page.locator(".marks rect").count() == 1
    assert page.get_by_alt_text(re.compile("Page 1 of")).is_visible()
