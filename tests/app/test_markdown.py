"""What a model writes becomes HTML in which nothing but Markdown is markup, and marks lead to evidence."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.app.markdown import LONGEST, MarkLink, to_html

PLACES = {1: MarkLink(1, "/read/a/1?box=1,2,3,4"), 2: MarkLink(2, "/read/b/2")}
OURS = "p|br|em|strong|s|ul|ol|li|h[3-6]|blockquote|hr|pre|code|a|table|thead|tbody|tr|th|td|div|span"


def test_lists_tables_code_and_headings_below_the_page_s_own() -> None:
    made = to_html("# Found\n\n- **one**\n- `two`\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```py\nx < 1\n```")
    for part in ("<h3>Found</h3>", "<strong>one</strong>", "<code>two</code>", '<td class="number">2</td>'):
        assert part in made
    assert "x &lt; 1" in made
    assert "style=" not in made


def test_marks_lead_to_the_evidence_and_the_rest_of_a_whole_text_is_marked_at_its_end() -> None:
    made = to_html("It rose [1], see `[2]` and [7].", PLACES)
    assert made.count('class="cite"') == 1
    assert 'href="/read/a/1?box=1,2,3,4" data-evidence="0"' in made
    assert "and [7]." in made
    assert "<code>[2]</code>" in made
    whole = to_html("It rose [1].", PLACES, whole=True)
    assert re.findall(r'data-evidence="(\d)"', whole) == ["0", "1"]
    assert re.findall(r'data-evidence="(\d)"', to_html("All of it [1-2].", PLACES)) == ["0", "1"]
    assert "cite" not in to_html("[1]: https://example.org\n\nA [x][1].")


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("so $a_b$ and \\(c\\)", ["a_b", "c"]),
        ("$$\nE = mc^2\n$$", ["E = mc^2"]),
        ("\\[\na < b\n\\]", ["a &lt; b"]),
        ("it costs $5 and $6", []),
        ("`$x$` stays", []),
        ("$ x$ and $x $", []),
    ],
)
def test_formulas_stay_tex(text: str, formulas: list[str]) -> None:
    assert re.findall(r'class="math[^"]*">(.*?)</', to_html(text), re.DOTALL) == formulas


EVIL = "<script>a()</script> <img src=x onerror=a()> ![p](https://e.org/x.png) [l](javascript:a())"


def test_foreign_markup_pictures_and_scripts_stay_text() -> None:
    made = to_html(EVIL)
    assert "<script" not in made
    assert "<img" not in made
    assert 'href="javascript' not in made
    assert 'rel="noopener noreferrer nofollow"' in to_html("[l](https://example.org)")


@given(
    st.lists(
        st.sampled_from([*"[]()<>*_`$|\\\n -#1!~\"'&", "<img src=x>", "$$", "[1]", "](javascript:a)", "|-|"])
    )
)
def test_no_text_makes_other_markup(parts: list[str]) -> None:
    made = to_html("".join(parts), PLACES)
    for tag in re.findall(r"<[^>]*>", made):
        assert re.fullmatch(
            rf"</?(?:{OURS})(?: (?:class|href|target|rel|data-evidence|aria-label)=\"[^\"<>]*\")* ?/?>", tag
        )
    assert not re.search(r'href="(?!https?:|/read/)', made)


@pytest.mark.parametrize("part", ["[1", "[1]", "$", "$$\n", "\\(", "![", "*a ", "> ", "|a", "`", "~~", "<"])
def test_time_is_linear_in_the_text(part: str) -> None:
    begun = time.process_time()
    to_html(part * (LONGEST // len(part)), PLACES)
    assert time.process_time() - begun < 20
    assert to_html("x" * (LONGEST + 1)).startswith("<pre>")
