-- Two finer views of what a paper says: the cells of its tables and the sentences of its passages. Papers that
-- were parsed before have neither until they are parsed again.

CREATE TABLE cells (
  cell_id UUID, cell_content VARCHAR, row_label VARCHAR, column_label VARCHAR, cell_number DOUBLE,
  cell_unit VARCHAR, row_index INTEGER, column_index INTEGER, is_head BOOLEAN, row_content VARCHAR,
  bounding_box INTEGER[4], ref_table_id UUID, ref_paper_id UUID, ref_page_id UUID
);

CREATE TABLE sentences (
  sentence_id UUID, sentence_content VARCHAR, ordinal INTEGER, bounding_box INTEGER[4], ref_chunk_id UUID,
  ref_paper_id UUID, ref_page_id UUID
);
