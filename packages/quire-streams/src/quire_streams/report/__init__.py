"""Reports over streams: tables and figures in the paper's shapes.

report(runs).write(Path("report"))
"""

from quire_streams.report.report import Report, gold_labels, report

__all__ = ["Report", "gold_labels", "report"]
