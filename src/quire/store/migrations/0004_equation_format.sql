-- What an equation is written in: 'latex', or 'text' where its signs could not be read with certainty. Papers that
-- were parsed before have text.

ALTER TABLE equations ADD COLUMN IF NOT EXISTS equation_format VARCHAR DEFAULT 'text';
