"""BM25 on two judged collections, beside the published figures of Anserini (BM25, k1 = 0.9, b = 0.4).

    python benchmarks/retrieval_beir.py --data DIR [--dense]

`DIR/cacm` holds cacm.tar.gz, topics.cacm.txt, qrels.cacm.txt; `DIR/nfcorpus` the files dev.docs, test.docs,
topics.beir-v1.0.0-nfcorpus.test.tsv.gz and qrels.beir-v1.0.0-nfcorpus.test.txt. Documents go through the same
code as the passages of papers. Measures as in trec_eval: average precision over 1000 hits, precision at 30,
recall at 100, nDCG at 10 with linear gain.
"""

from __future__ import annotations

import argparse
import gzip
import math
import re
import tarfile
import tempfile
import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb

from quire.search import BM25, MINILM, Encoder, Unit, entries, load
from quire.search.batch import analyse
from quire.search.cells import pair
from quire.search.dense import encode_waiting
from quire.search.index import Index
from quire.search.search import Request, column_search
from quire.search.vectors import About
from quire.store.migrate import migrate

Qrels = dict[str, dict[str, int]]


@dataclass(frozen=True)
class Collection:
    """Documents, queries and judgements, by id."""

    documents: dict[str, str]
    queries: dict[str, str]
    qrels: Qrels


def cacm(folder: Path) -> Collection:
    documents = {}
    with tarfile.open(folder / "cacm.tar.gz") as archive:
        for member in archive:
            if (file := archive.extractfile(member)) is not None:
                html = file.read().decode("latin-1")
                body = re.sub(r"</?(?:html|pre)>", " ", html)
                documents[member.name.rpartition("/")[2].removesuffix(".html")] = body
    topics = (folder / "topics.cacm.txt").read_text(encoding="latin-1")
    queries = {
        number: text for number, text in re.findall(r"<DOCNO>\s*(\d+)\s*</DOCNO>(.*?)</DOC>", topics, re.S)
    }
    return Collection(documents, queries, qrels_of(folder / "qrels.cacm.txt"))


def nfcorpus(folder: Path) -> Collection:
    documents = {}
    for name in ("dev.docs", "test.docs"):
        for line in (folder / name).read_text(encoding="utf-8").splitlines():
            key, _, text = line.partition("\t")
            documents[key] = text
    topics = gzip.decompress((folder / "topics.beir-v1.0.0-nfcorpus.test.tsv.gz").read_bytes()).decode()
    queries = dict(line.split("\t", 1) for line in topics.splitlines())
    return Collection(documents, queries, qrels_of(folder / "qrels.beir-v1.0.0-nfcorpus.test.txt"))


def qrels_of(file: Path) -> Qrels:
    found: Qrels = defaultdict(dict)
    for line in file.read_text().splitlines():
        query, _, document, grade = line.split()
        found[query][document] = int(grade)
    return dict(found)


class Filled:
    """A collection with an index in a folder, its documents stored as passages."""

    def __init__(self, collection: Collection, encoders: Mapping[str, Encoder], folder: Path) -> None:
        self._collection = collection
        self._connection = duckdb.connect()
        migrate(self._connection)
        self._encoders = encoders
        self._ids = {str(uuid.uuid5(uuid.NAMESPACE_OID, key)): key for key in collection.documents}
        texts = dict(zip(self._ids, collection.documents.values(), strict=True))
        self._connection.executemany(
            "INSERT INTO chunks (chunk_id, text_content) VALUES (?, ?)",
            [list(item) for item in texts.items()],
        )
        of, index = pair("chunks", "text_content"), Index(folder)
        batch = analyse("all", [Unit(of, "all", -1, key, text) for key, text in texts.items()])
        first = entries.write(self._connection, batch)
        with index.writing() as writer:
            writer.put([(first, batch)])
        for name, encoder in encoders.items():
            index.files(name).create(About(encoder.dim))
            encode_waiting(index.view(self._connection, [name]), encoder, index.vectors(name))
        self._view = index.view(self._connection, list(encoders))

    def rankings(self, collection: str | None) -> Iterator[tuple[Mapping[str, int], list[str]]]:
        """For each judged query: its judgements and the documents found, best first."""
        for key, text in self._collection.queries.items():
            judged = self._collection.qrels.get(key, {})
            if any(grade > 0 for grade in judged.values()):
                request = Request(text, collection=collection, limit=1000)
                hits = column_search(self._view, self._connection, request, self._encoders)
                found = [self._ids[self._view.unit(hit.id).key] for hit in hits]
                yield judged, [document for document in found if document != key]


def average_precision(judged: Mapping[str, int], found: list[str]) -> float:
    right, total = 0, 0.0
    for rank, document in enumerate(found[:1000], 1):
        if judged.get(document, 0) > 0:
            right += 1
            total += right / rank
    return total / sum(grade > 0 for grade in judged.values())


def precision(judged: Mapping[str, int], found: list[str], depth: int) -> float:
    return sum(judged.get(document, 0) > 0 for document in found[:depth]) / depth


def recall(judged: Mapping[str, int], found: list[str], depth: int) -> float:
    right = sum(judged.get(document, 0) > 0 for document in found[:depth])
    return right / sum(grade > 0 for grade in judged.values())


def ndcg(judged: Mapping[str, int], found: list[str], depth: int) -> float:
    def gain(grades: list[int]) -> float:
        return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades[:depth], 1))

    return gain([judged.get(d, 0) for d in found]) / gain(sorted(judged.values(), reverse=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    parser.add_argument("--dense", action="store_true", help="CACM by MiniLM and fused too (minutes)")
    given = parser.parse_args()
    encoders = {MINILM: load(MINILM)} if given.dense else {}
    with tempfile.TemporaryDirectory() as folder:
        told(given.dense, given.data, encoders, Path(folder))


def told(dense: bool, data: Path, encoders: Mapping[str, Encoder], folder: Path) -> None:
    on = Filled(cacm(data / "cacm"), encoders, folder / "cacm")
    on_cacm = list(on.rankings(BM25))
    on_nf = list(Filled(nfcorpus(data / "nfcorpus"), {}, folder / "nfcorpus").rankings(BM25))
    rows = [
        ("CACM MAP", [average_precision(j, f) for j, f in on_cacm], 0.3123),
        ("CACM P@30", [precision(j, f, 30) for j, f in on_cacm], 0.1942),
        ("NFCorpus nDCG@10", [ndcg(j, f, 10) for j, f in on_nf], 0.3218),
        ("NFCorpus R@100", [recall(j, f, 100) for j, f in on_nf], 0.2457),
    ]
    print(f"{'measure':<18}{'queries':>8}{'quire':>9}{'published':>11}{'difference':>12}")
    for name, values, published in rows:
        value = sum(values) / len(values)
        print(f"{name:<18}{len(values):>8}{value:>9.4f}{published:>11.4f}{value - published:>+12.4f}")
    if dense:
        for name, collection in (("BM25", BM25), ("MiniLM", MINILM), ("fused", None)):
            ranked = list(on.rankings(collection))
            gains = [ndcg(j, f, 10) for j, f in ranked]
            precisions = [average_precision(j, f) for j, f in ranked]
            print(
                f"CACM {name:<8} nDCG@10 {sum(gains) / len(gains):.4f}"
                f"  MAP {sum(precisions) / len(precisions):.4f}"
            )


if __name__ == "__main__":
    main()
