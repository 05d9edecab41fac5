-- What people write on their papers; it goes with a paper's id, so that a restored paper has it again.
CREATE TABLE notes (
    id TEXT PRIMARY KEY,
    paper TEXT NOT NULL,
    page INTEGER NOT NULL,
    boxes TEXT NOT NULL,            -- JSON: of the lines that are marked; none: of the whole page
    quote TEXT NOT NULL,            -- what stands there
    text TEXT NOT NULL,             -- what somebody says of it
    author TEXT NOT NULL,
    created TEXT NOT NULL           -- ISO 8601, UTC
);
CREATE INDEX notes_paper ON notes (paper, page);
CREATE TABLE shelf (
    paper TEXT PRIMARY KEY,
    starred INTEGER NOT NULL DEFAULT 0,
    read INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE labels (
    paper TEXT NOT NULL,
    kind TEXT NOT NULL,             -- tag, collection
    name TEXT NOT NULL,
    PRIMARY KEY (paper, kind, name)
);
-- When a conversation was put away: it can be taken back for 30 days.
ALTER TABLE threads ADD COLUMN removed TEXT NOT NULL DEFAULT '';
