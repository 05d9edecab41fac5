"""The words of a text that answer a question, and how surely they do.

    found = Phrases(minilm_folder).find("what put the rats to sleep?", ("Methods", "They got ether."))
    found.text, found.sure      # "ether", 0.83

Every token has a score to begin the answer and one to end it (Devlin et al., "BERT", section 4.2). The lower
layers are the reader's (`quire.search.reader`), the upper ones were trained on questions whose answers stand
word for word in a text (`training/reader/phrases.py`) and lie in the package in eight bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quire.search.encoders import Precision
from quire.search.encoders.graphs import drawn, loaded, session
from quire.search.encoders.tokenizers import tokenizer
from quire.search.encoders.transformer import read_json
from quire.search.reader import OVER, QUESTION, WEIGHTS, Passage, framed, graph_of, precision_of

if TYPE_CHECKING:  # what draws graphs is loaded to draw one
    from quire.search.encoders.onnx_graph import Drawn

OWN = Path(__file__).parent / "encoders" / "phrases"
MOST = 24  # tokens of an answer
_ENDS = ("ends.weight", "ends.bias")
_AROUND = " \t\n,;:.!?"


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words of a text, and the probability that the trained layers give to just these."""

    text: str
    sure: float


class Phrases:
    """Finds answers in texts. Keep it. Thread-safe."""

    def __init__(
        self, minilm: Path, precision: Precision = "auto", own: Path = OWN, reader: Path = WEIGHTS
    ) -> None:
        """Load it; `minilm` is the folder of all-MiniLM-L6-v2, `reader` that of the reader's weights.

        Raises:
            EncoderUnavailable: files are missing, or its graph cannot be kept.
        """
        self._tokenizer = tokenizer(minilm, None)
        self._first, self._mark = self._tokenizer.encode("").ids
        self._weight, self._bias = (loaded(own, name)[name] for name in _ENDS)
        exact = precision_of(precision)

        def draw(weights: Mapping[str, Any]) -> Drawn:
            whole = {**loaded(reader), **weights}
            return graph_of(whole, read_json(own / "config.json"), exact, minilm, pooling="tokens")

        self._session = session(drawn(own, exact, draw, reader, minilm), each=1)

    def find(self, question: str, passage: Passage) -> Phrase | None:
        """The likeliest answer in a passage; None where nothing is left of it."""
        over, said = passage
        asked, above, text = self._tokenizer.encode_batch([question, over, said], add_special_tokens=False)
        tokens = framed(asked.ids, above.ids, text.ids, self._first, self._mark)
        begin = 3 + min(len(asked.ids), QUESTION) + min(len(above.ids), OVER)
        count = len(tokens) - begin - 1
        if count < 1:
            return None
        rows = self._session.run(None, {"input_ids": np.asarray([tokens], dtype=np.int32)})[0]
        scores = rows[begin : begin + count] @ self._weight.T + self._bias
        first, last, sure = best_span(scores[:, 0], scores[:, 1])
        found = said[text.offsets[first][0] : text.offsets[last][1]].strip(_AROUND)
        return Phrase(found, sure) if found else None


def best_span(starts: NDArray[np.float32], ends: NDArray[np.float32]) -> tuple[int, int, float]:
    """The tokens at which the likeliest answer begins and ends, and its probability."""
    both = _log_softmax(starts)[:, None] + _log_softmax(ends)[None]
    both[np.tril_indices(len(starts), -1)] = both[np.triu_indices(len(starts), MOST)] = -np.inf
    first, last = divmod(int(both.argmax()), len(starts))
    return first, last, float(np.exp(both[first, last]))


def _log_softmax(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    shifted: NDArray[np.float32] = scores - scores.max()
    return shifted - np.float32(np.log(np.exp(shifted).sum()))
