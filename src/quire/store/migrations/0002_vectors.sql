-- Vectors and postings. Written by quire.search only; agents never see these tables.

-- Every encoded cell, once for all collections. `id` grows with every cell ever added and is never reused.
-- `length` is the number of BM25 words in the cell. `bbox` is [x0, y0, width, height], images only.
CREATE TABLE entries (
    id BIGINT NOT NULL,
    pdf_id VARCHAR NOT NULL,
    page_number SMALLINT NOT NULL,
    table_name VARCHAR NOT NULL,
    column_name VARCHAR NOT NULL,
    primary_key VARCHAR NOT NULL,
    bbox SMALLINT[],
    pair UTINYINT NOT NULL,
    length INTEGER NOT NULL
);

-- Dense vectors, in blocks of one paper and one (table, column): `matrix` holds len(ids) rows of `dim`
-- little-endian float32. Random bits do not compress; trying to costs a third of the loading time.
CREATE TABLE vectors (
    collection VARCHAR NOT NULL,
    pdf_id VARCHAR NOT NULL,
    pair UTINYINT NOT NULL,
    dim INTEGER NOT NULL,
    ids INTEGER[] NOT NULL,
    matrix BLOB USING COMPRESSION uncompressed NOT NULL
);

-- How far each collection has been encoded: every entry with a smaller or equal id has its vector.
CREATE TABLE collections (
    collection VARCHAR NOT NULL,
    dim INTEGER NOT NULL,
    encoded_to BIGINT NOT NULL
);

-- BM25 postings: `term` is the 31-bit number of a stem, `length` repeats entries.length.
-- `postings` is sorted by (pair, term, id); new papers go to `postings_recent`, which is merged in whenever
-- it has grown to a quarter of the whole. So a term is one short range, and a paper costs the same always.
CREATE TABLE postings (
    pair UTINYINT NOT NULL,
    term INTEGER NOT NULL,
    id INTEGER NOT NULL,
    tf USMALLINT NOT NULL,
    length INTEGER NOT NULL
);
CREATE TABLE postings_recent (
    pair UTINYINT NOT NULL,
    term INTEGER NOT NULL,
    id INTEGER NOT NULL,
    tf USMALLINT NOT NULL,
    length INTEGER NOT NULL
);

-- Sizes per (table, column). The average length that BM25 normalises by is frozen_words / frozen_entries,
-- refreshed when `entries` has doubled or halved, so that stored weights seldom change.
CREATE TABLE pair_sizes (
    pair UTINYINT NOT NULL,
    entries BIGINT NOT NULL,
    words BIGINT NOT NULL,
    frozen_entries BIGINT NOT NULL,
    frozen_words BIGINT NOT NULL
);

-- The averages that the BM25 weights of a remote backend were computed with: when the frozen average has
-- moved on, that pair's weights are sent again.
CREATE TABLE sent_averages (
    pair UTINYINT NOT NULL,
    average DOUBLE NOT NULL
);

-- One row. `generation` changes with every write, so that a reader knows when its caches are old.
CREATE TABLE index_state (
    next_id BIGINT NOT NULL,
    generation BIGINT NOT NULL
);
INSERT INTO index_state VALUES (1, 0);
