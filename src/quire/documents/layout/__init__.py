"""From raw pages to blocks of text in reading order, each with the role it plays on the page."""
