"""The index of words: which entries say the words of a query, by BM25, and how many. Kept by `tantivy`.

    with WordIndex(folder).writing() as writer:
        writer.add(first_id, batch)                 # adds; `commit` makes it last
    words = WordIndex(folder)
    ids = words.search(("steel", "bar"), kinds, (), 1000)
    words.frequencies(("steel", "bar"))             # in how many units each stands

Stems come from `quire.search.analyzer`, which stands in front: tantivy only splits them at blanks. Ranked
units are in one field, all other columns in another, so that a word's frequency among units is a look-up.

Where the words of entries lie elsewhere it only counts: a document is a kind of ranked units of a paper and
has, for the number of them that say a word, the word with each bit of that number ("steel^0 steel^2": five).
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import re
import shutil
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tantivy

from quire import atomic
from quire.errors import LibraryFull
from quire.search.batch import Batch
from quire.search.cells import KIND_OF, KINDS, NO_KIND, EncodableColumn
from quire.search.slots import Ids, IndexDamaged, unusable

Pairs = Sequence[EncodableColumn]
_HEAP = 24 << 20  # bytes that a writer gathers before it writes a segment
_LONGEST = 1000  # bytes of a word; longer ones are no words
_FOOTER = re.compile(rb'"crc":(\d{1,10})')  # of each file of tantivy, with its size and a mark behind
_MARK = (1337).to_bytes(4, "little")
_MANY_WORDS = 300_000  # of a library, among which a mistyped one is looked for
_COUNTED = "#"  # a paper's name beside its own, where its words are only counted
_BITS = 20  # of the number of units of a paper
_OTHERS = 255  # in place of a column: no ranked unit


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("id", fast=True, indexed=True)
    builder.add_unsigned_field("pair", indexed=True)
    builder.add_text_field("paper", tokenizer_name="raw", index_option="basic")
    for name, detail in (("units", "freq"), ("others", "freq"), ("spoken", "basic")):
        builder.add_text_field(name, tokenizer_name="blanks", index_option=detail)
    return builder.build()


class WordIndex:
    """The words of one library. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.schema = _schema()
        with _damage(folder):
            folder.mkdir(parents=True, exist_ok=True)
            self._index = tantivy.Index(self.schema, str(self._writable(folder)), reuse=True)
            blanks = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
            self._index.register_tokenizer("blanks", blanks)

    def _writable(self, folder: Path) -> Path:
        """The folder, or a copy of one that cannot be written to: tantivy locks even what it only reads."""
        if os.access(folder, os.W_OK):
            return folder
        copy = atomic.scratch(self)
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        return copy

    @contextmanager
    def writing(self) -> Iterator[WordWriter]:
        """A writer; what it does not commit is lost. The caller holds the library's writer's lock."""
        with _damage(self.folder):
            writer = WordWriter(self, self._index.writer(_HEAP, 1))
        try:
            yield writer
        finally:
            writer.close()

    def reload(self) -> None:
        """See what was committed since."""
        with _damage(self.folder):
            self._index.reload()

    @property
    def counted(self) -> bool:
        """Whether it only counts: which entries say a word is known elsewhere."""
        return self.holds(tantivy.Query.term_query(self.schema, "paper", _COUNTED))

    def __len__(self) -> int:
        with self._searching() as searcher:
            return int(searcher.num_docs)

    def search(self, stems: Sequence[str], pairs: Pairs, papers: Sequence[str], limit: int) -> Ids:
        """The entries of pairs and papers (all if none) that say these words best, by BM25, best first."""
        with self._searching() as searcher:
            hits = searcher.search(self._masked(stems, pairs, papers), limit, count=False).hits
            ids = searcher.fast_field_values("id", [address for _, address in hits])
            return np.asarray(ids, dtype=np.int64)

    def frequencies(self, stems: Sequence[str], pairs: Pairs, papers: Sequence[str] = ()) -> dict[str, int]:
        """In how many of those entries each word stands; among all ranked units at once by look-ups.

        Where it only counts, it knows ranked units alone.
        """
        field = _field(pairs)
        everywhere = field == "units" and not papers and len(pairs) == len(KINDS)
        counts = dict.fromkeys(stems, 0)
        with self._searching() as searcher:
            for stem in stems:
                for token, of in self._tokens(stem):
                    found = searcher.doc_freq(field, token)
                    if found and not everywhere:
                        hits = searcher.search(self._masked((token,), pairs, papers), 1, count=True)
                        found = int(getattr(hits, "count", 0))
                    counts[stem] += found * of
        return counts

    def _tokens(self, stem: str) -> list[tuple[str, int]]:
        """What stands for a word here, and for how many entries each counts."""
        return [(f"{stem}^{bit}", 1 << bit) for bit in range(_BITS)] if self.counted else [(stem, 1)]

    def said(self, stem: str) -> bool:
        """Whether a word stands in any entry."""
        with self._searching() as searcher:
            ranked = any(searcher.doc_freq("units", token) for token, _ in self._tokens(stem))
            return ranked or searcher.doc_freq("others", stem) > 0

    def alike(self, word: str, errors: int) -> list[str]:
        """Words that so many typing errors at most turn into this one: fewest first, then the commonest."""
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        with self._searching() as searcher:
            # The first letter is seldom mistyped; where that finds nothing, one error in any word is looked
            # for: "gestation" is no "cessation".
            for prefix, most in ((word[:1], errors), ("", 1)):
                counts = dict(searcher.terms_with_prefix("spoken", prefix, limit=_MANY_WORDS))
                near = process.extract(
                    word, counts.keys(), scorer=OSA.distance, score_cutoff=most, limit=None
                )
                if near:
                    break
        ordered = sorted((int(distance), -counts[other], other) for other, distance, _ in near)
        return [other for distance, _, other in ordered if distance == ordered[0][0]]

    def damaged(self) -> list[str]:
        """The files that are not what was written, by the checksum at their ends.

        Raises:
            IndexDamaged: it cannot be told which they are.
        """
        with _damage(self.folder):
            told = json.loads((self.folder / "meta.json").read_bytes())
            names = [str(each["segment_id"]).replace("-", "") for each in told["segments"]]
            files = [file for name in names for file in self.folder.glob(f"{name}.*")]
        return sorted(file.name for file in files if not _whole(file))

    def holds(self, query: tantivy.Query) -> bool:
        """Whether an entry fits."""
        with self._searching() as searcher:
            return bool(searcher.search(query, 1, count=False).hits)

    @contextmanager
    def _searching(self) -> Iterator[tantivy.Searcher]:
        with _damage(self.folder):
            yield self._index.searcher()

    def _masked(self, stems: Sequence[str], pairs: Pairs, papers: Sequence[str]) -> tantivy.Query:
        """Any of the words, in these pairs and papers."""
        field = _field(pairs)
        terms = [tantivy.Query.term_query(self.schema, field, stem, "freq") for stem in stems]
        said = tantivy.Query.boolean_query([(tantivy.Occur.Should, term) for term in terms])
        musts: list[tantivy.Query] = []
        if papers:
            musts.append(tantivy.Query.term_set_query(self.schema, "paper", list(papers)))
        if len(pairs) != len(KINDS) or field != "units":
            numbers = [pair.number for pair in pairs]
            musts.append(tantivy.Query.term_set_query(self.schema, "pair", numbers))
        if not musts:
            return said
        # Where one looks must not count as what one looks for.
        parts = [(tantivy.Occur.Must, tantivy.Query.const_score_query(each, 0.0)) for each in musts]
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, said), *parts])


@dataclass
class WordWriter:
    """What changes an index of words: nothing lasts before `commit`."""

    _index: WordIndex
    _writer: Any  # of tantivy

    def add(self, first: int, batch: Batch, counted: bool = False) -> None:
        """The words of the units of a batch, the first of which has this id; or only how many say each.

        Raises:
            IndexDamaged: its writer cannot go on; a disk that fills ends it at any call.
        """
        with _damage(self._index.folder):
            for document in _documents(first, batch, counted):
                self._writer.add_document(document)

    def has(self, paper: str) -> bool:
        """Whether a paper has entries."""
        query = tantivy.Query.term_query(self._index.schema, "paper", paper)
        return self._index.holds(query)

    def remove(self, papers: Sequence[str]) -> None:
        """Remove what was added of these papers so far."""
        with _damage(self._index.folder):
            for paper in papers:
                self._writer.delete_documents_by_term("paper", paper)

    def beyond(self, end: int) -> bool:
        """Whether there are entries from this id on."""
        return self._index.holds(_from(self._index.schema, end))

    def cut(self, end: int) -> None:
        """Remove the entries from this id on."""
        with _damage(self._index.folder):
            self._writer.delete_documents_by_query(_from(self._index.schema, end))

    def commit(self) -> None:
        """Make it last."""
        with _damage(self._index.folder):
            self._writer.commit()
            self._index.reload()

    def close(self) -> None:
        """Wait for what is being merged."""
        with contextlib.suppress(IndexDamaged, LibraryFull), _damage(self._index.folder):  # died already
            self._writer.rollback()
            self._writer.wait_merging_threads()


def _documents(first: int, batch: Batch, counted: bool) -> Iterator[tantivy.Document]:
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for at, said in enumerate(batch.stems):
        if not said:
            continue
        number = int(batch.pairs[at])
        ranked = KIND_OF[number] < NO_KIND
        if len(said) >= _LONGEST:
            said = " ".join(stem for stem in said.split(" ") if len(stem) < _LONGEST)
        if counted:
            counts[number if ranked else _OTHERS].update(set(said.split(" ")))
        else:
            yield _document(batch, first + at, number, "units" if ranked else "others", said)
    others = counts.pop(_OTHERS, Counter()).keys() - set[str]().union(*counts.values())
    for number, units in counts.items():
        bits = [f"{stem}^{bit}" for stem, of in units.items() for bit in range(_BITS) if of >> bit & 1]
        yield _document(batch, first, number, "units", " ".join(bits))
    if batch.spoken or counted:
        told = _document(batch, first, _OTHERS, "others", " ".join(others))
        told.add_text("spoken", batch.spoken)
        if counted:
            told.add_text("paper", _COUNTED)
        yield told


def _document(batch: Batch, id: int, pair: int, field: str, said: str) -> tantivy.Document:
    told = tantivy.Document(paper=batch.paper_id)
    told.add_unsigned("id", id)
    told.add_unsigned("pair", pair)
    told.add_text(field, said)
    return told


def _from(schema: tantivy.Schema, end: int) -> tantivy.Query:
    kind = tantivy.FieldType.Unsigned
    return tantivy.Query.range_query(schema, "id", kind, lower_bound=end, upper_bound=2**62)


def _field(pairs: Pairs) -> str:
    return "units" if all(KIND_OF[pair.number] < NO_KIND for pair in pairs) else "others"


def _whole(file: Path) -> bool:
    """Whether a file of tantivy is what was written; one that is gone was merged into another."""
    try:
        with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as read:
            size = int.from_bytes(read[-8:-4], "little")
            told = _FOOTER.search(read[-8 - size : -8]) if read[-4:] == _MARK else None
            with memoryview(read) as blob:
                return told is not None and zlib.crc32(blob[: -8 - size]) == int(told[1])
    except FileNotFoundError:
        return True
    except (OSError, ValueError):  # it is empty, or no file
        return False


@contextmanager
def _damage(folder: Path) -> Iterator[None]:
    try:
        yield
    # What tantivy raises, whatever it met.
    except (ValueError, TypeError, KeyError, RuntimeError, OSError) as error:
        raise unusable(f"The words of {folder}", error) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # pyo3's, which is no Exception
            raise
        raise IndexDamaged(f"The words of {folder} cannot be used: {error}") from error
