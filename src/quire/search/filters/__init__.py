"""The filter language: Milvus boolean expressions over the fields of an entry.

    condition = parse("bbox[0] + bbox[2] <= 100 and pdf_id == '123456' and page_number == 1")
    condition.sql, condition.parameters           # over `entries`; values are parameters

Fields: `id`, `pdf_id`, `page_number`, `table_name`, `column_name`, `primary_key`, and `bbox` of images. Truth
values are two: a comparison with something that is not there (a fifth side of a box, a division by zero, a
number beyond float64) is false, and `not` of it is true.
"""

from quire.search.filters.parser import Condition, parse

__all__ = ["Condition", "parse"]
