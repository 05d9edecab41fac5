-- What verdicts come to stands with the answer itself: until now in `experiences`, with its question and answer again.
ALTER TABLE items ADD COLUMN label TEXT NOT NULL DEFAULT 'unknown' CHECK (label IN ('right', 'wrong', 'unknown'));
UPDATE items SET label = coalesce(
    (SELECT e.label FROM experiences e WHERE e.space = 'library' AND e.id = items.id), 'unknown');
UPDATE trash SET rows = json_set(
    rows, '$.items[0].label', coalesce(json_extract(rows, '$.experiences[0].label'), 'unknown')
) WHERE json_valid(rows);
-- Deleted bytes are overwritten: what is forgotten later shall be nowhere.
PRAGMA secure_delete = ON;
DELETE FROM experiences WHERE space = 'library';
