CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,            -- waiting, running, done, failed, cancelled
    created TEXT NOT NULL,          -- ISO 8601, UTC
    started TEXT NOT NULL DEFAULT '',
    ended TEXT NOT NULL DEFAULT '',
    attempts INTEGER NOT NULL DEFAULT 0,
    spec TEXT NOT NULL,             -- JSON: what to do
    progress TEXT NOT NULL DEFAULT '{}',
    result TEXT NOT NULL DEFAULT 'null',
    error TEXT NOT NULL DEFAULT 'null'
);
CREATE INDEX jobs_created ON jobs (created);
CREATE TABLE threads (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    papers TEXT NOT NULL,           -- JSON: ids; none means the whole library
    created TEXT NOT NULL,
    updated TEXT NOT NULL
);
CREATE TABLE turns (
    thread TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,        -- from 1
    question TEXT NOT NULL,
    state TEXT NOT NULL,            -- asking, answered, cancelled, failed, interrupted
    run TEXT NOT NULL DEFAULT '',
    ask TEXT NOT NULL,
    PRIMARY KEY (thread, number)
);
CREATE TABLE trash (
    paper TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    file_name TEXT NOT NULL,
    removed TEXT NOT NULL
);
