-- What was forgotten and can still be taken back: its rows as JSON, out of every table that is asked. An old one goes.
CREATE TABLE trash (
    item     TEXT PRIMARY KEY,
    since    TEXT NOT NULL,             -- ISO 8601, UTC
    question TEXT NOT NULL,
    rows     TEXT NOT NULL              -- JSON object: a list of rows by table
) WITHOUT ROWID;
