"""Vectors: encoders, the filter language, stored vectors and postings, and search over them.

    from quire.index.postings import analyse          # cells of a paper -> counted words (no database)
    from quire.index.writing import delete, write     # ... -> rows, in the library's transaction
    from quire.index.dense import encode_pending      # entries that still need a vector, resumably
    from quire.index.search import Searcher           # BM25, dense, fused

`filters/sql` turns a filter into SQL, `bm25` scores words, `backends/duckdb` finds the nearest vectors,
`fusion` joins both; `everything/` ranks all units of a library at once. Importing this package loads nothing
heavy.
"""

from quire.index.cells import ENCODABLE, Cell, Pair
from quire.index.encoders import BM25, ENCODERS, MINILM, Encoder, load

__all__ = ["BM25", "ENCODABLE", "ENCODERS", "MINILM", "Cell", "Encoder", "Pair", "load"]
