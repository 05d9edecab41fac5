"""Pictures get vectors, too, where an encoder of pictures is among the settings' encoders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quire.library import Library
from quire.search.encoders import CLIP
from tests.library.conftest import EXAMPLES


class Weights:
    """An encoder of pictures by how much they weigh; questions are numbers."""

    name, dim, max_tokens, precision = CLIP, 4, 77, "float32"

    def __init__(self) -> None:
        self.seen: list[bytes] = []

    def encode(self, items: Sequence[str | bytes]) -> NDArray[np.float32]:
        self.seen += [item for item in items if isinstance(item, bytes)]
        rows = np.asarray([[len(item), 1, 1, 1] for item in items], dtype=np.float32)
        unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    def encode_query(self, text: str) -> NDArray[np.float32]:
        row: NDArray[np.float32] = self.encode([b"x" * int(text)])[0]
        return row


def test_boxes_of_figures_and_tables_are_drawn_and_found(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library", index__encoders=("text_bm25_en", CLIP)) as library:
        encoder = Weights()
        library._resources._encoders[CLIP] = encoder
        report = library.add(sorted(EXAMPLES.glob("*.pdf"))[0])
        drawn = library.sql(
            "SELECT 'images', bounding_box FROM images UNION ALL SELECT 'tables', bounding_box FROM tables"
        ).rows
        assert report.encoded == len(encoder.seen) == len(drawn) > 0
        assert all(picture.startswith(b"\x89PNG") for picture in encoder.seen)
        table, box = drawn[0]
        found = library.search("1000", collection=CLIP, table=str(table), column="bounding_box")
        assert list(box) in [list(hit.bbox or ()) for hit in found]
