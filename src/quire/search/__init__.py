"""The search: what a library's texts say, by words and by meaning, and the ranking of what is found.

    batch = analyse(paper_id, units)                    # `batch`: units of a paper as arrays (no database)
    first = entries.write(connection, batch)            # `entries`: their ids, in the library's transaction
    with index.writing() as writer: writer.put([(first, batch)])
    encode_waiting(view, encoder, vectors)              # `dense`: vectors for what has none yet
    Ranker(encoder).rank(index.view(connection), query) # `ranking`: all kinds of units, ranked
    column_search(view, connection, request, encoders)  # `search`: one column, with filters

`slots` (what the ranker reads), `words` (tantivy) and `vectors` are what lies on disk, `view` one state of
it; `filters` turns a filter into SQL. Importing this package loads nothing heavy.
"""

from quire.search.cells import ENCODABLE, EncodableColumn, Unit
from quire.search.encoders import BM25, ENCODERS, MINILM, Encoder, load

__all__ = ["BM25", "ENCODABLE", "ENCODERS", "MINILM", "Encoder", "EncodableColumn", "Unit", "load"]
