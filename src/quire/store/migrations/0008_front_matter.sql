-- What papers print of themselves besides title, authors and abstract, where it is printed, and the parts of an entry
-- of the list of references. Papers that were parsed before have none of it until they are parsed again.

ALTER TABLE metadata ADD COLUMN IF NOT EXISTS received DATE;
ALTER TABLE metadata ADD COLUMN IF NOT EXISTS accepted DATE;
ALTER TABLE metadata ADD COLUMN IF NOT EXISTS published DATE;
ALTER TABLE metadata ADD COLUMN IF NOT EXISTS journal VARCHAR;
ALTER TABLE metadata ADD COLUMN IF NOT EXISTS issue VARCHAR;
ALTER TABLE metadata ADD COLUMN IF NOT EXISTS first_page VARCHAR;
ALTER TABLE metadata ADD COLUMN IF NOT EXISTS last_page VARCHAR;
ALTER TABLE metadata ADD COLUMN IF NOT EXISTS publisher VARCHAR;
ALTER TABLE metadata ADD COLUMN IF NOT EXISTS licence VARCHAR;
ALTER TABLE metadata ADD COLUMN IF NOT EXISTS keywords VARCHAR[];
ALTER TABLE metadata ADD COLUMN IF NOT EXISTS affiliations VARCHAR[];
ALTER TABLE metadata ADD COLUMN IF NOT EXISTS corresponding_author VARCHAR;
ALTER TABLE metadata ADD COLUMN IF NOT EXISTS corresponding_email VARCHAR;
ALTER TABLE metadata ADD COLUMN IF NOT EXISTS funding VARCHAR;
ALTER TABLE metadata ADD COLUMN IF NOT EXISTS corrected VARCHAR[];

ALTER TABLE reference ADD COLUMN IF NOT EXISTS reference_authors VARCHAR[];
ALTER TABLE reference ADD COLUMN IF NOT EXISTS reference_venue VARCHAR;
ALTER TABLE reference ADD COLUMN IF NOT EXISTS reference_volume VARCHAR;
ALTER TABLE reference ADD COLUMN IF NOT EXISTS reference_first_page VARCHAR;
ALTER TABLE reference ADD COLUMN IF NOT EXISTS reference_last_page VARCHAR;
ALTER TABLE reference ADD COLUMN IF NOT EXISTS reference_doi VARCHAR;

CREATE TABLE IF NOT EXISTS metadata_places (
  place_id UUID, field VARCHAR, printed VARCHAR, ordinal INTEGER, bounding_box INTEGER[4], ref_paper_id UUID,
  ref_page_id UUID
);

-- The user's word on what a paper says of itself, and what was read in its place, both as JSON. It outlives the
-- paper's rows, so that it counts again whenever the same file is read.
CREATE TABLE IF NOT EXISTS corrections (paper_id UUID, field VARCHAR, said VARCHAR, was VARCHAR, made TIMESTAMP);
