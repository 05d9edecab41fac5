-- The order in which vectors of items came, for the files that repeat them; a row is never used again.
CREATE TABLE vector_rows (
    row     INTEGER PRIMARY KEY AUTOINCREMENT,
    id      TEXT NOT NULL,
    encoder TEXT NOT NULL,
    UNIQUE (id, encoder)
);
INSERT INTO vector_rows (id, encoder) SELECT id, encoder FROM vectors WHERE space = 'library';
-- The words of an item's question that carry meaning, as this version of quire reads them: only items of the
-- same words can ask the same.
CREATE TABLE item_words (
    item    TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    words   TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX item_words_words ON item_words (words);
-- What a right answer showed of the search: what was asked for, the kind and score of its evidence, and those of
-- the other hits (JSON). Only items that stand here move the search.
CREATE TABLE search_evidence (
    item  TEXT PRIMARY KEY,
    shown TEXT NOT NULL
) WITHOUT ROWID;
-- What is made of it, anew whenever a verdict changes it.
CREATE TABLE search_weights (
    asked  TEXT NOT NULL,
    kind   TEXT NOT NULL,               -- table and column of the units
    weight REAL NOT NULL,
    seen   INTEGER NOT NULL,            -- how many right answers it rests on
    PRIMARY KEY (asked, kind)
) WITHOUT ROWID;
CREATE TABLE search_aliases (
    word  TEXT NOT NULL,                -- a word of questions
    means TEXT NOT NULL,                -- a word of the evidence that answered them
    seen  INTEGER NOT NULL,
    PRIMARY KEY (word, means)
) WITHOUT ROWID;
-- What a model made of an answer that was judged wrong without a correction.
CREATE TABLE item_lessons (
    item  TEXT PRIMARY KEY,
    text  TEXT NOT NULL,
    model TEXT NOT NULL
) WITHOUT ROWID;
