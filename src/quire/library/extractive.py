"""How summaries, tldr and tags are made without a language model: sentences and words of the paper itself."""

from __future__ import annotations

from collections.abc import Sequence

from quire import documents
from quire.types import Document


class Extractive:
    """Sentences chosen from the text, by `quire.documents`."""

    name = "extractive"

    def summary(self, text: str) -> str:
        """The sentences that say most of a text, at most 50 words."""
        return documents.summarise(text, 50)

    def tldr(self, document: Document) -> str:
        """The sentence or two of the abstract that say what was done or found."""
        return documents.tldr(document)

    def tags(self, document: Document) -> Sequence[str]:
        """The authors' key words, else words drawn from title and abstract."""
        return documents.tags(document)
