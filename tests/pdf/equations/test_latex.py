from __future__ import annotations

import random

import pytest

from quire.pdf.equations.latex import MOST_GLYPHS, latex_of, rows_of
from quire.pdf.raw import Edges, Glyph
from tests.pdf.equations.setting import row, rule, sign, tall


def read(*glyphs: list[Glyph] | Glyph, rules: tuple[Edges, ...] = ()) -> str:
    flat = [g for part in glyphs for g in (part if isinstance(part, list) else [part])]
    rows = rows_of(flat, rules)
    return latex_of(rows) if rows else ""


def squeezed(latex: str) -> str:
    return latex.replace(" ", "")


def test_scripts_hang_on_what_stands_before_them() -> None:
    assert read(row("x", 10, 100), row("i", 15.5, 102, 7), row("2", 15.5, 96, 7)) == "x_{i}^{2}"


def test_a_script_of_a_script_stays_within_it() -> None:
    found = read(row("x", 10, 100), row("i", 15.5, 102, 7), row("j", 19.2, 103.5, 5))
    assert found == "x_{i_{j}}"


def test_a_fraction_is_what_stands_over_and_under_a_rule() -> None:
    found = read(
        row("y=", 10, 100), row("a+b", 30, 93), row("c", 35, 107), rules=(rule(29, 46, 97.3),)
    )  # fmt: skip
    assert squeezed(found) == r"y=\frac{a+b}{c}"


def test_fractions_stand_in_fractions() -> None:
    found = read(
        row("a", 33, 84), row("b", 33, 97), row("c", 33, 110),
        rules=(rule(31, 40, 87.5), rule(30, 41, 100.5)),
    )  # fmt: skip
    assert squeezed(found) == r"\frac{\frac{a}{b}}{c}"


def test_a_radical_goes_as_far_as_its_rule() -> None:
    root = Glyph(ord("√"), True, 10, 90, 18, 102, 92, 10, "CMSY10", False, False)
    assert read(root, row("xy", 19, 100), row("z", 33, 100), rules=(rule(18, 30, 90),)) == r"\sqrt{xy}z"


def test_limits_stand_over_and_under_their_operator() -> None:
    found = read(
        sign("∑", 20, 100, 10, font="CMEX10"), row("i=1", 18, 112, 7), row("n", 20.5, 88, 7),
        row("x", 30, 100),
    )  # fmt: skip
    assert squeezed(found) == r"\sum_{i=1}^{n}x"


def test_rows_of_an_aligned_display() -> None:
    found = read(row("x=a", 10, 100), row("=b", 15.2, 118))
    assert squeezed(found) == r"\begin{aligned}x&=a\\&=b\end{aligned}"


def test_a_matrix_is_rows_and_columns_between_brackets() -> None:
    found = read(
        tall("(", 10, 86, 116), row("a", 20, 94), row("b", 40, 94), row("c", 20, 110), row("d", 40, 110),
        tall(")", 50, 86, 116),
    )  # fmt: skip
    assert found == r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}"


def test_cases_have_a_brace_on_the_left_alone() -> None:
    found = read(
        tall("{", 10, 86, 116), row("a", 20, 94), row("x", 45, 94), row("b", 20, 110), row("y", 45, 110)
    )
    assert found == r"\begin{cases} a & x \\ b & y \end{cases}"


def test_names_of_functions_and_words_are_upright() -> None:
    assert read(row("sin", 10, 100, font="CMR10"), row("x", 28, 100)) == r"\sin x"
    assert read(row("v", 10, 100), row("max", 15.5, 102, 7, font="CMR7")) == r"v_{\max}"
    assert read(row("eff", 10, 100, font="CMR10")) == r"\mathrm{eff}"


def test_an_accent_is_put_on_what_is_under_it() -> None:
    hat = Glyph(ord("ˆ"), True, 11, 91, 14, 93, 100, 10, "CMR10", False, False)
    assert read(hat, row("x", 10, 100)) == r"\hat{x}"


@pytest.mark.parametrize(
    ("code", "font", "latex"),
    [
        (0x58, "CMEX10", r"\sum"),
        (0x5A, "CMEX10", r"\int"),
        (0x32, "CMSY10", r"\in"),
        (0x0B, "CMMI10", r"\alpha"),
        (0x1E, "CMMI10", r"\phi"),
        (0x22, "CMMI10", r"\varepsilon"),
        (0x3E, "CMSY8", r"\top"),
    ],
)
def test_signs_without_unicode_are_told_by_the_encoding_of_their_font(
    code: int, font: str, latex: str
) -> None:
    glyph = Glyph(code, False, 10, 93, 15, 101, 100, 10, font, False, False)
    assert read(glyph) == latex


def test_mathematical_alphabets() -> None:
    def one(text: str, font: str = "LatinModernMath-Regular", bold: bool = False) -> str:
        return read(Glyph(ord(text), True, 10, 93, 15, 100, 100, 10, font, bold, False))

    assert one("𝑥") == "x"
    assert one("𝒯") == r"\mathcal{T}"
    assert one("ℝ") == r"\mathbb{R}"
    assert one("𝐯") == r"\mathbf{v}"
    assert one("𝜙") == r"\phi"
    assert one("𝜀") == r"\varepsilon"
    assert one("T", "CMSY10") == r"\mathcal{T}"
    assert one("R", "MSBM10") == r"\mathbb{R}"
    assert one("v", "CMBX10", bold=True) == r"\mathbf{v}"


def test_what_cannot_be_read_with_certainty_is_not_guessed() -> None:
    unknown = Glyph(0xE9, False, 20, 93, 25, 100, 100, 10, "OddSymbols", False, False)
    assert read(row("x=", 10, 100), unknown) == ""
    assert read(row("x=y", 10, 100), rules=(rule(60, 90, 80),)) == ""
    assert read(row("x=y", 10, 100), row("zz", 27, 95)) == ""  # type of full size off the line
    root = Glyph(ord("√"), True, 10, 90, 18, 102, 92, 10, "CMSY10", False, False)
    assert read(root, row("x", 19, 100)) == ""  # its rule is missing


def test_work_is_bounded_on_any_heap_of_signs() -> None:
    rng = random.Random(7)
    signs = [
        sign(rng.choice("xy∑()√|{=+"), rng.uniform(0, 200), rng.uniform(0, 200), rng.uniform(2, 20))
        for _ in range(MOST_GLYPHS)
    ]
    rules = [rule(x, x + rng.uniform(3, 90), rng.uniform(0, 200)) for x in range(0, 200, 4)]
    read(signs, rules=tuple(rules))
    stairs = [sign("x", 6.0 * k, 100 - 3.0 * k, 10 * 0.98**k) for k in range(MOST_GLYPHS)]
    read(stairs)
    assert read([*signs, signs[0]]) == ""
