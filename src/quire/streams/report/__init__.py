"""Reports over runs of streams: tables in the paper's shapes, learning curves, confusion matrices."""

from quire.streams.report.report import Report, gold_labels, report

__all__ = ["Report", "gold_labels", "report"]
