-- What the user's own folder knows this file by: a file that came with somebody else's library has another.
CREATE TABLE owner (token TEXT NOT NULL);
