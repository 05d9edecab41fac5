"""The section tree: which blocks are headings, how deep they stand, what stands under them.

`parts` takes labelled rows as headings and paragraphs, `headings` reads a heading's number and look, `tree`
gives each its level and hangs the paragraphs under it; `contents` leaves a table of contents out, `opening`
names a text that has no heading, `names` knows usual ones.
"""
