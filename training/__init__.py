"""Training of the line classifier of `quire.pdf` (see `train.py`)."""
