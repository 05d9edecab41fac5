"""The offline switch: in place of a provider that would send something, one that refuses and says what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

from quire.errors import OfflineError
from quire.llm.messages import Completion, Message
from quire.llm.protocol import Params


@dataclass(frozen=True)
class Refusing:
    """Refuses every request. `target` names what would have been asked, e.g. "gpt-4o at https://..."."""

    target: str

    def complete(self, messages: Sequence[Message], **params: Unpack[Params]) -> Completion:
        """Never returns.

        Raises:
            OfflineError: always; names the request.
        """
        raise OfflineError(
            f"A request of {len(messages)} messages to {self.target} was refused: quire runs offline.",
            hint="Run without --offline (QUIRE_OFFLINE), or without a model.",
        )
