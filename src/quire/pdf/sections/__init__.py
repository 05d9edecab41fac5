"""The section tree: which blocks are headings, how deep they stand, what stands under them.

`parts` takes labelled rows as headings and paragraphs, `headings` reads a heading's number, look and usual
names, `tree` gives each its level, hangs the paragraphs under it and names a text that has no heading;
`contents` leaves a table of contents out.
"""
