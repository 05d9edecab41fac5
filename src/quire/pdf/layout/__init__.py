"""From raw pages to blocks of text in reading order, each with the role it plays on the page.

`profile` is the document's usual type; `headers_footers` takes out what is no running
text; `columns` finds the reading order; `rows` and `blocks` put lines together.
"""
