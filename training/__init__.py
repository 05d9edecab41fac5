"""Training of the labeller of `quire.documents` (see `train.py`)."""
