"""Taking a number out of what a search found, with a calibrated confidence."""

from quire.agents.offline.extract.extractor import Extracted, extract

__all__ = ["Extracted", "extract"]
