"""The extraction layer over pypdfium2: a PDF file as a stream of `RawPage`s."""
