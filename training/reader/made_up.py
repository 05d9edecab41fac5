"""Questions made up from what papers say, to learn what a question and its answer have in common.

Words of a sentence (or the names of a cell) stand in random parts behind what asks for a part of it: "how
many" for a count, "why" for what stands behind "due to", "what does X stand for" for what was abbreviated.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from quire.search.cells import Unit

_EMPTY = frozenset(
    "a an the of in on at for to and or by with from as is are was were be been being it its this that "
    "these those which who whom whose what when where how we our they their he she his her i you not no "
    "than then thus so such also both between into over under after before during among per each all any "
    "some more most other another can could may might will would should shall must have has had do does "
    "did there here if but while although however therefore using used use based via within without about "
    "only very same one two three et al fig figure table respectively ".split()
)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9'\-]*|\d[\d.,]*%?")
_CAUSE = re.compile(
    r"(?i)\b(?:because(?: of)?|due to|owing to|in order to|so that|to avoid|to ensure|as a result of|"
    r"attributed to|explained by)\b"
)
_ABBREVIATED = re.compile(r"(?:[A-Za-z][\w\-]*\s+){1,6}\(([A-Z][A-Za-z\-]{1,7})\)")
_SHARE = re.compile(r"\d[\d.,]*\s?%")
_COUNT = re.compile(
    r"\b(\d[\d,]*|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty)\s+((?:[a-z\-]+\s)?[a-z\-]{3,}s)\b"
)
_MEASURE = re.compile(
    r"\b\d[\d.,]*\s?(mg/kg|mg|kg|g|µg|μg|ng|mL|ml|µL|μL|L|°C|K|nm|µm|μm|mm|cm|m|km|hr?|hours|min|minutes|s|"
    r"days|weeks|months|years|Hz|MHz|V|W|Gy|kDa|bp|ppm|mM|M|rpm)\b"
)
_NAME = re.compile(r"(?<=[a-z,] )([A-Z][\w\-]+(?:\s[A-Z][\w\-]+){0,2})")
_LONG = "how long"
_ASKED = {
    **dict.fromkeys(("h", "hr", "hours", "min", "minutes", "s", "days", "weeks", "months"), _LONG),
    "years": "how many years", "°C": "what temperature", "mg/kg": "what dose", "mg": "how much",
    "kg": "what weight", "nm": "what wavelength or size",
}  # fmt: skip
MadeUp = tuple[str, str]  # the question, and the value that it asks for ("" if none)


def question(unit: Unit, draw: random.Random) -> MadeUp | None:
    """A question that the unit answers; None where nothing can be asked."""
    made = _of_row(unit, draw) if unit.kind == "row" else _of_sentence(unit.text, draw)
    return made if made and len(made[0].split()) >= 3 else None


def _of_sentence(text: str, draw: random.Random) -> MadeUp | None:
    if not 8 <= len(_WORD.findall(text)) <= 60:
        return None
    ways = [*_ways(text, draw), None]
    way = draw.choice(ways) if draw.random() < 0.85 else None
    if way is not None:
        return way
    asking = draw.choice(["what", "which", "how", "", "is it true that", ""])
    return f"{asking} {_some(text, draw, most=7)}".strip(), ""


def _ways(text: str, draw: random.Random) -> Iterator[MadeUp]:
    """Questions for each kind of thing that is told."""

    def besides(match: re.Match[str], most: int = 8) -> str:
        return _some(f"{text[: match.start()]} {text[match.end() :]}", draw, most)

    if (cause := _CAUSE.search(text)) and cause.start() > 15:
        asking = draw.choice(["why", "why did", "what explains", "reason for", "what caused"])
        yield f"{asking} {_some(text[: cause.start()], draw)}?", ""
    if short := _ABBREVIATED.search(text):
        asking = draw.choice(
            [f"what does {short[1]} stand for", f"meaning of {short[1]}", f"what is {short[1]}"]
        )
        yield f"{asking} {' '.join(besides(short, 4).split()[: draw.randint(0, 3)])}".strip(), ""
    if shares := list(_SHARE.finditer(text)):
        one = draw.choice(shares)
        asking = draw.choice(["what percentage", "what share", "percent", "what fraction of", "how much of"])
        yield f"{asking} {besides(one)}", one[0].rstrip("% ")
    if counts := list(_COUNT.finditer(text)):
        one = draw.choice(counts)
        yield f"{draw.choice(['how many', 'number of', 'how many'])} {one[2]} {besides(one, 6)}", one[1]
    if measures := list(_MEASURE.finditer(text)):
        one = draw.choice(measures)
        asking = _ASKED.get(one[1], "how much")
        yield f"{draw.choice([asking, asking, 'what'])} {besides(one)}", one[0].split()[0]
    if names := list(_NAME.finditer(text)):
        one = draw.choice(names)
        yield f"{draw.choice(['which', 'who', 'what', 'where'])} {besides(one)}?", one[0]


def _of_row(unit: Unit, draw: random.Random) -> MadeUp | None:
    at = unit.text.find(unit.label) if unit.label else -1
    cells = [part.split(": ", 1) for part in unit.text[max(at, 0) :].split("; ")[1:] if ": " in part]
    if at < 0 or not cells:
        return None
    head, value = draw.choice(cells)
    names = [" ".join(each.split(" > ")[-2:]) for each in (unit.label, head)]
    draw.shuffle(names)
    over = _some(unit.text[:at], draw, most=4).split()[: draw.randint(0, 3)]
    words = [word for word in _WORD.findall(" ".join([*names, *over])) if draw.random() < 0.85]
    return draw.choice(["", "what is the ", "value of ", "how high is ", ""]) + " ".join(words), value


def _some(text: str, draw: random.Random, most: int = 8) -> str:
    """Some of the words that mean something, in their order."""
    words = [word for word in _WORD.findall(text) if word.lower() not in _EMPTY and len(word) > 1]
    kept = [word for word in words if draw.random() < 0.6] or words
    if len(kept) > most:
        start = draw.randint(0, len(kept) - most)
        kept = kept[start : start + draw.randint(4, most)]
    return " ".join(kept)
