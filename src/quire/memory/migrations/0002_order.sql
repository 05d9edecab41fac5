-- Finding the newest row of a space without sorting all of them: asked before every recall.
CREATE INDEX experiences_in_order ON experiences (space, seq);
