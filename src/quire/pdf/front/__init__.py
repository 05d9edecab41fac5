"""What a paper says of itself: title, authors, abstract, keywords, and where and when it appeared.

`matter` puts it together from `title` (which tells cover sheets, too), `authors`, `abstract`, `contact`
(addresses, whom to write to), `imprint` (venue, year, volume, pages, DOI, keywords, language) and `printed`
(dates, publisher, licence).
"""
