"""Whether words could lie in a Milvus beside the vectors: the same candidates, the same ranking, how long?

    python benchmarks/words_in_milvus.py --library DIR [--milvus PATH or http://HOST:PORT] [--queries 140]

Each ranked entry becomes a sparse vector of quire's own terms: number of the term -> its weight in BM25; the
query's has idf. The server needs sparse vectors (from 2.4 on; Milvus Lite has them). Questions are those of
`training/questions.jsonl.gz`, asked of the whole library: which of the thousand candidates by words are the
same, whether the first ten hits are, and the milliseconds of a look-up here and there. The library is only read.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from quire import Library
from quire.library.indexing import view_of
from quire.search import MINILM, signals
from quire.search.asked import Asked, read
from quire.search.batch import WORDS
from quire.search.ranking import Ranker
from quire.search.slots import Ids
from quire.search.view import RANKED, Scope, View

QUESTIONS = Path(__file__).parents[1] / "training" / "questions.jsonl.gz"
NAME = "quire_words"


class Words:
    """The words of a view's ranked entries in a Milvus."""

    def __init__(self, client: Any, view: View) -> None:
        from pymilvus import DataType

        self.client = client
        schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field("id", DataType.INT64, is_primary=True)
        schema.add_field("words", DataType.SPARSE_FLOAT_VECTOR)
        made = client.prepare_index_params()
        made.add_index("words", index_type="SPARSE_INVERTED_INDEX", metric_type="IP")
        client.create_collection(NAME, schema=schema, index_params=made)
        ids = view.scope(RANKED).ids
        for start in range(0, len(ids), 1000):
            client.insert(NAME, [row for row in self.rows(view, ids[start : start + 1000]) if row["words"]])
        client.flush(NAME)
        client.load_collection(NAME)

    def rows(self, view: View, ids: Ids) -> list[dict[str, Any]]:
        """Entries with the weights that BM25 gives their words, without idf."""
        flat, owner = view.slots.lists(ids, WORDS)
        norm = signals.K1 * (1 - signals.B + signals.B * view.slots.lengths(ids) / view.average())
        rows: list[dict[str, Any]] = []
        for at, id in enumerate(ids.tolist()):
            terms, counts = np.unique(flat[owner == at], return_counts=True)
            weights = (counts / (counts + norm[at])).tolist()
            rows.append({"id": id, "words": dict(zip(terms.tolist(), weights, strict=True))})
        return rows

    def said_in(self, scope: Scope, asked: Asked, limit: int) -> Ids:
        """As `signals.said_in`, for the scope of the whole library."""
        counts = scope.view.words.frequencies(asked.stems, scope.mask)
        df = np.asarray([counts[stem] for stem in asked.stems], dtype=np.float64)
        idf = np.log(1 + (scope.size - df + 0.5) / (df + 0.5)).tolist()
        if not asked.terms:
            return np.empty(0, dtype=np.int64)
        found = self.client.search(
            NAME,
            data=[dict(zip(asked.terms, idf, strict=True))],
            anns_field="words",
            limit=limit,
            output_fields=["id"],
            search_params={"metric_type": "IP"},
        )[0]
        return np.sort(np.asarray(found.ids, dtype=np.int64))


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    return call(), 1000 * (time.perf_counter() - start)


def main() -> None:
    """Compare both."""
    from pymilvus import MilvusClient

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--milvus", default="")
    parser.add_argument("--queries", type=int, default=140)
    options = parser.parse_args()
    questions = [json.loads(line)["question"] for line in gzip.open(QUESTIONS)][: 7 * options.queries : 7]
    with tempfile.TemporaryDirectory() as folder, Library.open(options.library) as library:
        resources = library._resources
        with resources.database.reading() as connection:
            view = view_of(resources, connection)
        client = MilvusClient(options.milvus or f"{folder}/words.db")
        there, seconds = timed(lambda: Words(client, view))
        ranker, scope = Ranker(resources.encoder(MINILM)), view.scope(RANKED)
        here, same, shared = signals.said_in, 0, []
        took: dict[str, list[float]] = {"here": [], "there": []}
        for question in questions:
            asked, hits = read(question), []
            for name, look in (("here", here), ("there", there.said_in)):
                ids, ms = timed(lambda look=look, asked=asked: look(scope, asked, 1000))
                took[name].append(ms)
                signals.said_in = look
                hits.append(
                    (set(ids.tolist()), [(one.id, one.score) for one in ranker.rank(view, question)[:10]])
                )
            signals.said_in = here
            shared.append(len(hits[0][0] & hits[1][0]) / max(1, len(hits[0][0])))
            same += [id for id, _ in hits[0][1]] == [id for id, _ in hits[1][1]]
        client.drop_collection(NAME)
    middle = {name: round(statistics.median(values), 1) for name, values in took.items()}
    print(f"{scope.size} ranked entries, put there in {seconds / 1000:.0f} s; {len(questions)} questions")
    print(f"candidates shared {np.mean(shared):.4f} (least {min(shared):.3f}), first ten the same {same}")
    print(f"median ms of a look-up: here {middle['here']}, there {middle['there']}")


if __name__ == "__main__":
    main()
