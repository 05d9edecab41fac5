"""The extraction layer over pypdfium2: a PDF file as a stream of `RawPage`s.

`reader` opens a file; `text` makes words of characters (`fonts`, `glyphs`), `lines` and `merge` lines of
words, `objects` reads rules, pictures and drawings; `frame` turns user space into the page as it is
displayed.
"""
