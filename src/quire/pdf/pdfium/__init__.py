"""The extraction layer over pypdfium2: a PDF file as a stream of `RawPage`s.

`reader` opens a file; `text` gives its characters (`fonts` their style), `lines` words and lines of them,
`objects` reads rules, pictures and drawings; `calls` asks PDFium and turns user space into the page as it is
displayed; `places` has the characters by place alone.
"""
