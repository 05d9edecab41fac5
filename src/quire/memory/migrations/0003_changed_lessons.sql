-- The revision of the space in which a lesson was written or voted on: who holds a copy reads only what is new.
ALTER TABLE lessons ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
CREATE INDEX lessons_changed ON lessons (space, changed);
