"""The version of parsing: raised with every change that gives any PDF other content than before.

Papers of a library that were parsed with a smaller one are old (`quire refresh` parses them again). A test
pins what the example papers give, so that a change cannot forget to raise it.
"""

from __future__ import annotations

VERSION = 30


def signature(parser: str) -> str:
    """What a document says it was parsed by: `pdfium-6`."""
    return f"{parser}-{VERSION}"


def parser_of(signed: str) -> str:
    """The parser that a signature names."""
    return signed.rpartition("-")[0]


def outdated(signed: str) -> bool:
    """Whether a signature is of a smaller version than this one, or of none."""
    number = signed.rpartition("-")[2]
    return not (number.isascii() and number.isdigit() and len(number) < 9) or int(number) < VERSION
