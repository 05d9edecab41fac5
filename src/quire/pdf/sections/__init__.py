"""The section tree: which rows are headings, how deep they stand, what stands under them.

`parts` takes labelled rows as headings and paragraphs and leaves tables of contents out; `tree` reads a
heading's number and look, gives each its level, hangs the paragraphs under it and names a text that has no
heading.
"""
