"""A report of one or several runs: a table in the terminal, a JSON document, one HTML page.

runs = [load_run(folder) for folder in folders]
print_report(runs, Console());  report_document(runs);  report_page(runs, pictures_of(library))
"""

from quire.streams.evaluation.report.document import report_document
from quire.streams.evaluation.report.page import Picture, report_page
from quire.streams.evaluation.report.pictures import pictures_of
from quire.streams.evaluation.report.terminal import print_report, progress_line

__all__ = ["Picture", "pictures_of", "print_report", "progress_line", "report_document", "report_page"]
