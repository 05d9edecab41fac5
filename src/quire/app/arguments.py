"""Arguments that nothing takes: refused by name, with what was probably meant, never passed over in silence.

unknown("paper", ["question", "papers"])    ->  "There is no argument `paper`; did you mean `papers`?"
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError


def unknown(name: str, known: Collection[str]) -> str:
    """What to say of an argument that is not among the known ones."""
    near = difflib.get_close_matches(name[:80], known, 1)
    guess = f"did you mean `{near[0]}`?" if near else f"there are: {', '.join(known) or 'none'}."
    return f"There is no argument `{name[:80]}`; {guess}"


def malformed(error: Mapping[str, Any]) -> str:
    """What to say of one error of a pydantic validation."""
    where = ".".join(str(part) for part in error["loc"])
    told = str(error["msg"])
    return told if error["type"] == "unknown_argument" or not where else f"`{where}`: {told}."


PaperName = Annotated[str, Field(max_length=500)]  # id, file name, title or DOI
PaperNames = Annotated[list[PaperName], Field(max_length=1000)]


class Body(BaseModel):
    """What a request brings: these fields and no others."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _nothing_else(cls, given: Any) -> Any:
        for name in given if isinstance(given, dict) else ():
            if name not in cls.model_fields:
                told = unknown(str(name), list(cls.model_fields))
                raise PydanticCustomError("unknown_argument", "{told}", {"told": told})
        return given
