"""`quire stream` and `quire tasks`, which quire shows where this package is installed."""
