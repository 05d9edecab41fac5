"""The filter language: Milvus boolean expressions over the fields of an entry.

    tree = parse("bbox[0] + bbox[2] <= 100 and pdf_id == '123456' and page_number == 1")
    condition, parameters = compile(tree)      # parameterised DuckDB SQL over `entries`
    to_text(tree)                              # the same filter as text

Fields: `id`, `pdf_id`, `page_number`, `table_name`, `column_name`, `primary_key`, and `bbox` of images.
"""

from quire.index.filters.parser import parse
from quire.index.filters.sql import compile
from quire.index.filters.text import evaluable_by_milvus, to_text
from quire.index.filters.tree import Node, uses

__all__ = ["Node", "compile", "evaluable_by_milvus", "parse", "to_text", "uses"]
