"""Synthetic patients drawn from the DDXPlus conditions file, for when the official patients are not there.

Every condition gets fixed rates at which its own symptoms and antecedents occur and a few favoured values
for the ones that have values; a patient is a draw from those, plus some findings that have nothing to do
with the illness. All of it depends on the seed alone. These are NOT the official patients: figures on them
say "synthetic" and cannot be compared with the paper's.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_ANSWERLESS = ("N", "NA", "nowhere")


@dataclass(frozen=True, slots=True)
class Patient:
    """Age in years, sex (M or F), the illness, and findings as (evidence code, value code or "")."""

    age: int
    sex: str
    pathology: str
    findings: tuple[tuple[str, str], ...]


def draw(
    conditions: Mapping[str, Any], evidences: Mapping[str, Any], per_condition: int, seed: str
) -> Iterator[Patient]:
    """`per_condition` patients of every condition, condition by condition."""
    everything = sorted(evidences)
    for name in sorted(conditions):
        traits = _traits(name, conditions[name], evidences)
        for number in range(per_condition):
            yield _patient(name, traits, evidences, everything, random.Random(f"{seed}/{name}/{number}"))


@dataclass(frozen=True, slots=True)
class _Traits:
    rates: Mapping[str, float]
    values: Mapping[str, tuple[str, ...]]
    age: int


def _traits(name: str, condition: Mapping[str, Any], evidences: Mapping[str, Any]) -> _Traits:
    dice = random.Random(f"traits/{name}")
    rates = {code: dice.uniform(0.35, 0.9) for code in sorted(condition["symptoms"])}
    rates |= {code: dice.uniform(0.1, 0.5) for code in sorted(condition["antecedents"])}
    values = {}
    for code in sorted(rates):
        choices = _choices(evidences[code])
        if choices:
            values[code] = tuple(dice.sample(choices, min(len(choices), dice.randint(1, 4))))
    return _Traits(rates, values, dice.randint(15, 75))


def _patient(
    name: str,
    traits: _Traits,
    evidences: Mapping[str, Any],
    everything: list[str],
    dice: random.Random,
) -> Patient:
    codes = [code for code, rate in traits.rates.items() if dice.random() < rate]
    others = dice.sample(everything, min(dice.randint(0, 5), len(everything)))
    codes += [code for code in others if code not in traits.rates]
    if not codes:
        codes = [dice.choice(sorted(traits.rates))]
    findings = []
    for code in codes:
        choices = traits.values.get(code) or tuple(_choices(evidences[code]))
        # One patient in five answers like anybody else would.
        if choices and dice.random() < 0.2:
            choices = tuple(_choices(evidences[code]))
        findings.append((code, dice.choice(choices) if choices else ""))
    dice.shuffle(findings)
    age = min(100, max(0, round(dice.gauss(traits.age, 15))))
    return Patient(age, dice.choice("MF"), name, tuple(findings))


def _choices(evidence: Mapping[str, Any]) -> list[str]:
    meanings = evidence.get("value_meaning") or {}
    default = str(evidence.get("default_value"))
    values = [str(value) for value in evidence.get("possible-values") or ()]
    return [v for v in values if v != default and meanings.get(v, {}).get("en") not in _ANSWERLESS]
