"""What a paper says of itself: title, authors, abstract, keywords, and where and when it appeared."""
