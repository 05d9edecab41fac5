from __future__ import annotations

from quire.library.tabular import labelled, row_texts
from quire.types import Box, Table, TableCell


def table(*rows: str, heads: int = 1, indents: dict[int, float] | None = None) -> Table:
    """Rows of cells parted by "|"; ">" goes on with the cell to the left, "^" with the one above."""
    grid = [row.split("|") for row in rows]
    cells = []
    for r, row in enumerate(grid):
        for c, text in enumerate(row):
            if not text or text in "<^":
                continue
            right, down = c, r
            while right + 1 < len(row) and row[right + 1] == "<":
                right += 1
            while down + 1 < len(grid) and grid[down + 1][c] == "^":
                down += 1
            x0 = 100.0 * c + (indents or {}).get(r, 0.0) * (c == 0)
            cells.append(TableCell(3, Box(x0, 20.0 * r, 50, 10), r, c, down, right, text, r < heads))
    return Table(3, Box(0, 0, 400, 200), "Table 2", "Table 2. Results.", "<table></table>", tuple(cells))


def labels(of: Table) -> dict[str, tuple[str, str]]:
    return {one.cell.text: (one.row_label, one.column_label) for one in labelled(of)}


def test_heads_over_several_columns_begin_the_path_of_each() -> None:
    found = labels(table("Model|SQuAD|<|Speed", "^|EM|F1|^", "BERT|80.8|88.5|12", heads=2))
    assert found["88.5"] == ("BERT", "SQuAD > F1")
    assert found["12"] == ("BERT", "Speed")
    assert found["BERT"] == ("", "Model")
    assert found["F1"] == ("", "SQuAD")


def test_labels_over_several_rows_make_the_next_column_a_label_too() -> None:
    found = labels(table("Task|Model|F1", "NER|BERT|88.5", "^|ELMo|77.1", "QA|BERT|66.2", "^|ELMo|55.3"))
    assert found["77.1"] == ("NER > ELMo", "F1")
    assert found["66.2"] == ("QA > BERT", "F1")


def test_numbers_of_rows_do_not_name_them_alone() -> None:
    found = labels(table("No.|Compound|mg", "1|thymol|12", "2|eugenol|77"))
    assert found["77"] == ("2 > eugenol", "mg")
    assert labels(table("Year|Kind|n", "1|rye|12", "3|oats|77"))["77"] == ("3", "n")
    assert labels(table("Dose|Kind|n", "1|rye|12"))["12"] == ("1", "n")  # one row is not counted
    lost = [*(f"{n}.|oil {n}|{n}00" for n in (1, 2, 3, 4, 5, 6)), "|oil 7|700"]  # its number was not read
    assert labels(table("No.|Compound|mg", *lost))["500"] == ("5. > oil 5", "mg")
    names = labels(table("No.|Compound", "1|thymol", "2|eugenol"))
    assert names["eugenol"] == ("2", "Compound")  # the last column is no label
    years = [f"{n}|rye|{n}00" for n in (2019, 2020, 2021)]
    assert labels(table("Year|Kind|n", *years))["202000"] == ("2020", "n")


def test_titles_of_groups_name_the_rows_under_them() -> None:
    found = labels(
        table(
            "|n", "Women|", "Age|41", "Weight|62", "Men|", "Height|178", "All|99",
            indents={2: 8.0, 3: 8.0, 5: 8.0},
        )
    )  # fmt: skip
    assert found["62"][0] == "Women > Weight"
    assert found["178"][0] == "Men > Height"
    assert found["99"][0] == "All"  # no longer indented


def test_titles_of_groups_stand_in_each_other() -> None:
    rows = ("|n", "All|", "Women|", "Age|41", "Men|", "Height|178", "None|", "Sum|0")
    indents = {2: 8.0, 3: 16.0, 4: 9.0, 5: 16.0, 7: 8.0}
    found = labels(table(*rows, indents=indents))
    assert [found[n][0] for n in ("41", "178", "0")] == [
        "All > Women > Age",
        "All > Men > Height",
        "None > Sum",
    ]


def test_a_title_between_two_depths_ends_both() -> None:
    rows = ("|n", "All|", "Women|", "Age|41", "Others|", "Height|178")
    found = labels(table(*rows, indents={2: 8.0, 3: 16.0, 4: 4.0, 5: 16.0}))
    assert [found[n][0] for n in ("41", "178")] == ["All > Women > Age", "Others > Height"]


def test_a_row_set_out_by_half_is_of_no_group() -> None:
    found = labels(table("|n", "Women|", "Age|41", "Sum|90", indents={2: 16.0, 3: 8.0}))
    assert [found[n][0] for n in ("41", "90")] == ["Women > Age", "Sum"]


def test_a_row_in_words_names_each_value() -> None:
    made = table("Model|SQuAD|<", "^|EM|F1", "Ours|<|<", "BERT|80.8|88.5", heads=2)
    assert row_texts(made) == {3: "Table 2. Results. Ours > BERT; SQuAD > EM: 80.8; SQuAD > F1: 88.5"}


def test_a_table_without_heads_has_no_labels_of_columns() -> None:
    found = labels(table("rye|12", "oats|77", heads=0))
    assert [found[n] for n in ("12", "77")] == [("rye", ""), ("oats", "")]


def test_a_list_of_one_column_has_rows_of_its_own() -> None:
    assert row_texts(table("Rye", "Oats", heads=0)) == {
        0: "Table 2. Results. Rye",
        1: "Table 2. Results. Oats",
    }


def test_numbers_and_units_come_with_the_cell() -> None:
    (cell,) = [one for one in labelled(table("Kind|Weight (kg)", "Rye|62.1 ± 3")) if one.number is not None]
    assert (cell.number, cell.unit, cell.row_label) == (62.1, "kg", "Rye")
