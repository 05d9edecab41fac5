"""Analysing the units of a paper, once: words, traits, packed texts, as arrays that are ready to be written.

This is the half of indexing that needs neither database nor index, so it runs in the child process that
parsed the paper:

    batch = analyse(paper_id, units)        # in the child; pickles well
    index.put(first_id, [batch])            # in the parent, after the rows are in
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from quire.errors import DocumentError
from quire.search.analyzer import number_of, term_numbers, words
from quire.search.asked import NUMBER, UNITS
from quire.search.cells import ENCODABLE, KIND_OF, NO_KIND, Unit, encodable_text, plain
from quire.types import Box

SECTIONS = {
    "abstract": "abstract|summary|highlights",
    "introduction": "intro|background",
    "methods": "method|material|experiment|procedure|setup|design|data|subject|participant|sampl|animal",
    "results": "result|finding|evaluation|analys",
    "discussion": "discuss|conclu|limitation",
    "back": "acknowl|funding|conflict|contribution|reference|appendix|supplement",
}
TRAITS: tuple[str, ...] = (
    "numbers", "names", "reason", "truth", "version", "defines",
    *(f"unit {name}" for name in UNITS),
    *(f"in the {name}" for name in SECTIONS),
)  # fmt: skip
_SECTION_PATTERNS = [re.compile(pattern, re.IGNORECASE) for pattern in SECTIONS.values()]
_REASON = re.compile(
    r"\b(?:because|due to|since|owing|in order to|so that|thus|therefore|reasons?|explain\w*|"
    r"(?:result\w*|stems?|arises?) from|caused?|attribut\w+|as a result|"
    r"to (?:avoid|ensure|prevent|reduce|neutrali\w+|allow|keep|minimi\w+))",
    re.IGNORECASE,
)
_TRUTH = re.compile(
    r"\b(?:no|not|neither|never|without|fail\w*|lower|higher|more|less|significant\w*|than|both|better|worse|"
    r"largest|increas\w+|decreas\w+|only|outperform\w*|similar|superior|inferior|cannot)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[a-z,;:)] )[A-Z][A-Za-z0-9-]+|\b[A-Z]{2,}[A-Za-z0-9-]*\b")
_VERSION = re.compile(
    r"\b(?:version|ver|v|release)\.? ?\d|\b[A-Z]\w+ \d+(?:\.\d+)+|®|™|\b(?:Inc|Ltd|GmbH|USA)\b"
)
_DEFINES = re.compile(r"\([A-Z][A-Za-z-]+\)|\b(?:is|are) (?:defined|an?|the)\b|\brefers? to\b|\bmeans?\b")
_PREFIX = 5  # letters
_SPOKEN = re.compile(r"[^\W\d_]{5,40}")
_NO_TRAITS = (0,) * len(TRAITS)
# The lists of a unit's numbers, in this order, and the column of `sizes` that tells how long each is.
WORDS, PREFIXES, HEADS, LABELS, PARTS = range(5)
SIZE_OF = (0, 0, 1, 2, 3)


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """The units of one paper in the order of their ids: parallel arrays.

    `numbers` holds, unit after unit, its words, the first letters of each, the words of what stands over it,
    those of its label, and the units that it consists of (counted from the first); `sizes` how many of each,
    words and first letters counted once. `stems` are its words again, for the index of words; `packed` what
    is shown of it. `spoken` are all the paper's words as they are written, for those who mistype them.
    """

    paper_id: str
    pairs: NDArray[np.uint8]
    pages: NDArray[np.int32]
    keys: tuple[str, ...]
    boxes: tuple[Box | None, ...]  # of pictures
    traits: NDArray[np.uint8]
    sizes: NDArray[np.int32]
    numbers: NDArray[np.int32]
    hashes: NDArray[np.uint64]  # of what an encoder reads; 0 for pictures and for what consists of parts
    stems: tuple[str, ...]
    packed: tuple[bytes, ...]
    spoken: str

    def __len__(self) -> int:
        return len(self.pairs)


def analyse(paper_id: str, units: Sequence[Unit]) -> Batch:
    """Analyse the units of a paper."""
    sizes = np.zeros((len(units), 4), dtype=np.int32)
    numbers: list[int] = []
    stems: list[str] = []
    for at, unit in enumerate(units):
        said = [word.stem for word in words(plain(unit.pair, unit.text))]
        ranked = KIND_OF[unit.pair.number] < NO_KIND
        heads = term_numbers(unit.context) if ranked else []
        labels = sorted(set(term_numbers(unit.label))) if ranked else []
        sizes[at] = (len(said), len(heads), len(labels), len(unit.parts))
        numbers += [number_of(stem) for stem in said]
        numbers += [prefix_number(stem) for stem in said]
        numbers += [*heads, *labels, *unit.parts]
        stems.append(" ".join(said))
    spoken = sorted({word.lower() for unit in units for word in _SPOKEN.findall(unit.text)})
    told = [traits(unit) if unit.kind else _NO_TRAITS for unit in units]
    return Batch(
        paper_id=paper_id,
        pairs=np.asarray([unit.pair.number for unit in units], dtype=np.uint8),
        pages=np.asarray([unit.page for unit in units], dtype=np.int32),
        keys=tuple(unit.key for unit in units),
        boxes=tuple(unit.box if unit.pair.modality == "image" else None for unit in units),
        traits=np.asarray(told, dtype=np.uint8).reshape(len(units), len(TRAITS)),
        sizes=sizes,
        numbers=np.asarray(numbers, dtype=np.int32),
        hashes=np.asarray([_hash(unit) for unit in units], dtype=np.uint64),
        stems=tuple(stems),
        packed=tuple(pack(unit) for unit in units),
        spoken=" ".join(spoken),
    )


def checked(batch: Batch) -> Batch:
    """The batch, if its arrays fit together: it comes from a process that has read hostile bytes.

    Raises:
        DocumentError: they do not.
    """
    count, sizes = len(batch), batch.sizes
    fitting = (
        all(len(each) == count for each in (batch.pages, batch.keys, batch.boxes, batch.traits))
        and len(batch.hashes) == len(batch.stems) == len(batch.packed) == count
        and sizes.shape == (count, 4)
        and not (sizes < 0).any()
        and len(batch.numbers) == int(sizes.sum()) + int(sizes[:, WORDS].sum())
        and (not count or int(batch.pairs.max()) < len(ENCODABLE))
    )
    if not fitting:
        raise DocumentError("What was read of it does not fit together.")
    return batch


def traits(unit: Unit) -> list[int]:
    """What a text shows whatever is asked, in the order of `TRAITS`: counts and 0 or 1."""
    text = unit.text
    return [
        min(len(NUMBER.findall(unit.quote)), 20),
        min(len(_NAME.findall(text)), 10),
        bool(_REASON.search(text)),
        bool(_TRUTH.search(text)),
        bool(_VERSION.search(text)),
        bool(_DEFINES.search(text)),
        *(bool(pattern.search(text)) for pattern in UNITS.values()),
        *_section(unit.context),
    ]


@lru_cache(maxsize=10_000)
def _section(heading: str) -> list[bool]:
    return [bool(pattern.search(heading)) for pattern in _SECTION_PATTERNS]


def prefix_number(stem: str) -> int:
    """The number of a stem's first letters; 0 for a short one."""
    return number_of(stem[:_PREFIX]) if len(stem) >= _PREFIX else 0


def _hash(unit: Unit) -> int:
    if unit.pair.modality == "image" or unit.parts:
        return 0
    text = encodable_text(unit.pair, unit.text).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "little") | 1


def pack(unit: Unit) -> bytes:
    """What is kept of a unit beside its numbers. What consists of parts is in the rows."""
    quote = None if unit.quote in ("", unit.text) else unit.quote
    box = [round(value, 2) for value in unit.box] if unit.box else None
    text = "" if unit.parts else unit.text
    told = [unit.key, text, quote, unit.label, unit.context, unit.group, box]
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def unpack(packed: bytes, pair: int, paper_id: str, page: int) -> Unit:
    """The unit that was packed."""
    told = json.loads(packed.decode("utf-8", "surrogatepass"))
    key, text, quote, label, context, group, box = told
    return Unit(
        ENCODABLE[pair],
        paper_id,
        page,
        key,
        text,
        text if quote is None else quote,
        label,
        context,
        group,
        Box(*box) if box else None,
    )
