"""The fields of printed citations: gold, styles and weights (`train`)."""
