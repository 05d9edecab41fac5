"""Fonts without a name: what their widths tell, and what their codes stand for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quire.pdf.pdfium.fonts import SIGNS, WIDTHS, names_of
from quire.pdf.raw import RawPage
from tests.pdf.tabled import raw_pages, words_of

KNOWN: dict[str, list[float]] = json.loads(WIDTHS.read_text(encoding="utf-8"))
OTHERS = {0x1C: 0.556, 0x1E: 0.833, 0x0C: 0.556, 0x20: 0.333}  # ligatures and the blank


def bitmap_paper(path: Path, *lines: tuple[str, float, bytes], told: dict[int, str] | None = None) -> Path:
    """A page of lines in Type 3 fonts without names: empty signs of the widths that known fonts have.

    `told` is what their maps to Unicode say of codes.
    """
    fonts = list(dict.fromkeys(name for name, _, _ in lines))
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>"]
    used = "".join(f"/F{k} {5 + 4 * k} 0 R" for k in range(len(fonts)))
    objects.append(
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R"
        b"/Resources<</Font<<%s>>>>>>" % used.encode()
    )
    drawn = b"".join(
        b"BT /F%d %g Tf 50 %d Td <%s> Tj ET\n" % (fonts.index(name), size, 700 - 30 * k, text.hex().encode())
        for k, (name, size, text) in enumerate(lines)
    )
    objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(drawn), drawn))
    pairs = "".join(f"<{code:02x}> <{ord(sign):04x}>\n" for code, sign in (told or {}).items())
    space = "1 begincodespacerange <00> <ff> endcodespacerange"
    said = f"{space}\n{pairs.count('> <')} beginbfchar\n{pairs}endbfchar".encode()
    for k, name in enumerate(fonts):
        wide = dict(zip(map(ord, SIGNS), KNOWN.get(name, [0.7] * len(SIGNS)), strict=True)) | OTHERS
        widths = " ".join(f"{1000 * wide.get(code, 0.5):g}" for code in range(128))
        names = " ".join(f"/a{code}" for code in range(128))
        procs = "".join(f"/a{code} {7 + 4 * k} 0 R" for code in range(128))
        objects += [
            f"<</Type/Font/Subtype/Type3/FontBBox[0 0 1000 1000]/FontMatrix[.001 0 0 .001 0 0]/FirstChar 0"
            f"/LastChar 127/Widths[{widths}]/Encoding {6 + 4 * k} 0 R/CharProcs<<{procs}>>"
            f"{f'/ToUnicode {8 + 4 * k} 0 R' if told else ''}>>".encode(),
            f"<</Type/Encoding/Differences[0 {names}]>>".encode(),
            b"<</Length 22>>stream\n500 0 0 0 400 700 d1  \nendstream",
            b"<</Length %d>>stream\n%s\nendstream" % (len(said), said),
        ]
    data, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj%s endobj\n" % (number, each)
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    data += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}".encode()
    data += (
        f"trailer<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{data.rfind(b'xref')}\n%%EOF".encode()
    )
    path.write_bytes(data)
    return path


def page_of(path: Path) -> RawPage:
    return raw_pages(path)[0]


@pytest.mark.parametrize(
    ("font", "size", "bold", "italic"),
    [("CMR10", 10, False, False), ("CMBX12", 14.4, True, False), ("CMTI10", 11, False, True)],
)
def test_bitmap_fonts_are_told_by_their_widths(
    tmp_path: Path, font: str, size: float, bold: bool, italic: bool
) -> None:
    (word, *_) = words_of(bitmap_paper(tmp_path / "a.pdf", (font, size, b"hypothesis tests")))
    assert (word.text, word.font, word.bold, word.italic) == ("hypothesis", font, bold, italic)


def test_fonts_of_other_widths_and_of_few_letters_stay_nameless(tmp_path: Path) -> None:
    paper = bitmap_paper(tmp_path / "a.pdf", ("Other", 10, b"hypothesis"), ("CMR10", 10, b"tot"))
    assert {word.font for word in words_of(paper)} == {""}


def test_a_font_is_looked_for_among_those_made_for_its_size() -> None:
    text = "hypothesis"
    widths = dict(zip(SIGNS, KNOWN["CMR7"], strict=True))
    for size, name in ((7.0, "CMR7"), (40.0, "CMBX12")):
        drawn = [widths[sign] * size for sign in text]
        found = names_of([1] * len(text), list(map(ord, text)), drawn, [size] * len(text))
        assert found.get(1, "") == name


def test_ligatures_of_both_encodings_of_tex(tmp_path: Path) -> None:
    new = words_of(bitmap_paper(tmp_path / "b.pdf", ("CMR10", 10, b"signi\x1ccant coe\x1ecients \x10a\x11")))
    assert [w.text for w in new] == ["significant", "coefficients", "“a”"]
    old = words_of(bitmap_paper(tmp_path / "a.pdf", ("CMR10", 10, b'signi\x0ccant pages {\x1c \\word"')))
    assert [w.text for w in old] == ["significant", "pages", "–", "“word”"]


def test_greek_letters_of_formulas_are_no_ligatures_of_the_text(tmp_path: Path) -> None:
    text = ("CMR10", 10, b"signi\x1ccant ones of it")
    page = page_of(bitmap_paper(tmp_path / "a.pdf", text, ("CMMI10", 10, b"abcdefgh \x0c")))
    assert page.lines[0].words[0].text == "significant"


def test_programs_keep_their_brackets(tmp_path: Path) -> None:
    paper = bitmap_paper(
        tmp_path / "a.pdf", ("CMR10", 10, b"a \x0crst function"), ("CMTT10", 10, b'function {"x"}')
    )
    assert [w.text for w in words_of(paper)][-2:] == ["function", '{"x"}']


def test_letters_that_a_map_calls_dingbats_are_letters(tmp_path: Path) -> None:
    signs = dict(zip(b"linear mod", "❧✐♥❡❛r ♠♦❞", strict=True)) | {0x1C: "✜"}
    page = page_of(bitmap_paper(tmp_path / "a.pdf", ("ECRM1000", 10.0, b"linear model \x1cnal"), told=signs))
    assert page.lines[0].text == "linear model final"


def test_few_dingbats_are_dingbats(tmp_path: Path) -> None:
    page = page_of(bitmap_paper(tmp_path / "a.pdf", ("ECRM1000", 10.0, b"list of e"), told={0x65: "❡"}))
    assert page.lines[0].text == "list of ❡"


def test_signs_of_a_font_of_signs(tmp_path: Path) -> None:
    page = page_of(bitmap_paper(tmp_path / "a.pdf", ("?", 10.0, b"\x41 item"), told={0x41: "\x88"}))
    assert page.lines[0].text == "• item"
