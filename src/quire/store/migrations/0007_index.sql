-- Words and vectors leave this file: below index/ lies what searches read, derived from the rows. What stays is
-- which entries there are, and for each paper the run of its ids, from `first` to `last` (not included).
CREATE TABLE runs (
    pdf_id VARCHAR NOT NULL,
    first BIGINT NOT NULL,
    last BIGINT NOT NULL
);
INSERT INTO runs SELECT pdf_id, min(id), max(id) + 1 FROM entries GROUP BY pdf_id ORDER BY min(id);
ALTER TABLE entries DROP COLUMN length;
DROP TABLE postings;
DROP TABLE postings_recent;
DROP TABLE pair_sizes;
DROP TABLE sent_averages;
DROP TABLE sent;
DROP TABLE outbox;
-- `vectors` is emptied and dropped once its vectors lie below index/ (quire.library.indexing).
UPDATE index_state SET generation = generation + 1;
