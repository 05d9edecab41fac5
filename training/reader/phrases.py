"""Train what takes answers out of texts (`quire.search.phrases`), measured with papers left out.

    python -m training.reader.phrases QUESTIONS.jsonl.gz LIBRARY [--unseen DIR] [--out DIR] [--rounds N]

A unit that says a question's answer word for word (or as a number) teaches where it begins and ends. The
lower layers are those of the reader, as `training/reader/train.py --unseen` kept them, and stay as they are;
the upper ones go on from the reader's. The papers that the reader did not see (`papers.json`) teach nothing:
printed is how often the words that are taken out of their units are right by the questions' own evaluators.
"""

from __future__ import annotations

import argparse
import copy
import gzip
import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from rapidfuzz import fuzz
from safetensors.numpy import save_file
from torch import Tensor, nn

from quire import Library
from quire.ask.offline.extract.candidates import FoundUnit, candidates
from quire.eval.scorers.evaluators import read_evaluator
from quire.search.encoders.catalogue import MINILM_SOURCE
from quire.search.encoders.eight_bits import ranges_in
from quire.search.encoders.folders import require
from quire.search.encoders.graphs import loaded
from quire.search.phrases import OWN, best_span
from quire.search.reader import ALL, OVER, QUESTION, WEIGHTS, Passage, framed, passage
from training.manifest import digest
from training.ranking import train as ranking
from training.reader.network import GROUP, LAYERS, WIDTH, Network, as_bert, from_bert
from training.reader.train import Teacher, in_eight_bits

LOWER = 2  # layers that are the reader's
RATE, ROUNDS = 2e-4, 3
TAUGHT = 2  # units of a question, at most
_ALIKE, _SHORT = (
    80,
    6,
)  # how near the paper's words are to the answer, in percent; letters that are looked for


@dataclass(frozen=True)
class Pair:
    """A question and a unit that says its answer: tokens, where the unit's begin, the first and last told."""

    question: dict[str, Any]
    tokens: tuple[int, ...]
    begin: int
    offsets: Sequence[tuple[int, int]]
    said: str
    first: int
    last: int

    @property
    def ends(self) -> tuple[int, int]:
        """The first and the last token of the answer, among all."""
        return self.begin + self.first, self.begin + self.last


def place_of(gold: Any, text: str) -> tuple[int, int] | None:
    """The characters at which a text says the answer; None where it does not."""
    if gold is None or isinstance(gold, (bool, list)):
        return None
    if isinstance(gold, (int, float)):
        unit = FoundUnit(text, 0, 0.0, 1, "", "", "")
        return next(((c.start, c.end) for c in candidates([unit]) if abs(c.value - gold) < 1e-9), None)
    wanted, low = str(gold).strip().lower(), text.lower()
    if (at := low.find(wanted)) >= 0:
        return at, at + len(wanted)
    near = fuzz.partial_ratio_alignment(wanted, low) if len(wanted) >= _SHORT else None
    if near is None or near.score < _ALIKE:
        return None
    words = [
        w.span() for w in re.finditer(r"\w+", low) if w.end() > near.dest_start and w.start() < near.dest_end
    ]
    return (words[0][0], words[-1][1]) if words else None


def pair(teacher: Teacher, question: dict[str, Any], of: Passage, place: tuple[int, int]) -> Pair | None:
    """The pair, if the answer is among the tokens that are read."""
    ids = [teacher.tokens.encode(text, add_special_tokens=False) for text in (question["question"], *of)]
    tokens = framed(ids[0].ids, ids[1].ids, ids[2].ids, teacher.first, teacher.mark)
    begin = 3 + min(len(ids[0].ids), QUESTION) + min(len(ids[1].ids), OVER)
    offsets = ids[2].offsets[: len(tokens) - begin - 1]
    told = [n for n, (a, b) in enumerate(offsets) if a < place[1] and b > place[0]]
    return Pair(question, tokens, begin, offsets, of[1], told[0], told[-1]) if told else None


def pairs_of(teacher: Teacher, cases: Sequence[ranking.Case], titles: dict[str, str]) -> list[Pair]:
    """The pairs of all questions."""
    made = []
    for case in cases:
        gold, found = case.question["evaluator"].get("eval_kwargs", {}).get("gold"), 0
        for unit, worth in zip(case.units, case.worth, strict=True):
            of = passage(unit, "" if case.question["anchor_pdf"] else titles[unit.paper_id])
            place = place_of(gold, of[1]) if worth >= 2 and found < TAUGHT else None
            if place and (one := pair(teacher, case.question, of, place)):
                made.append(one)
                found += 1
    return made


class Upper(nn.Module):
    """The upper layers, and the scores of both ends."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.layers = nn.ModuleList(copy.deepcopy(layer) for layer in network.layers[LOWER:])
        self.ends = nn.Linear(WIDTH, 2)
        nn.init.normal_(self.ends.weight, std=0.02)

    def forward(self, rows: Tensor, lengths: Tensor) -> Tensor:
        """[batch, length, 2] of what the lower layers give."""
        there = torch.arange(rows.shape[1])[None] < lengths[:, None]
        mask = torch.where(there, 0.0, -1e4)[:, None, None].to(torch.bfloat16)
        rows = F.dropout(rows.float(), 0.1, self.training)
        with torch.autocast("cpu", torch.bfloat16):
            for layer in self.layers:
                rows = layer(rows, mask)
        ends: Tensor = self.ends(rows.float())
        return ends


@torch.no_grad()
def below(network: Network, pairs: Sequence[Pair]) -> list[Tensor]:
    """What the lower layers give for each pair."""
    network.eval()
    found: list[Any] = [None] * len(pairs)
    order = sorted(range(len(pairs)), key=lambda n: len(pairs[n].tokens))
    for start in range(0, len(order), GROUP):
        group = order[start : start + GROUP]
        lengths = [len(pairs[n].tokens) for n in group]
        tokens = torch.zeros(len(group), max(lengths), dtype=torch.long)
        for row, n in enumerate(group):
            tokens[row, : lengths[row]] = torch.tensor(pairs[n].tokens)
        with torch.autocast("cpu", torch.bfloat16):
            rows = network.rows(tokens, torch.tensor(lengths), LOWER)
        for row, n in enumerate(group):
            found[n] = rows[row, : lengths[row]].to(torch.bfloat16)
    return found


def batch(rows: Sequence[Tensor], pairs: Sequence[Pair]) -> tuple[Tensor, Tensor, Tensor]:
    """Padded rows, lengths, and which tokens are the units'."""
    longest = max(map(len, rows))
    padded = torch.zeros(len(rows), longest, WIDTH, dtype=torch.bfloat16)
    inside = torch.zeros(len(rows), longest, dtype=torch.bool)
    for n, (own, one) in enumerate(zip(rows, pairs, strict=True)):
        padded[n, : len(own)] = own
        inside[n, one.begin : one.begin + len(one.offsets)] = True
    return padded, torch.tensor([len(own) for own in rows]), inside


def teach(upper: Upper, rows: Sequence[Tensor], pairs: Sequence[Pair], rounds: int) -> None:
    """Cross-entropy of both ends."""
    draw, done = random.Random(1), 0
    steps = max(1, rounds * (len(pairs) // GROUP))
    optimizer = torch.optim.AdamW(upper.parameters(), lr=RATE, weight_decay=0.01, betas=(0.9, 0.98))
    upper.train()
    for _ in range(rounds):
        order = draw.sample(range(len(pairs)), len(pairs))
        for start in range(0, len(order) - GROUP + 1, GROUP):
            some = order[start : start + GROUP]
            padded, lengths, inside = batch([rows[n] for n in some], [pairs[n] for n in some])
            scores = upper(padded, lengths).masked_fill(~inside[..., None], -1e9)
            firsts, lasts = (torch.tensor([pairs[n].ends[end] for n in some]) for end in (0, 1))
            loss = F.cross_entropy(scores[..., 0], firsts) + F.cross_entropy(scores[..., 1], lasts)
            for group in optimizer.param_groups:
                group["lr"] = RATE * min(1.0, (done + 1) / (0.08 * steps)) * max(0.02, 1 - done / steps)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(upper.parameters(), 1.0)
            optimizer.step()
            done += 1
            if not done % 40:
                print(f"{done} of {steps}: loss {float(loss.detach()):.3f}", flush=True)


@torch.no_grad()
def measured(upper: Upper, rows: Sequence[Tensor], pairs: Sequence[Pair]) -> str:
    """How often the words taken out are right, and of the surest quarter."""
    upper.eval()
    told: list[tuple[float, bool]] = []
    for own, one in zip(rows, pairs, strict=True):
        scores = upper(own[None], torch.tensor([len(own)]))[
            0, one.begin : one.begin + len(one.offsets)
        ].numpy()
        first, last, sure = best_span(scores[:, 0], scores[:, 1])
        value = one.said[one.offsets[first][0] : one.offsets[last][1]]
        told.append((sure, right(one.question, value)))
    told.sort(reverse=True)
    shares = [float(np.mean([good for _, good in told[: max(1, len(told) // part)]])) for part in (1, 4)]
    return f"of {len(told)} units that say it right {shares[0]:.3f}, of the surest quarter {shares[1]:.3f}"


def right(question: dict[str, Any], value: str) -> bool:
    """By the question's own evaluator; of a number by the first one in it."""
    gold = question["evaluator"]["eval_kwargs"]["gold"]
    if isinstance(gold, (int, float)):
        found = candidates([FoundUnit(value, 0, 0.0, 1, "", "", "")])
        return bool(found) and abs(found[0].value - gold) < 1e-9
    return bool(read_evaluator(question["evaluator"]).evaluator(value).value >= 1)


def export(network: Network, upper: Upper, pairs: Sequence[Pair], out: Path) -> None:
    """Write the upper layers in eight bits, with the ranges of what goes into their products."""
    whole = copy.deepcopy(network)
    whole.layers[LOWER:] = upper.layers
    weights = as_bert(whole, ALL)
    config = json.loads((WEIGHTS / "config.json").read_text("utf-8"))
    words = {"embeddings.word_embeddings.weight": network.word.weight.detach().numpy()}
    ranges = ranges_in(
        {**weights, **words}, config, [np.asarray([one.tokens], dtype=np.int32) for one in pairs]
    )
    above = tuple(f"encoder.layer.{n}." for n in range(LOWER, LAYERS))
    kept: dict[str, NDArray[Any]] = in_eight_bits(
        {name: value for name, value in weights.items() if name.startswith(above)}
    )
    sites = tuple(f"{n}." for n in range(LOWER, LAYERS))
    kept |= {f"range.{site}": np.stack(both) for site, both in ranges.items() if site.startswith(sites)}
    kept["ends.weight"] = upper.ends.weight.detach().numpy()
    kept["ends.bias"] = upper.ends.bias.detach().numpy()
    out.mkdir(parents=True, exist_ok=True)
    save_file(kept, out / "model8.safetensors")
    (out / "config.json").write_text(json.dumps(config, indent=1) + "\n", "utf-8")


def main() -> None:
    """Train, measure, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("questions", type=Path)
    parser.add_argument("library", type=Path)
    parser.add_argument("--unseen", type=Path, required=True, help="what training/reader/train.py kept there")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--trial", type=int, default=0, help="so many questions alone")
    parser.add_argument("--out", type=Path, default=OWN)
    given = parser.parse_args()
    with gzip.open(given.questions, "rt", encoding="utf-8") as lines:
        questions = [json.loads(line) for line in lines]
    if given.trial:
        questions = random.Random(5).sample(questions, given.trial)
    out = set(json.loads((given.unseen / "papers.json").read_text("utf-8")))
    minilm = require(MINILM_SOURCE)
    teacher = Teacher(minilm)
    network = from_bert({**loaded(minilm), **loaded(given.unseen)}, teacher.network)
    with Library.open(given.library) as library:
        titles = {paper.id: paper.title for paper in library.papers()}
        pairs = pairs_of(teacher, ranking.cases(library, questions), titles)
    rows = below(network, pairs)
    inner = [n for n, one in enumerate(pairs) if one.question["source_pdf"] not in out]
    outer = [n for n, one in enumerate(pairs) if one.question["source_pdf"] in out]
    upper = Upper(network)
    teach(upper, [rows[n] for n in inner], [pairs[n] for n in inner], given.rounds)
    figure = measured(upper, [rows[n] for n in outer], [pairs[n] for n in outer])
    print(figure)
    export(network, upper, random.Random(2).sample(pairs, min(len(pairs), 200)), given.out)
    manifest = {
        "sha256": digest(given.out / "model8.safetensors"),
        "made": "python -m training.reader.phrases",
        "figures": [figure],
        "files": {
            path.name: digest(path)[:16] for path in (given.questions, given.unseen / "model8.safetensors")
        },
    }
    (given.out / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
