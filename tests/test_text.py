"""Sentences end where people see them end, and are shown without the marks of references."""

from __future__ import annotations

import pytest

from quire.text import sentence_texts, without_marks


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("See Fig. 2 for T. bovei. It works.", ["See Fig. 2 for T. bovei.", "It works."]),
        ("Die Metrik bzgl. X ist eine. Sie gilt.", ["Die Metrik bzgl. X ist eine.", "Sie gilt."]),
        (
            "Smith et al. showed it. R. terraenovae sleeps.",
            ["Smith et al. showed it.", "R. terraenovae sleeps."],
        ),
        ("It took 3.5 h at 37 °C. Then it cooled.", ["It took 3.5 h at 37 °C.", "Then it cooled."]),
        ("The U.S. Department of Energy paid. It did.", ["The U.S. Department of Energy paid.", "It did."]),
        ("It grows in the U.S. The next does not.", ["It grows in the U.S.", "The next does not."]),
        ("It is fitted in R. The next is not.", ["It is fitted in R.", "The next is not."]),
        ("By Ada K. The, in R. He and J. An.", ["By Ada K. The, in R. He and J. An."]),
        ("It came at 5 p.m. Samples were cooled.", ["It came at 5 p.m.", "Samples were cooled."]),
        ("One\nline. Another one!", ["One line.", "Another one!"]),
        ("", []),
    ],
)
def test_abbreviations_and_initials_end_no_sentence(text: str, sentences: list[str]) -> None:
    assert sentence_texts(text) == sentences


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("as was found before.^32,34 It", "as was found before. It"),
        ("12 studies^[12–23] of", "12 studies of"),
        ("binds Al^3+ and Fe^2+", "binds Al^3+ and Fe^2+"),
        ("75 mg/m^2, 10^4 cells, cm^-1", "75 mg/m^2, 10^4 cells, cm^-1"),
        ("of Das and Rad^32, (MMACE)^9 and as shown ^32,34.", "of Das and Rad, (MMACE) and as shown."),
        ("(BMI)^2, mol^2 and x ^2", "(BMI)^2, mol^2 and x ^2"),
        ("10In our email correspondence", "In our email correspondence"),
        ("20Years of age", "20Years of age"),
        ("4He atoms and 75As nuclei", "4He atoms and 75As nuclei"),
        ("mol^15, log^10 CFU, Log ^10, nmol^15", "mol^15, log^10 CFU, Log ^10, nmol^15"),
        ("a catalog^12 of the cat^12", "a catalog of the cat"),
        ("45Gy was given; 3Rs are kept; 3D models", "45Gy was given; 3Rs are kept; 3D models"),
    ],
)
def test_marks_of_references_are_not_shown_and_powers_stay(text: str, shown: str) -> None:
    assert without_marks(text) == shown
