"""A report of one or several runs: a table in the terminal, a JSON document, one HTML page.

runs = [load_run(folder) for folder in folders]
print_report(runs, Console());  report_document(runs);  report_page(runs, picture)
"""

from quire.streams.evaluation.report.document import report_document
from quire.streams.evaluation.report.page import Picture, report_page
from quire.streams.evaluation.report.terminal import print_report

__all__ = ["Picture", "print_report", "report_document", "report_page"]
