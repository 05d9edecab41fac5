"""Train the reader of `Library.search`, measured with papers left out; writes `quire/search/encoders/reader`.

    python -m training.reader.train QUESTIONS.jsonl.gz LIBRARY [--asked FILE ...] [--left-out N]
        [--writers w2,...] [--onwards] [--out DIR] [--unseen DIR] [--trial N]

Questions are those of `training/ranking/train.py`, whose papers are in the library; PyTorch and LightGBM are
wanted. First comes a short course of made-up questions (`made_up.py`), then three of the questions at hand:
which of ten units of the paper says the answer (listwise softmax), and which at least a part of it? Those
that say it elsewhere are right, too, those that may say it neither right nor wrong. `--asked` gives a fourth
course more questions (`training/asked.jsonl.gz`). Words of questions are left out or swapped for near ones,
so that no writer's manner is learned. What is printed then is of the papers left out and, by `--writers`, of
writers left out, over trees that saw neither. A last course goes on with these papers and writers.

`--onwards` goes on from the reader in the package, with one course of `--asked` and as many of the others:
nothing is left out, `training/reader/measure.py` tells what it reached. So the shipped one learned from
`asked_later.jsonl.gz`.

`--unseen` keeps the reader and the trees as they are before that course, with the names of the papers that
neither saw: what judges answers (`training/answers/headline.py`) is fitted to those. `--trial` takes so many
questions and a few steps, to see that all of it runs.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from quire import Library
from quire.search import ranking as search
from quire.search.asked import read
from quire.search.cells import Unit
from quire.search.encoders.eight_bits import Ranges, ranges_in
from quire.search.encoders.graphs import loaded
from quire.search.encoders.tokenizers import tokenizer
from quire.search.models import MINILM_SOURCE, require
from quire.search.reader import ALL, WEIGHTS, Passage, framed, passage
from quire.search.view import View
from training import wanted
from training.minilm import counted
from training.questions import read_asked, read_questions, view_in
from training.ranking import train as ranking
from training.reader.made_up import question as made_up
from training.reader.network import Average, as_bert, from_minilm, resume

torch = wanted("torch")

SEEN, NEAR = 60, 24  # candidates of a question; those from which most wrong ones are drawn
RIGHT, PARTLY = 3, 2  # of a question, that say it or a part of it: so many are read at once, at most
PART, ONLY_PART = 0.5, 0.7  # weight of what says a part, beside what says it, or where nothing does
SENTENCES, ROWS = 110, 30  # of a paper, asked about in made-up questions
MADE_UP = 1900
READ = (12, 16, 24)
WEIGHTS_TRIED = (0.1, 0.2, 0.4, 0.8)


@dataclass(frozen=True)
class Course:
    """How long and how fast is learned, from how much at once, and how noisy the questions are."""

    rounds: int
    rate: float
    questions: int = 10
    candidates: int = 10
    kept: float = 0.99  # of the running mean, each step
    dropped: float = 0.08
    swapped: float = 0.08


FIRST = Course(1, 1e-4, questions=12, candidates=8, kept=0.98, dropped=0.03, swapped=0.25)
MIDDLE = Course(3, 8e-5)
ASKED = Course(1, 6e-5, questions=16, candidates=8)
LAST = Course(1, 4e-5)
ONWARDS = Course(2, 5e-5, questions=16, candidates=10)


@dataclass(frozen=True)
class Item:
    """A question with its candidates, best first; `right` say it, `partly` a part, `unsure` may."""

    text: str
    passages: Sequence[Passage]
    right: NDArray[np.bool_]
    partly: NDArray[np.bool_]
    unsure: NDArray[np.bool_]
    paper: str
    writer: str = ""


class Teacher:
    """The network in training, and how questions and units become tokens."""

    def __init__(self, minilm: Path, seed: int = 1) -> None:
        torch.manual_seed(seed)
        self.network = from_minilm(loaded(minilm))
        self._tokens = tokenizer(minilm, None)
        self._first, self._mark = self._tokens.encode("").ids
        self._known: dict[str, list[int]] = {}
        self._near: dict[int, list[int]] = {}
        self._draw = random.Random(seed)

    def teach(self, items: Sequence[Item], course: Course) -> None:
        """One course over the items; the network is then the running mean of what it was."""
        parameters = [value for value in self.network.parameters() if value.requires_grad]
        groups = [
            {"params": [value for value in parameters if value.ndim > 1], "weight_decay": 0.01},
            {"params": [value for value in parameters if value.ndim < 2], "weight_decay": 0.0},
        ]
        optimizer = torch.optim.AdamW(groups, lr=course.rate, betas=(0.9, 0.98))
        average, steps = Average(self.network, course.kept), course.rounds * (len(items) // course.questions)
        self.network.train()
        for step in range(steps):
            if not step % (len(items) // course.questions):
                order = self._draw.sample(range(len(items)), len(items))
            chosen = [items[order.pop()] for _ in range(course.questions)]
            rate = course.rate * min(1.0, (step + 1) / (0.08 * steps)) * max(0.02, 1 - step / steps)
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.zero_grad()
            loss = self._loss(chosen, course)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            average.update(self.network)
            if step % 50 == 49:
                print(f"{step + 1} of {steps}: loss {float(loss.detach()):.3f}", flush=True)
        self.network.load_state_dict(average.learned, strict=False)

    @torch.no_grad()
    def scores(self, item: Item, most: int) -> NDArray[np.float32]:
        """What the network says of the first candidates."""
        self.network.eval()
        question = self._ids(item.text)
        found = self.network.scores([self._framed(question, each) for each in item.passages[:most]])
        return np.asarray(found.numpy(), dtype=np.float32)

    def sequences(self, item: Item, most: int) -> list[tuple[int, ...]]:
        """The tokens of the first candidates."""
        return [self._framed(self._ids(item.text), each) for each in item.passages[:most]]

    def _loss(self, items: Sequence[Item], course: Course) -> torch.Tensor:
        sequences: list[tuple[int, ...]] = []
        runs = []
        for item in items:
            parts = self._chosen(item, course)
            question = self._noisy(self._ids(item.text), course)
            sequences += [self._framed(question, item.passages[n]) for part in parts for n in part]
            runs.append([len(part) for part in parts])
        scores, losses, done = self.network.scores(sequences), [], 0
        for right, partly, wrong in runs:
            own = scores[done : done + right + partly + wrong]
            done += len(own)
            loss = torch.zeros(())
            if right:
                loss = loss + torch.logsumexp(own, 0) - torch.logsumexp(own[:right], 0)
            if partly:
                rest = own[right:]
                lost = torch.logsumexp(rest, 0) - torch.logsumexp(rest[:partly], 0)
                loss = loss + (PART if right else ONLY_PART) * lost
            losses.append(loss)
        return torch.stack(losses).mean()

    def _chosen(self, item: Item, course: Course) -> tuple[list[int], list[int], list[int]]:
        """Numbers of candidates: right ones, those that say a part, and wrong ones, most of them near."""
        wrong = np.flatnonzero(~item.right & ~item.partly & ~item.unsure).tolist()
        right, partly = (
            self._draw.sample(np.flatnonzero(told).tolist(), min(int(told.sum()), most))
            for told, most in ((item.right, RIGHT), (item.partly, PARTLY))
        )
        left = course.candidates - len(right) - len(partly)
        near = self._draw.sample(wrong[:NEAR], min(len(wrong[:NEAR]), left - left // 5))
        rest = [n for n in wrong if n not in set(near)]
        return right, partly, near + self._draw.sample(rest, min(len(rest), left - len(near)))

    def _framed(self, question: Sequence[int], passage: Passage) -> tuple[int, ...]:
        over, said = passage
        return framed(question, self._ids(over), self._ids(said), self._first, self._mark)

    def _ids(self, text: str) -> list[int]:
        if text not in self._known:
            self._known[text] = self._tokens.encode(text, add_special_tokens=False).ids
        return self._known[text]

    def _noisy(self, question: list[int], course: Course) -> list[int]:
        """The question with words left out, or words of about the same meaning in their place."""
        out = []
        for token in question:
            name, chance = self._tokens.id_to_token(token), self._draw.random()
            word = name.isalpha() and len(name) > 2
            if word and chance < course.dropped:
                continue
            if word and chance < course.dropped + course.swapped and (near := self._alike(token)):
                token = self._draw.choice(near)
            out.append(token)
        return out or question

    def _alike(self, token: int) -> list[int]:
        if token not in self._near:
            vectors = self.network.word.weight
            cosines = torch.nn.functional.cosine_similarity(vectors, vectors[token][None])
            values, tokens = cosines.topk(6)
            self._near[token] = [
                int(other)
                for other, value in zip(tokens, values, strict=True)
                if value > 0.45 and other != token and self._tokens.id_to_token(int(other)).isalpha()
            ]
        return self._near[token]


def items_of(cases: Sequence[ranking.Case], orders: Sequence[NDArray[np.float64]], titles: Any) -> list[Item]:
    """The questions some of whose candidates say it."""
    made = []
    for case, scores in zip(cases, orders, strict=True):
        order = np.argsort(-scores, kind="stable")[:SEEN]
        right = case.worth >= 2
        partly = (case.worth == 1) & ("says" in case.question)
        unsure = ((case.worth > 0) | gives(case)) & ~right & ~partly
        titled = not case.question["anchor_pdf"]
        passages = [passage(case.units[n], titles[case.units[n].paper_id] if titled else "") for n in order]
        writer = (case.question["uuid"].split("-")[-2:-1] or [""])[0]
        told = (right[order], partly[order], unsure[order])
        made.append(Item(case.question["question"], passages, *told, case.question["source_pdf"], writer))
    return made


def gives(case: ranking.Case) -> NDArray[np.bool_]:
    """Which candidates hold the answer's value on the noted page."""
    gold = str(case.question["evaluator"].get("eval_kwargs", {}).get("gold", "")).strip().lower()
    if len(gold) < 2 or gold in ("true", "false", "yes", "no"):
        return np.zeros(len(case.units), dtype=np.bool_)
    return np.asarray(
        [unit.page == case.question["page"] and gold in unit.quote.lower() for unit in case.units]
    )


def made_up_items(library: Library, view: View, papers: dict[str, str], draw: random.Random) -> list[Item]:
    """Made-up questions to papers (name: id), each with what a search for it finds in its paper."""
    made = []
    for name, paper in sorted(papers.items()):
        number = view.live.numbers[paper]
        units = [view.unit(n) for n in range(int(view.live.first[number]), int(view.live.last[number]))]
        kinds: list[list[Unit]] = [[u for u in units if u.kind == kind] for kind in ("sentence", "row")]
        asked = [draw.sample(own, min(len(own), n)) for own, n in zip(kinds, (SENTENCES, ROWS), strict=True)]
        for unit in (*asked[0], *asked[1]):
            if (made_of_it := made_up(unit, draw)) is None:
                continue
            text, value = made_of_it
            found = library._resources.ranker.candidates(view, read(text), papers=[paper], part="")
            order = np.argsort(-found.both, kind="stable")[:40]
            near = [view.unit(int(found.ids[n])) for n in order]
            right = np.asarray([each.text == unit.text for each in near])
            unsure = np.asarray([bool(value) and value in each.text for each in near])
            if right.any():
                told = (right, np.zeros_like(right), unsure & ~right)
                made.append(Item(text, [passage(each) for each in near], *told, name))
    return draw.sample(made, min(len(made), MADE_UP))


def measured(
    teacher: Teacher, items: Sequence[Item], scores: Sequence[NDArray[np.float64]], title: str
) -> None:
    """Print how often the first, and one of three, say it: by the ranking, and with what the reader adds."""
    said = [teacher.scores(item, max(READ)) for item in items]
    settings = [(0, 0.0), *((most, weight) for most in READ for weight in WEIGHTS_TRIED)]
    told = np.asarray(  # [setting, item, (the first says it, one of three does)]
        [
            [_says_it(*each, most, weight) for each in zip(items, said, scores, strict=True)]
            for most, weight in settings
        ]
    )
    for (most, weight), (first, three) in zip(settings, told.mean(axis=1), strict=True):
        print(f"{title}: {most} read, {weight} of it: {first:.3f} / {three:.3f} of {len(items)}")
    names = sorted({item.paper for item in items})
    odd = np.asarray([names.index(item.paper) % 2 == 1 for item in items])
    if len(names) > 1:
        halves = ((odd, ~odd), (~odd, odd))  # on which a setting is chosen, and measured
        shown = [told[told[:, on, 0].mean(axis=1).argmax(), of] for on, of in halves]
        first, three = np.concatenate(shown).mean(axis=0)
        print(f"{title}: chosen on the other half of the papers: {first:.3f} / {three:.3f}")


def _says_it(
    item: Item, read_: NDArray[np.float64], own: NDArray[np.float64], most: int, weight: float
) -> tuple[bool, bool]:
    """Whether the first says it, and one of three, with so much of the reader on the first `most`."""
    order = np.arange(len(item.right))
    if most:
        both = own[:most] + weight * (read_[:most] - read_[:most].mean())
        order[: len(both)] = np.argsort(-both, kind="stable")
    return bool(item.right[order[:1]].any()), bool(item.right[order[:3]].any())


def export(teacher: Teacher, some: Sequence[Item], out: Path) -> None:
    """Write the weights in eight bits, and the ranges of what goes into each product."""
    weights = as_bert(teacher.network, ALL)
    config = {
        "model_type": "bert", "hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12,
        "layer_norm_eps": 1e-12, "vocab_size": 30522,
    }  # fmt: skip
    words = {"embeddings.word_embeddings.weight": teacher.network.word.weight.detach().numpy()}
    texts = [np.asarray([ids], dtype=np.int32) for item in some for ids in teacher.sequences(item, 4)]
    ranges: Ranges = ranges_in({**weights, **words}, config, texts)
    kept: dict[str, NDArray[Any]] = {f"range.{site}": np.stack(both) for site, both in ranges.items()}
    out.mkdir(parents=True, exist_ok=True)
    save_file(kept | counted(weights, 0), out / "model8.safetensors")
    (out / "config.json").write_text(json.dumps(config, indent=1) + "\n", "utf-8")


def left_out_scores(
    cases: Sequence[ranking.Case], out: set[str], kept: Path | None
) -> list[NDArray[np.float64]]:
    """Scores of every case by trees that saw neither it nor its paper; those left out teach none of them.

    The trees for those left out are written into `kept`, if it is given.
    """
    papers = sorted({case.question["source_pdf"] for case in cases} - out)
    parts = [out, *({*papers[n :: ranking.FOLDS]} for n in range(ranking.FOLDS))]
    scores: list[Any] = [None] * len(cases)
    for scope in (True, False):
        own = [n for n, case in enumerate(cases) if bool(case.question["anchor_pdf"]) == scope]
        for part in parts:
            hidden = part | out
            teaching = [cases[n] for n in own if cases[n].question["source_pdf"] not in hidden]
            trees = ranking.fit(teaching, [np.zeros(len(case.rows)) for case in teaching], trees=300)
            if kept is not None and part is out:
                ranking.export(trees, kept / f"ranking_{'paper' if scope else 'library'}.npz")
            for n in own:
                if cases[n].question["source_pdf"] in part:
                    scores[n] = np.asarray(trees.predict(cases[n].rows))
    return scores


def onwards(library: Path, questions: list[dict[str, Any]], more: list[dict[str, Any]], out: Path) -> None:
    """Teach the reader in the package `more`, and as many of the others, so that it forgets none of them.

    The candidates are those that the ranking in the package puts first. Of the others only those teach whose
    units somebody judged.
    """
    judged = [each for each in questions if each["anchor_pdf"] and "says" in each]
    asked = [*random.Random(5).sample(judged, min(len(judged), len(more))), *more]
    teacher = Teacher(require(MINILM_SOURCE))
    resume(teacher.network, loaded(WEIGHTS))
    with Library.open(library) as opened:
        cases = ranking.cases(opened, asked)
        trees = [search.ranking_model(case.question["anchor_pdf"]) for case in cases]
        orders = [np.float64(each.scores(case.rows)) for each, case in zip(trees, cases, strict=True)]
        items = items_of(cases, orders, {paper.id: paper.title for paper in opened.papers()})
    told = [item for item in items if item.right.any()]
    teacher.teach(told, ONWARDS)
    export(teacher, random.Random(7).sample(told, min(len(told), 150)), out)


def main() -> None:
    """Train, measure, train on, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("questions", type=Path)
    parser.add_argument("library", type=Path)
    parser.add_argument(
        "--asked", type=Path, nargs="+", default=(), help="more questions, whose papers are in the library"
    )
    parser.add_argument("--left-out", type=int, default=18, help="papers that the figures are of")
    parser.add_argument("--writers", default="w2", help="whose questions are left out, too")
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    parser.add_argument("--unseen", type=Path, help="folder for reader and trees without these papers")
    parser.add_argument("--trial", type=int, default=0, help="so many questions alone, and few made-up ones")
    parser.add_argument("--onwards", action="store_true", help="go on from the reader in the package")
    given = parser.parse_args()
    questions = read_questions(given.questions)
    more = read_asked(*given.asked)
    if given.trial:
        questions = random.Random(5).sample(questions, given.trial)
        more = more[: given.trial]
    if given.onwards:
        if given.unseen:
            parser.error("--onwards leaves nothing out that --unseen could keep.")
        onwards(given.library, questions, more, given.out)
        return
    names = sorted({each["source_pdf"] for each in questions})
    out = set(random.Random(5).sample(names, given.left_out))
    writers = set(given.writers.split(","))
    minilm, draw = require(MINILM_SOURCE), random.Random(7)
    teacher = Teacher(minilm)
    with Library.open(given.library) as library:
        cases = ranking.cases(library, questions)
        asked = ranking.cases(library, more)
        titles = {paper.id: paper.title for paper in library.papers()}
        papers = {name: library.paper(f"{name}.pdf").id for name in names if name not in out}
        some = dict(sorted(papers.items())[: 1 if given.trial else None])
        begun = made_up_items(library, view_in(library), some, draw)[: given.trial or None]
    if given.unseen:
        given.unseen.mkdir(parents=True, exist_ok=True)
        (given.unseen / "papers.json").write_text(json.dumps(sorted(out)) + "\n", "utf-8")
    scores = left_out_scores(cases, out, given.unseen)
    items = items_of(cases, scores, titles)
    told = [bool((item.right | item.partly).any()) for item in items]
    inner = [n for n, item in enumerate(items) if item.paper not in out and item.writer not in writers]
    teacher.teach(begun, FIRST)
    natural = [items[n] for n in inner if told[n]]
    teacher.teach(natural, MIDDLE)
    told_of = [item for item in items_of(asked, [case.both for case in asked], titles) if item.right.any()]
    further = [item for item in told_of if item.paper not in out]
    if further:
        teacher.teach([*natural, *further], ASKED)
    if given.unseen:
        export(teacher, draw.sample(items, min(len(items), 150)), given.unseen)
    for title, of in (
        ("papers left out", lambda w: w not in writers),
        ("and writers", lambda w: w in writers),
    ):
        tried = [n for n, item in enumerate(items) if item.paper in out and of(item.writer)]
        if not tried:
            continue
        own = [np.sort(scores[n])[::-1][:SEEN] for n in tried]
        measured(teacher, [items[n] for n in tried], own, title)
    seen = set(inner)
    last = [item for n, item in enumerate(items) if told[n] and n not in seen]
    teacher.teach([*last, *(item for item in told_of if item.paper in out)], LAST)
    export(teacher, draw.sample(items, min(len(items), 150)), given.out)


if __name__ == "__main__":
    main()
