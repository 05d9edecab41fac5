"""Taking a number out of what a search found, with a calibrated confidence."""

from quire.ask.offline.extract.extractor import Extracted, extract

__all__ = ["Extracted", "extract"]
