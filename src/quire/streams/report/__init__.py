"""Reports over runs: tables and figures in the paper's shapes, and answers question by question.

report(runs).write(Path("report"))
print_report(runs, Console());  report_document(runs);  report_page(runs, pictures_of(library))
"""

from quire.streams.report.answers import report_page
from quire.streams.report.document import report_document
from quire.streams.report.question import pictures_of
from quire.streams.report.report import Report, gold_labels, report
from quire.streams.report.terminal import print_report

__all__ = [
    "Report",
    "gold_labels",
    "pictures_of",
    "print_report",
    "report",
    "report_document",
    "report_page",
]
