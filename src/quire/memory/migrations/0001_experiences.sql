-- One row per remembered attempt. `seq` gives the order; `id` is a hash of content, so a repeat is the same row.
CREATE TABLE experiences (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT NOT NULL,
    space       TEXT NOT NULL,          -- whose memory: a run, or "library"
    task        TEXT NOT NULL,
    instance_id TEXT NOT NULL,
    key         TEXT NOT NULL,          -- the text that similarity is measured on
    fields      TEXT NOT NULL,          -- JSON object of texts that a shot shows
    output      TEXT NOT NULL,
    label       TEXT NOT NULL CHECK (label IN ('right', 'wrong', 'unknown')),
    reason      TEXT NOT NULL,
    source      TEXT NOT NULL,          -- who judged: metric, human, judge
    step        INTEGER NOT NULL,
    model       TEXT NOT NULL,          -- the author
    created     TEXT NOT NULL,          -- ISO 8601, UTC
    UNIQUE (space, id)
);
-- Kept apart, so that reading experiences never drags vectors along.
CREATE TABLE vectors (
    space   TEXT NOT NULL,
    id      TEXT NOT NULL,
    encoder TEXT NOT NULL,
    vector  BLOB NOT NULL,              -- float32, little endian
    PRIMARY KEY (space, id, encoder)
) WITHOUT ROWID;
-- Which steps a space has taken in, so that a run resumed after a crash learns nothing twice.
CREATE TABLE learned (
    space TEXT NOT NULL,
    step  INTEGER NOT NULL,
    PRIMARY KEY (space, step)
) WITHOUT ROWID;
-- Bumped when rows are removed or judged anew: whoever holds a copy in memory reads it again.
CREATE TABLE revisions (
    space    TEXT PRIMARY KEY,
    revision INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE lessons (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    space   TEXT NOT NULL,
    text    TEXT NOT NULL,
    key     TEXT NOT NULL,              -- of the instance it was written from
    output  TEXT NOT NULL,
    label   TEXT NOT NULL,
    model   TEXT NOT NULL,
    step    INTEGER NOT NULL,
    ups     INTEGER NOT NULL DEFAULT 0,
    downs   INTEGER NOT NULL DEFAULT 0,
    merged  INTEGER NOT NULL DEFAULT 1, -- how many lessons became this one
    created TEXT NOT NULL,
    UNIQUE (space, text, label)
);
