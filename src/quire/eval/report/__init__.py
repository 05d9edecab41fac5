"""What came of evaluations: figures in a terminal, as JSON, and as a page with every question.

print_report(runs, Console());  report_document(runs);  report_page(runs, pictures_of(library))
"""

from quire.eval.report.answers import report_page
from quire.eval.report.question import pictures_of
from quire.eval.report.summary import report_document
from quire.eval.report.terminal import print_report

__all__ = ["pictures_of", "print_report", "report_document", "report_page"]
