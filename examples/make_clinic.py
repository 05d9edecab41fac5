"""Write `clinic/`: a small stream of patients with invented illnesses, in the layout of DDXPlus.

    python examples/make_clinic.py [FOLDER]

Sixteen illnesses share forty signs, so that no single sign tells one; patients are drawn from them by rule
when the stream is read. Nothing in it is medicine.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent

ILLNESSES = (
    "Attic cough", "Bell-ringer's wrist", "Candle fever", "Drizzle ache", "Echo ear", "Ferry stomach",
    "Glove rash", "Harbour chill", "Inkwell stain", "Jester's hiccups", "Kite neck", "Lantern eyes",
    "Marsh sleep", "Nettle tongue", "Orchard sneeze", "Piper's fingers",
)  # fmt: skip
SYMPTOMS = (
    "Do you cough at night?", "Do you sneeze more than ten times a day?", "Is your nose blocked?",
    "Do you have a fever?", "Do you shiver?", "Are your hands cold?", "Do your fingers tingle?",
    "Does your wrist hurt when you turn it?", "Is your neck stiff?", "Does your back ache when it rains?",
    "Do you hear sounds twice?", "Do your ears ring?", "Are your eyes red?", "Do you see rings of light?",
    "Does bright light hurt?", "Do you have a rash on your hands?", "Does your skin itch after work?",
    "Is your tongue swollen?", "Does sour fruit burn?", "Do you feel sick on water?", "Are you never hungry?",
    "Do you have hiccups for hours?", "Do you laugh without a reason?", "Do you sleep more than ten hours?",
    "Do you walk in your sleep?", "Are you pale?", "Do you sweat in the evening?", "Is your voice hoarse?",
    "Do your knees crack?", "Do your feet swell?", "Are your nails stained?", "Do your teeth chatter?",
)  # fmt: skip
HABITS = (
    "Do you live under a roof with pigeons?", "Do you work at a harbour?", "Do you write with a dip pen?",
    "Do you play an instrument?", "Do you keep bees?", "Do you work by candlelight?",
    "Have you been on a boat this week?", "Do you spend your days in an orchard?",
)  # fmt: skip


def main() -> None:
    """Write both files."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "clinic"
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "release_evidences.json", evidences())
    write(folder / "release_conditions.json", conditions())


def evidences() -> dict[str, Any]:
    """Every sign, by its code; one of them has values."""
    signs = {f"E_{n}": sign(n, question) for n, question in enumerate((*SYMPTOMS, *HABITS), start=1)}
    places = ("nowhere", "head", "neck", "chest", "belly", "hands", "knees", "feet")
    meaning = {f"V_{n}": {"en": place} for n, place in enumerate(places)}
    values = {"data_type": "C", "default_value": "V_0", "value_meaning": meaning}
    where = sign(len(signs) + 1, "Where does it hurt?")
    return signs | {where["name"]: where | values | {"possible-values": list(meaning)}}


def sign(number: int, question: str) -> dict[str, Any]:
    """A sign that is there or not."""
    name = f"E_{number}"
    return {"name": name, "question_en": question, "data_type": "B", "default_value": 0}


def conditions() -> dict[str, Any]:
    """Every illness with its signs: each next to another one shares half of them with it."""
    dice = random.Random(7)
    count = len(SYMPTOMS)
    made = {}
    for number, name in enumerate(ILLNESSES):
        near = [f"E_{(2 * number + step) % count + 1}" for step in range(5)]
        far = [f"E_{one + 1}" for one in dice.sample(range(count), 4)]
        habits = [f"E_{count + 1 + one}" for one in dice.sample(range(len(HABITS)), 2)]
        symptoms = dict.fromkeys([*near, *far, f"E_{count + len(HABITS) + 1}"], {})
        made[name] = {"condition_name": name, "symptoms": symptoms, "antecedents": dict.fromkeys(habits, {})}
    return made


def write(path: Path, content: dict[str, Any]) -> None:
    """As JSON, one entry a line."""
    lines = (f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in content.items())
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
