"""Widths of TeX's own fonts, by which nameless ones are told (`quire.pdf.pdfium.fonts`).

    python -m training.font_widths DIR        # DIR holds *.tfm, as any TeX has them (fonts/tfm)

A metric file gives, per character, an index into a table of widths in units of 2^-20 of the type size
(D. Knuth, TeX: The Program, part 30).
"""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

from quire.pdf.pdfium.fonts import SIGNS, WIDTHS

FONTS = (
    "cmr6 cmr7 cmr8 cmr9 cmr10 cmr12 cmr17 cmbx6 cmbx7 cmbx8 cmbx9 cmbx10 cmbx12 cmb10 cmti7 cmti8 cmti9 "
    "cmti10 cmti12 cmbxti10 cmss8 cmss9 cmss10 cmss12 cmss17 cmssbx10 cmcsc10 cmmi7 cmmi10 cmmi12 cmtt10 "
    "ecrm1440 ecrm1728 ecbx1440 ecbx1728 ecti1440 ecti1728"
).split()


def widths(path: Path) -> list[float]:
    """The widths of `SIGNS` in a metric file, as shares of the type size."""
    data = path.read_bytes()
    _, header, first, last, count = struct.unpack(">5H", data[:10])
    indices = 24 + 4 * header
    table = indices + 4 * (last - first + 1)
    every = struct.unpack(f">{count}i", data[table : table + 4 * count])
    return [round(every[data[indices + 4 * (ord(sign) - first)]] / 2**20, 4) for sign in SIGNS]


if __name__ == "__main__":
    found = {name.upper(): widths(next(Path(sys.argv[1]).rglob(f"{name}.tfm"))) for name in FONTS}
    lines = (f'"{name}": {json.dumps(row, separators=(",", ":"))}' for name, row in found.items())
    WIDTHS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
