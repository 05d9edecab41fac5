-- Removed papers are in the library's own trash; `trash.take_over` moves the files of this one there.
DROP TABLE trash;
