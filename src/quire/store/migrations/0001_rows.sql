-- Rows: what the PDFs say (the eight public views) and which PDFs those are (papers).
-- Keys are promised by quire (ids are UUIDv5 of content; `quire check` counts them), not declared: DuckDB
-- refuses to delete and insert the same key in one transaction once a foreign key points at it, and an
-- index over random UUIDs would make every added paper dearer than the one before.

CREATE TABLE metadata (
  paper_id UUID, title VARCHAR, abstract VARCHAR, num_pages INTEGER, conference_full VARCHAR,
  conference_abbreviation VARCHAR, pub_year INTEGER, volume VARCHAR, download_url VARCHAR, bibtex VARCHAR,
  authors VARCHAR[], pdf_path VARCHAR, tldr VARCHAR, tags VARCHAR[],
  doi VARCHAR, arxiv_id VARCHAR, "language" VARCHAR
);

CREATE TABLE pages (
  page_id UUID, page_number INTEGER, page_width INTEGER, page_height INTEGER, page_content VARCHAR,
  page_summary VARCHAR, ref_paper_id UUID,
  page_label VARCHAR
);

CREATE TABLE images (
  image_id UUID, image_caption VARCHAR, image_summary VARCHAR, bounding_box INTEGER[4], ordinal INTEGER,
  ref_paper_id UUID, ref_page_id UUID,
  image_label VARCHAR
);

CREATE TABLE chunks (
  chunk_id UUID, text_content VARCHAR, ordinal INTEGER, ref_paper_id UUID, ref_page_id UUID,
  bounding_box INTEGER[4], ref_section_id UUID
);

CREATE TABLE tables (
  table_id UUID, table_caption VARCHAR, table_content VARCHAR, table_summary VARCHAR,
  bounding_box INTEGER[4], ordinal INTEGER, ref_paper_id UUID, ref_page_id UUID,
  table_label VARCHAR
);

CREATE TABLE sections (
  section_id UUID, section_title VARCHAR, section_content VARCHAR, section_summary VARCHAR,
  ordinal INTEGER, page_numbers INTEGER[], ref_paper_id UUID,
  section_number VARCHAR, section_level INTEGER, parent_section_id UUID, bounding_box INTEGER[4],
  ref_page_id UUID
);

CREATE TABLE equations (
  equation_id UUID, equation_content VARCHAR, ordinal INTEGER, ref_paper_id UUID, ref_page_id UUID,
  bounding_box INTEGER[4], equation_number VARCHAR
);

CREATE TABLE reference (
  reference_id UUID, reference_content VARCHAR, ordinal INTEGER, ref_paper_id UUID, ref_page_id UUID,
  bounding_box INTEGER[4], reference_label VARCHAR, reference_title VARCHAR, reference_year INTEGER,
  cited_paper_id UUID
);

CREATE TABLE papers (
  paper_id UUID, file_name VARCHAR, source_path VARCHAR, sha256 VARCHAR, copy_sha256 VARCHAR, file_size BIGINT,
  added TIMESTAMP, state VARCHAR, error_kind VARCHAR, error VARCHAR, notes VARCHAR[],
  parser VARCHAR, encoders VARCHAR[], summaries_by VARCHAR, chunk_tokens INTEGER,
  title VARCHAR, doi VARCHAR, arxiv_id VARCHAR, cited_by BIGINT[]
);

-- The keys (hashes of DOI, arXiv id, title) by which each reference names its paper, so that a paper that
-- comes later finds who cites it. `papers.cited_by` has the same keys of the papers themselves.
CREATE TABLE citation_keys ("key" BIGINT, reference_id UUID, ref_paper_id UUID);
