"""The reader as a PyTorch network: all-MiniLM-L6-v2 over question and unit, a score at the first token.

Word vectors stay as they are, so that the package need not hold them. Padded groups of about equal length
in bfloat16 where the processor has it (elsewhere it is sixty times as slow as float32); attention is
written out, as the fused one is slow backwards on processors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from training import wanted

torch = wanted("torch")
nn, Tensor, F = torch.nn, torch.Tensor, torch.nn.functional

WIDTH, HEADS, LAYERS, VOCABULARY, POSITIONS = 384, 12, 6, 30522, 512
GROUP = 32  # sequences that are padded to one length
_FAR = -1e4
_HALF = torch.ops.mkldnn._is_mkldnn_bf16_supported()
_EMBEDDED = "embeddings.word_embeddings.weight"


class Layer(nn.Module):
    """One layer of BERT (post-norm)."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.first, self.second = nn.LayerNorm(WIDTH, eps=1e-12), nn.LayerNorm(WIDTH, eps=1e-12)
        self.dropout = dropout

    def forward(self, rows: Tensor, mask: Tensor) -> Tensor:
        """Rows of tokens [batch, length, width]."""
        batch, length, _ = rows.shape
        parts = self.qkv(rows).view(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        query, key, value = parts
        weights = ((query * (WIDTH // HEADS) ** -0.5) @ key.transpose(-1, -2) + mask).softmax(-1)
        attended = (weights @ value).transpose(1, 2).reshape(batch, length, WIDTH)
        rows = self.first(rows + self.out(attended))
        down = F.dropout(self.down(F.gelu(self.up(rows))), self.dropout, self.training)
        return self.second(rows + down)


class Network(nn.Module):
    """Scores of sequences of tokens."""

    def __init__(self, dropout: float = 0.1) -> None:
        super().__init__()
        self.word, self.position = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(POSITIONS, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(LAYERS))
        self.head = nn.Linear(WIDTH, 1)
        self.dropout = dropout
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)
        self.word.weight.requires_grad_(False)

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        """A score for each row of padded tokens."""
        length = tokens.shape[1]
        there = torch.arange(length)[None] < lengths[:, None]
        mask = torch.where(there, 0.0, _FAR)[:, None, None].to(torch.bfloat16 if _HALF else torch.float32)
        rows = self.norm(self.word(tokens) + self.position.weight[:length])
        rows = F.dropout(rows, self.dropout, self.training)
        for layer in self.layers:
            rows = layer(rows, mask)
        scores: Tensor = self.head(rows[:, 0])[:, 0].float()
        return scores

    def scores(self, sequences: Sequence[Sequence[int]]) -> Tensor:
        """A score for each sequence."""
        order = sorted(range(len(sequences)), key=lambda n: len(sequences[n]))
        parts = []
        with torch.autocast("cpu", torch.bfloat16, enabled=_HALF):
            for start in range(0, len(order), GROUP):
                group = order[start : start + GROUP]
                tokens = torch.zeros(len(group), len(sequences[group[-1]]), dtype=torch.long)
                for row, n in enumerate(group):
                    tokens[row, : len(sequences[n])] = torch.tensor(sequences[n])
                parts.append(self(tokens, torch.tensor([len(sequences[n]) for n in group])))
        return torch.cat(parts)[torch.tensor(np.argsort(order))]


class Average:
    """The running mean of what is learned; it does better than where training ends."""

    def __init__(self, network: Network, decay: float) -> None:
        self.decay, self.steps = decay, 0
        self.learned = {name: value.detach().clone() for name, value in learned(network).items()}

    def update(self, network: Network) -> None:
        """Move towards the weights of now."""
        self.steps += 1
        decay = min(self.decay, (1 + self.steps) / (10 + self.steps))
        with torch.no_grad():
            for name, value in learned(network).items():
                self.learned[name].lerp_(value, 1 - decay)


def learned(network: Network) -> dict[str, Tensor]:
    """Everything but the word vectors."""
    return {name: value for name, value in network.state_dict().items() if not name.startswith("word")}


def from_minilm(weights: Mapping[str, Any]) -> Network:
    """The network with the weights of all-MiniLM-L6-v2, before any training."""
    prefix = next(name for name in weights if name.endswith(_EMBEDDED))[: -len(_EMBEDDED)]
    network, names = Network(), dict(_names())
    segment = torch.tensor(np.float32(weights[f"{prefix}embeddings.token_type_embeddings.weight"][0]))
    with torch.no_grad():
        network.word.weight.copy_(torch.tensor(np.float32(weights[prefix + _EMBEDDED])))
        for own, theirs in names.items():
            value = np.concatenate([np.float32(weights[prefix + name]) for name in theirs])
            network.get_parameter(own).copy_(torch.tensor(value))
        network.position.weight.add_(segment)
    return network


def resume(network: Network, weights: Mapping[str, Any]) -> None:
    """Take over what `as_bert` gave; positions beyond those that were kept stay as they are."""
    with torch.no_grad():
        for own, theirs in _names():
            value = torch.tensor(np.concatenate([np.float32(weights[name]) for name in theirs]))
            network.get_parameter(own)[: len(value)].copy_(value)
        network.head.weight.copy_(torch.tensor(np.float32(weights["head.weight"])))


def as_bert(network: Network, positions: int) -> dict[str, np.ndarray[Any, Any]]:
    """What was learned under BERT's names; `positions` are kept. The segment is in the positions."""
    found = {}
    for own, theirs in _names():
        value = network.get_parameter(own).detach().float().numpy()
        found |= dict(zip(theirs, np.split(value, len(theirs)), strict=True))
    name = "embeddings.position_embeddings.weight"
    found[name] = found[name][:positions]
    found["embeddings.token_type_embeddings.weight"] = np.zeros((1, WIDTH), dtype=np.float32)
    found["head.weight"] = network.head.weight.detach().float().numpy()
    return found


def _names() -> list[tuple[str, tuple[str, ...]]]:
    """The parameters, and what each consists of in BERT's names."""
    pairs = [("position.weight", ("embeddings.position_embeddings.weight",))]
    for end in ("weight", "bias"):
        pairs.append((f"norm.{end}", (f"embeddings.LayerNorm.{end}",)))
        for n in range(LAYERS):
            at = f"encoder.layer.{n}"
            inner = tuple(f"{at}.attention.self.{part}.{end}" for part in ("query", "key", "value"))
            pairs += [
                (f"layers.{n}.qkv.{end}", inner),
                (f"layers.{n}.out.{end}", (f"{at}.attention.output.dense.{end}",)),
                (f"layers.{n}.first.{end}", (f"{at}.attention.output.LayerNorm.{end}",)),
                (f"layers.{n}.up.{end}", (f"{at}.intermediate.dense.{end}",)),
                (f"layers.{n}.down.{end}", (f"{at}.output.dense.{end}",)),
                (f"layers.{n}.second.{end}", (f"{at}.output.LayerNorm.{end}",)),
            ]
    return pairs
