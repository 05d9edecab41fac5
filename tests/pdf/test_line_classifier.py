from importlib import resources

import numpy as np
import pytest

from quire.pdf.front.authors import is_name
from quire.pdf.layout.headers_footers import without_doubles
from quire.pdf.layout.rows import LABELS
from quire.pdf.line_classifier import model
from quire.pdf.line_classifier.features import SHAPE, names, shape
from quire.pdf.raw import Line, RawPage, Word, make_line
from quire.pdf.vocabulary import named, numbering


def test_the_shipped_weights_fit_the_features_and_are_small() -> None:
    classifier = model.shipped()
    assert classifier.low.shape == (len(names()),)
    assert classifier.transitions.shape == (len(LABELS) + 1, len(LABELS))
    data = resources.files("quire.pdf.line_classifier").joinpath(model.WEIGHTS).read_bytes()
    assert len(data) < 3_000_000


def test_the_best_path_follows_transitions_where_rows_do_not_tell() -> None:
    scores = np.log(np.array([[0.9, 0.1], [0.45, 0.55], [0.9, 0.1]], np.float32))
    sticky = np.log(np.array([[0.9, 0.1], [0.1, 0.9], [0.5, 0.5]], np.float32))
    free = np.zeros((3, 2), np.float32)
    assert model.best_path(scores, sticky) == [0, 0, 0]
    assert model.best_path(scores, free) == [0, 1, 0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[12] Smith", (1, 12)),
        ("(3) Of", (2, 3)),
        ("7. Abel", (3, 7)),
        ("2.4 Data", (4, 4)),
        ("Data", (0, 0)),
    ],
)
def test_numberings(text: str, expected: tuple[int, int]) -> None:
    assert numbering(text) == expected


def test_lists_of_words_know_other_languages() -> None:
    assert "references" in named("参考文献")
    assert "references" in named("Список литературы")
    assert "abstract" in named("ABSTRACT:")
    assert "references" in named("5. Literature cited")


def test_every_line_has_a_shape_of_one_length() -> None:
    for text in ("", " ", "²", "图 1", "ا", "[1]", "\ufffd" * 300):
        assert len(shape(text)) == len(SHAPE)


@pytest.mark.parametrize(
    "name", ["Ann Box", "Mary Street", "Wei In", "Łukasz Kaiser", "王小明", "Иван Петров"]
)
def test_names_may_be_words(name: str) -> None:
    assert is_name(name)


@pytest.mark.parametrize(
    "text",
    [
        "University of Oslo",
        "Université de Lyon",
        "Humboldt-University Berlin",
        "Virginia Tech",
        "a@b.org",
        "12",
        "This is a sentence that goes on and on",
    ],
)
def test_what_is_no_name(text: str) -> None:
    assert not is_name(text)


def test_lines_drawn_twice_are_read_once() -> None:
    def line(text: str, x: float, base: float) -> Line:
        word = Word(text, x, base - 8, x + 90, base + 2, base, 10.0, False, False, "F")
        return make_line([word], 10.0, base)

    twice = (line("2.2.Quantification", 72, 100), line("2.2.Quantification", 73, 101))
    others = (line("2.2.Quantification", 72, 140), line("0.01", 300, 140), line("0.01", 301, 141))
    page = RawPage(1, 595, 842, lines=twice + others)
    assert without_doubles(page).lines == (twice[0], *others)
