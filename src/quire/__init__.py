"""quire: ask a pile of PDFs, see where each answer stands, and let it learn from verdicts."""
