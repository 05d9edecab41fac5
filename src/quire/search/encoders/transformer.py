"""Text encoders from a Sentence-Transformers folder, through onnxruntime; PyTorch is not needed.

    encoder = TransformerEncoder("text_sentence_transformers_all_minilm_l6_v2", Path(".../all-MiniLM-L6-v2"))

Texts are cut at the model's own limit, equal ones are computed once, and texts of exactly equal length go
through together, in batches that fit a core's cache, as many at a time as there are cores: no padding is ever
computed, which is the difference to encoding in the order of arrival.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quire.errors import EncoderUnavailable
from quire.search.encoders import Precision
from quire.search.encoders.graphs import drawn, exported, precision_of, session, side_by_side
from quire.search.encoders.tokenizers import token_ids, tokenizer

if TYPE_CHECKING:  # what draws graphs is loaded to draw one
    from quire.search.encoders import bert

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a Sentence-Transformers folder says of its use."""

    config: dict[str, Any]
    max_tokens: int
    pooling: bert.Pooling
    normalise: bool
    query_prefix: str


class TransformerEncoder:
    """A BERT-like text encoder. Rows are always normalised: collections compare by cosine."""

    def __init__(
        self, name: str, folder: Path, batch_tokens: int = 512, precision: Precision = "auto"
    ) -> None:
        """Load the model. What `precision` it got is told by the attribute; an exported graph has its own.

        Raises:
            EncoderUnavailable: files are missing, or the architecture needs an exported `model.onnx`.
        """
        self.name = name
        self.recipe = recipe(folder)
        self.max_tokens = self.recipe.max_tokens
        self.dim = int(self.recipe.config["hidden_size"])
        self._batch_tokens = batch_tokens
        self._tokenizer = tokenizer(folder, self.max_tokens)
        own = exported(folder)
        self.precision = "float32" if own else precision_of(precision)
        self._session = session(own or drawn(folder, f"text-{self.precision}", self._draw), each=1)
        self._asked: tuple[str, Floats] = "", np.zeros(self.dim, dtype=np.float32)

    def encode(self, items: Sequence[str | bytes]) -> Floats:
        """Encode texts: float32 (len(items), dim)."""
        ids = token_ids(self._tokenizer, [item if isinstance(item, str) else item.decode() for item in items])
        unique = sorted(set(ids), key=len)
        row = {tokens: i for i, tokens in enumerate(unique)}
        batches = [np.asarray(batch, dtype=np.int32) for batch in equal_lengths(unique, self._batch_tokens)]
        parts = side_by_side(self._run, batches)
        vectors = np.concatenate([*parts, np.empty((0, self.dim), dtype=np.float32)])
        return vectors[[row[tokens] for tokens in ids]] if ids else vectors

    def encode_query(self, text: str) -> Floats:
        """Encode a question, with the prefix that the model was trained to see before one."""
        # One question is asked for several times: by the search and by the memory.
        asked, row = self._asked
        if asked != text:
            row = self.encode([self.recipe.query_prefix + text])[0]
            self._asked = text, row
        return row

    def _draw(self, weights: Mapping[str, Any]) -> bert.Drawn:
        from quire.search.encoders import bert
        from quire.search.encoders.eight_bits import EightBits, watch

        config, pooling = self.recipe.config, self.recipe.pooling
        products: bert.Products = bert.Products()
        if self.precision == "int8":
            frame = token_ids(self._tokenizer, [""])[0]
            products = EightBits(watch(weights, config, frame=frame, max_tokens=self.max_tokens))
        return bert.draw(weights, config, pooling=pooling, normalise=True, products=products)

    def _run(self, ids: NDArray[np.int32]) -> Floats:
        feed: dict[str, NDArray[Any]] = {}
        for wanted in self._session.get_inputs():
            kind = np.int64 if "int64" in wanted.type else np.int32
            if wanted.name == "attention_mask":
                feed[wanted.name] = np.ones_like(ids, dtype=kind)
            elif wanted.name == "token_type_ids":
                feed[wanted.name] = np.zeros_like(ids, dtype=kind)
            else:
                feed[wanted.name] = ids.astype(kind, copy=False)
        names = [output.name for output in self._session.get_outputs()]
        wanted_output = next((n for n in ("embedding", "sentence_embedding") if n in names), names[0])
        output: Floats = self._session.run([wanted_output], feed)[0]
        if output.ndim == 3:
            output = output.mean(axis=1) if self.recipe.pooling == "mean" else output[:, 0]
        rows: Floats = output / np.maximum(np.linalg.norm(output, axis=1, keepdims=True), 1e-12)
        return rows


def equal_lengths(
    sequences: Sequence[tuple[int, ...]], batch_tokens: int
) -> Iterator[Sequence[tuple[int, ...]]]:
    """Cut a list sorted by length into runs of one length and at most `batch_tokens` tokens."""
    start = 0
    for end in range(1, len(sequences) + 1):
        length = len(sequences[start])
        full = (end - start + 1) * length > batch_tokens
        if end == len(sequences) or full or len(sequences[end]) != length:
            yield sequences[start:end]
            start = end


def recipe(folder: Path) -> Recipe:
    """Read a Sentence-Transformers folder (or a plain one of a BERT-like model: mean pooling)."""
    config = read_json(folder / "config.json")
    if "hidden_size" not in config:
        raise EncoderUnavailable(f"{folder}/config.json is not of a text encoder.")
    pooling = read_json(folder / "1_Pooling" / "config.json")
    modules = read_json(folder / "modules.json")
    limit = read_json(folder / "sentence_bert_config.json").get("max_seq_length")
    offset = 0 if config.get("model_type") == "bert" else 2
    prompts = read_json(folder / "config_sentence_transformers.json").get("prompts") or {}
    return Recipe(
        config=config,
        max_tokens=min(limit or 512, config.get("max_position_embeddings", 512) - offset),
        pooling="cls" if pooling.get("pooling_mode_cls_token") else "mean",
        normalise=any("Normalize" in module.get("type", "") for module in modules),
        query_prefix=str(prompts.get("query", "")),
    )


def read_json(file: Path) -> Any:
    """A JSON file of a model; {} if it is not there."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise EncoderUnavailable(f"{file} is not JSON: {error}.", hint="Download the model again.") from error
