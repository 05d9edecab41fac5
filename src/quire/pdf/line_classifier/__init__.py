"""A learned classifier of lines: what every line of a document is (title, heading, reference ...).

`features.py` describes the lines, `model.py` holds the trained networks and the transitions between labels,
`repair.py` mends what printed words tell better. The weights are made by `training/train.py`.
"""
