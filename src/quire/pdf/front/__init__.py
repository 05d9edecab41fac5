"""What a paper says of itself: title, authors, abstract, keywords, and where and when it appeared.

`matter` puts it together from `title`, `authors`, `abstract`, `fields` (DOI, e-mail, keywords), `imprint`
(venue and year) and `language`; `cover` tells which pages are none of its own.
"""
