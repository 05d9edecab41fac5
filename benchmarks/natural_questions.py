"""What search finds for natural questions, beside LlamaIndex's defaults in the same run.

    python benchmarks/natural_questions.py --data DIR [--questions FILE] [--library DIR]

DIR holds `qa/natural/dev.jsonl`, `qa/natural/papers.txt` and the `pdfs/` that it names. A question has
`page`, `quote` and `source_pdf`; those of kind `unanswerable` are left out. Per kind: the answer's page
first, among five, and the words of the answer in the five passages. LlamaIndex (pages by its PDFReader,
chunks of 1024 tokens, BM25 and the same MiniLM vectors, fused by reciprocal ranks) runs where
`llama-index-core`, `-readers-file` and `-retrievers-bm25` are installed. `quire eval dev.jsonl` asks them.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from natural import bare, papers_of, parts, read_lines
from quire import Library
from quire.search.encoders import load

MINILM = "text_sentence_transformers_all_minilm_l6_v2"
Passage = tuple[str, int, str]  # file stem, page from 1, text
Find = Callable[[dict[str, Any]], Sequence[Passage]]


def recalls(question: dict[str, Any], found: Sequence[Passage]) -> tuple[bool, bool, bool]:
    """Page first, page among them, words of the answer in one of them."""
    place = (question["source_pdf"], question["page"])
    on_page = [(stem, page) == place for stem, page, _ in found]
    quotes = parts(question["quote"])
    said = any(quote in bare(text) for _, _, text in found for quote in quotes)
    return bool(on_page) and on_page[0], any(on_page), said


def table(name: str, questions: Sequence[dict[str, Any]], find: Find) -> None:
    seen: dict[str, list[tuple[bool, bool, bool]]] = defaultdict(list)
    for question in questions:
        if question["kind"] != "unanswerable":
            row = recalls(question, find(question))
            seen[question["kind"]].append(row)
    seen["all"] = [row for rows in seen.values() for row in rows]
    for kind, rows in seen.items():
        shares = " ".join(f"{sum(column) / len(rows):6.2f}" for column in zip(*rows, strict=True))
        print(f"{name:24} {kind:10} {shares}  of {len(rows)}", flush=True)


def of_quire(library: Library) -> Find:
    stems = {paper.id: Path(paper.file_name).stem for paper in library.papers()}

    def find(question: dict[str, Any]) -> Sequence[Passage]:
        hits = library.search(question["question"], papers=papers_of(question), limit=5)
        return [(stems[hit.paper_id], hit.page, hit.text) for hit in hits]

    return find


def of_llamaindex(pdfs: Sequence[Path]) -> dict[str, Find]:
    from llama_index.core import Document
    from llama_index.core.node_parser import SentenceSplitter
    from llama_index.readers.file import PDFReader
    from llama_index.retrievers.bm25 import BM25Retriever

    pages = [
        Document(text=page.text, metadata={"stem": pdf.stem, "page": number})
        for pdf in pdfs
        for number, page in enumerate(PDFReader().load_data(pdf), start=1)
    ]
    for page in pages:
        page.excluded_embed_metadata_keys = page.excluded_llm_metadata_keys = ["stem", "page"]
    nodes = SentenceSplitter(chunk_size=1024).get_nodes_from_documents(pages)
    encoder = load(MINILM)
    vectors = encoder.encode([node.text for node in nodes])
    scopes: dict[str, list[int]] = defaultdict(list)
    for index, node in enumerate(nodes):
        scopes[node.metadata["stem"]].append(index)
        scopes[""].append(index)
    at = {node.node_id: index for index, node in enumerate(nodes)}
    lexical = {
        stem: BM25Retriever.from_defaults(nodes=[nodes[i] for i in own], similarity_top_k=min(10, len(own)))
        for stem, own in scopes.items()
    }

    def ranked(question: dict[str, Any]) -> tuple[list[int], list[int]]:
        stem = (question["anchor_pdf"] or [""])[0]
        query = encoder.encode_query(question["question"]).ravel()
        dense = sorted(scopes[stem], key=lambda index: -float(vectors[index] @ query))[:10]
        return dense, [at[hit.node.node_id] for hit in lexical[stem].retrieve(question["question"])]

    def passages(order: Sequence[int]) -> Sequence[Passage]:
        return [(nodes[i].metadata["stem"], nodes[i].metadata["page"], nodes[i].text) for i in order[:5]]

    def fused(question: dict[str, Any]) -> Sequence[Passage]:
        scores: Counter[int] = Counter()
        for order in ranked(question):
            for rank, index in enumerate(order):
                scores[index] += 1 / (60 + rank)
        return passages([index for index, _ in scores.most_common()])

    return {"LlamaIndex BM25": lambda q: passages(ranked(q)[1]), "LlamaIndex BM25 + MiniLM": fused}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--library", type=Path)
    args = parser.parse_args()
    natural = args.data / "qa" / "natural"
    pdfs = [args.data / "pdfs" / name for name in (natural / "papers.txt").read_text().split()]
    questions = read_lines(args.questions or natural / "dev.jsonl")
    with (
        tempfile.TemporaryDirectory() as folder,
        Library.open(args.library or folder, create=True) as library,
    ):
        if not library.papers():
            library.add(pdfs)
        print(f"{'':24} {'kind':10} page@1 page@5 words@5")
        table("quire", questions, of_quire(library))
        try:
            peers = of_llamaindex(pdfs)
        except ImportError as error:
            peers = {}
            print(f"LlamaIndex was not run: {error}")
        for name, find in peers.items():
            table(name, questions, find)


if __name__ == "__main__":
    main()
