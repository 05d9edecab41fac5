"""What a document can be written as: functions from a `Document` to text, found by name."""

from __future__ import annotations

from quire.registry import Registry

FORMS = Registry(
    "form of a document",
    {
        "md": "quire.pdf.writers.markdown:markdown",
        "json": "quire.pdf.writers.elements:as_json",
        "jsonl": "quire.pdf.writers.elements:as_jsonl",
        "html": "quire.pdf.writers.html:html",
        "jats": "quire.pdf.writers.jats:jats",
    },
    "quire.forms",
)
