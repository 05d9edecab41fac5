"""A language model as the judge.

Contract: the first sample is asked at temperature 0, so that the same answer is judged the same way and from
the cache; further samples are drawn at temperature 1 with their own seed, so that they differ from each
other and still come back from the cache.

    panel = Panel(ModelJudge(gateway.model("judge")), votes=3)
"""

from __future__ import annotations

from dataclasses import dataclass

from quire.models import Model, user


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """Asks one model."""

    model: Model
    max_tokens: int = 400

    def ask(self, prompt: str, sample: int = 0) -> str:
        """The model's reply to one prompt.

        Raises:
            ModelError: it could not be asked.
            OfflineError: quire runs offline.
        """
        if sample == 0:
            return self.model.complete([user(prompt)], temperature=0.0, max_tokens=self.max_tokens).text
        reply = self.model.complete([user(prompt)], temperature=1.0, seed=sample, max_tokens=self.max_tokens)
        return reply.text
