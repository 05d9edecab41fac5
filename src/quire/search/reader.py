"""Reading a question and a unit side by side: does this sentence, row or caption say the answer?

    reader = Reader(minilm_folder)
    reader.scores("what drug put the rats to sleep?", [("Methods", "Rats were anesthetised with ...")])

A cross-encoder (Nogueira and Cho 2019) of MiniLM's shape: its layers were trained on questions to papers
(`training/reader/train.py`) and lie in the package in eight bits; its word vectors are those of the installed
all-MiniLM-L6-v2, which it does without change. It is a second stage: some twenty of the best units of the
ranking are read, as each takes some milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quire.search.cells import Unit
from quire.search.encoders import Precision
from quire.search.encoders.graphs import drawn, loaded, precision_of, session, threads
from quire.search.encoders.tokenizers import tokenizer
from quire.search.encoders.transformer import equal_lengths, read_json, recipe

if TYPE_CHECKING:  # what draws graphs is loaded to draw one
    from quire.search.encoders import bert

Floats = NDArray[np.float32]
Passage = tuple[str, str]  # what stands over it, what it says
WEIGHTS = Path(__file__).parent / "encoders" / "reader"
QUESTION, OVER, ALL = 32, 16, 96  # tokens that are read of a question, of what stands over a unit, of all
_BATCH_TOKENS = 2048
_QUESTIONS = 32  # of which is kept what was read beside them
_WORDS = "embeddings.word_embeddings.weight"
_HEAD, _RANGE = "head.weight", "range."


class Reader:
    """Scores of units for a question. Keep it. Thread-safe."""

    def __init__(self, minilm: Path, precision: Precision = "auto", weights: Path = WEIGHTS) -> None:
        """Load it; `minilm` is the folder of all-MiniLM-L6-v2.

        Raises:
            EncoderUnavailable: files are missing, or its graph cannot be kept.
        """
        self._minilm = minilm
        self._config = read_json(weights / "config.json")
        self._tokenizer = tokenizer(minilm, recipe(minilm).max_tokens)  # which the encoder has loaded
        self.precision = precision_of(precision, kept=False)
        self._head = loaded(weights, _HEAD)[_HEAD].ravel()
        self._session = session(drawn(weights, self.precision, self._draw, minilm), each=1)
        # One for all questions: who came first is answered first, in place of all at once and late.
        self._pool = ThreadPoolExecutor(threads(), "quire-read")
        self._guard = Lock()
        self._known: dict[str, dict[Passage, float]] = {}

    def scores(self, question: str, passages: Sequence[Passage]) -> Floats:
        """How surely each says the answer, higher is surer: float32 (len(passages),).

        What was read beside one of the last questions (a search, then an answer) is not read again.
        """
        with self._guard:
            known = self._known[question] = self._known.pop(question, {})
            if len(self._known) > _QUESTIONS:
                del self._known[next(iter(self._known))]
        new = [each for each in dict.fromkeys(passages) if each not in known]
        known.update(zip(new, self._read(question, new).tolist(), strict=True))
        return np.asarray([known[each] for each in passages], dtype=np.float32)

    def _read(self, question: str, passages: Sequence[Passage]) -> Floats:
        sequences = self.sequences(question, passages)
        order = sorted(range(len(sequences)), key=lambda n: -len(sequences[n]))
        batches = equal_lengths([sequences[n] for n in order], _BATCH_TOKENS)
        scores = np.empty(len(sequences), dtype=np.float32)
        scores[order] = np.concatenate([*self._pool.map(self._run, batches), scores[:0]])
        return scores

    def _run(self, batch: Sequence[tuple[int, ...]]) -> Floats:
        rows = self._session.run(None, {"input_ids": np.asarray(batch, dtype=np.int32)})[0]
        scores: Floats = rows @ self._head
        return scores

    def sequences(self, question: str, passages: Sequence[Passage]) -> list[tuple[int, ...]]:
        """The tokens that are read: question, what stands over the unit, and the unit, with marks between."""
        texts = [question, *(text for passage in passages for text in passage)]
        plain = [each.ids for each in self._tokenizer.encode_batch(texts, add_special_tokens=False)]
        first, mark = self._tokenizer.encode("").ids
        return [framed(plain[0], plain[n], plain[n + 1], first, mark) for n in range(1, len(plain), 2)]

    def _draw(self, weights: Mapping[str, Any]) -> bert.Drawn:
        from quire.search.encoders import bert
        from quire.search.encoders.eight_bits import EightBits

        products: bert.Products = bert.Products()
        if self.precision == "int8":
            sites = {name.removeprefix(_RANGE) for name in weights if name.startswith(_RANGE)}
            products = EightBits({site: tuple(weights[_RANGE + site]) for site in sites})
        (words,) = loaded(self._minilm, _WORDS).values()
        return bert.draw(
            {**weights, _WORDS: words}, self._config, pooling="cls", normalise=False, products=products
        )


def passage(unit: Unit, title: str = "") -> Passage:
    """What is read of a unit; with the title of its paper where several are asked."""
    said = unit.text
    if unit.kind == "row" and unit.label:  # its caption stands over it
        said = said[max(0, said.find(unit.label)) :]
    return (f"{title}: {unit.context}" if title else unit.context), said


def framed(
    question: Sequence[int], over: Sequence[int], said: Sequence[int], first: int, mark: int
) -> tuple[int, ...]:
    """The tokens of one pair: each part cut at its own limit, the unit where all is full."""
    question, over = question[:QUESTION], over[:OVER]
    left = ALL - 4 - len(question) - len(over)
    return (first, *question, mark, *over, mark, *said[:left], mark)
