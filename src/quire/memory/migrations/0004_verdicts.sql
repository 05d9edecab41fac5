-- Verdicts of people on answers. What may be recalled stands in `experiences` and `vectors` (space "library"),
-- labelled by the verdicts that count; here is all that is known besides.
CREATE TABLE items (
    seq      INTEGER PRIMARY KEY AUTOINCREMENT,
    id       TEXT NOT NULL UNIQUE,      -- the experience's: a hash of origin, question, form, scope and answer
    origin   TEXT NOT NULL,             -- "" for this library's own users, else what it was imported from
    author   TEXT NOT NULL,             -- whose verdict made it
    kind     TEXT NOT NULL CHECK (kind IN ('answer', 'correction')),
    run      TEXT NOT NULL,
    question TEXT NOT NULL,
    folded   TEXT NOT NULL,             -- the question's words alone, for finding it again exactly
    form     TEXT NOT NULL,             -- asked form of the answer: words and JSON schema
    scope    TEXT NOT NULL,             -- JSON list of the papers asked about
    answer   TEXT NOT NULL,             -- JSON
    evidence TEXT NOT NULL,             -- JSON list
    actions  TEXT NOT NULL,             -- JSON list of [name, arguments]
    model    TEXT NOT NULL,
    created  TEXT NOT NULL,             -- ISO 8601, UTC
    retired  TEXT NOT NULL DEFAULT ''   -- why it is no longer used, in words
);
CREATE INDEX items_asked ON items (scope, folded);
-- What an item rests on: a paper that changed or went retires it.
CREATE TABLE item_papers (
    item   TEXT NOT NULL,
    paper  TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    PRIMARY KEY (item, paper)
) WITHOUT ROWID;
CREATE INDEX item_papers_paper ON item_papers (paper);
-- Every verdict ever given; of one person on one run, or on one item, the newest counts.
CREATE TABLE verdicts (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    run     TEXT NOT NULL,
    item    TEXT NOT NULL,
    author  TEXT NOT NULL,
    label   TEXT NOT NULL CHECK (label IN ('right', 'wrong')),
    note    TEXT NOT NULL,
    created TEXT NOT NULL
);
CREATE INDEX verdicts_item ON verdicts (item, author);
CREATE INDEX verdicts_run ON verdicts (run, author);
-- Which items took part in a run that was judged.
CREATE TABLE uses (
    item TEXT NOT NULL,
    run  TEXT NOT NULL,
    how  TEXT NOT NULL CHECK (how IN ('example', 'remembered')),
    PRIMARY KEY (item, run)
) WITHOUT ROWID;
-- Ids of what was forgotten, so that no import brings it back.
CREATE TABLE forgotten (id TEXT PRIMARY KEY) WITHOUT ROWID;
