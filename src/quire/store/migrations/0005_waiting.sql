-- What waits to be encoded is the entries without a vector, told by `vectors` (in this file) or `sent` (in a remote
-- backend), no longer a number up to which all had one. A remote backend alone has BM25 among its collections.
CREATE TABLE sent (
    collection VARCHAR NOT NULL,
    id INTEGER NOT NULL
);
INSERT INTO sent
SELECT c.collection, e.id FROM entries e JOIN collections c
  ON e.id <= c.encoded_to AND (e.bbox IS NOT NULL) = starts_with(c.collection, 'image_')
WHERE 'text_bm25_en' IN (SELECT collection FROM collections)
  AND c.collection NOT IN (SELECT collection FROM vectors)
  AND (c.collection <> 'text_bm25_en' OR e.length > 0);
DROP TABLE collections;

-- Entries that went while a remote backend had vectors of them: it is told after the commit, and asked again until
-- it has heard.
CREATE TABLE outbox (id INTEGER NOT NULL);
