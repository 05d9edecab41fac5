"""The list of references: one entry each, with label, title and year."""
