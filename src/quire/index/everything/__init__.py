"""One search over everything: sentences, rows of tables, captions, headings and titles, ranked by a model."""

from quire.index.everything.ranking import PARTS, Candidates, Everything, Ranked, ranking_model
from quire.index.everything.snapshot import Snapshot
from quire.index.everything.trees import load_trees
from quire.index.everything.units import CELL_JOINT, Unit

__all__ = [
    "CELL_JOINT",
    "PARTS",
    "Candidates",
    "Everything",
    "Ranked",
    "Snapshot",
    "Unit",
    "load_trees",
    "ranking_model",
]
