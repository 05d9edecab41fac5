"""The labels that a line may have."""

from __future__ import annotations

LABELS = (
    "title",
    "author",
    "affiliation",  # and addresses of authors
    "abstract",
    "heading",
    "runin",  # a paragraph's first line that begins with a heading
    "para",  # first line of a paragraph
    "text",  # its further lines
    "float",  # captions, tables, figures and their notes, as far as they stand in the flow
    "note",  # footnotes
    "ref",  # first line of an entry of the list of references
    "ref2",  # its further lines
    "other",  # furniture, imprints, boxes of the publisher
)
"""In the order of the columns of a labeller's output."""
