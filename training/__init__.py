"""Training of the labeller of `quire.pdf` (see `train.py`)."""
