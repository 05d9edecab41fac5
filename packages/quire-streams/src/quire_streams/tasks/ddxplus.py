"""DDXPlus: diagnose a patient, 49 possible diagnoses. Accuracy.

Fansi Tchango et al. 2022, arXiv 2205.09148; CC BY 4.0. Files and links: see `quire tasks fetch ddxplus`.
Layouts read, the first that is there: the configuration `ddxplus` of the StreamBench set on Hugging Face
(PATIENT_PROFILE, PATHOLOGY), the official patients (`release_test_patients.zip`, `release_test_patients.csv`
or `test.csv`), and else the conditions alone, from which synthetic patients are drawn (field `origin`).

An official record:
    AGE: 18, SEX: M, PATHOLOGY: GERD, EVIDENCES: ['E_48', 'E_54_@_V_161', 'E_56_@_4'], INITIAL_EVIDENCE: E_201
"""

from __future__ import annotations

import ast
import random
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz, process

from quire.errors import TaskError
from quire.eval import files
from quire.eval.result import Result
from quire.types import Experience, Instance
from quire_streams.tasks.protocol import SYNTHETIC, Sample, WordedTask, first_object, records

_PER_CONDITION = 36  # 49 x 36 = 1764, the size of the paper's stream
_NUMBER = re.compile(r"(?<![\d.,/])(\d{1,2})(?![\d%/]|[.,]\d)")


class DdxPlus(WordedTask):
    """49 diagnoses."""

    name = "ddxplus"
    shots = 16
    metric = "accuracy"

    def load(self, data: Path) -> Sequence[Sample]:
        """Patients of the test split."""
        book = _Book(data)
        return [self._sample(book, n, *row) for n, row in enumerate(_patients(data, book, "test"))]

    def examples(self, data: Path) -> Sequence[Experience]:
        """Patients of the validation split, in a fixed shuffled order, at most one of a diagnosis."""
        book = _Book(data)
        chosen: dict[str, Sample] = {}
        for number, row in enumerate(_patients(data, book, "validate")):
            chosen.setdefault(row[1], self._sample(book, number, *row))
        names = sorted(chosen, key=lambda name: (zlib.crc32(name.encode()), name))
        return [chosen[name].example() for name in names[: self.shots]]

    def parse(self, reply: str, instance: Instance) -> str:
        """`<number>. <name>` from a reply that has a number, a name or both; a name wins over a number."""
        listed = (line.split(". ", 1) for line in instance.fields["options"].splitlines())
        options = {int(number): name for number, name in listed}
        found = first_object(reply)
        told = found and isinstance(found.get("answer"), str | int)
        answer = str(found["answer"]) if found and told else reply
        named = _named_options(answer, options)
        numbers = [n for n in (int(m) for m in _NUMBER.findall(answer)) if n in options]
        if named:
            agreed = [n for n in named if n in numbers]
            number = agreed[0] if agreed else named[0]
        elif len(set(numbers)) == 1 or (numbers and _NUMBER.match(answer.strip())):
            number = numbers[0]
        else:
            return ""
        return f"{number}. {options[number]}"

    def score(self, sample: Sample, output: str) -> Result:
        """1 if it is the patient's diagnosis."""
        right = output == sample.gold
        return Result(float(right), reason=f"gold: {sample.gold}")

    def _sample(self, book: _Book, number: int, profile: str, pathology: str, origin: str) -> Sample:
        if pathology not in book.conditions:
            raise TaskError(f"Patient {number}: PATHOLOGY `{pathology}` is not in release_conditions.json.")
        fields, id = {"options": book.options, "origin": origin}, f"{origin}-{number:05d}"
        instance = self.instance(id, profile, fields, profile=profile, options=book.options)
        diagnosis = f"{book.names.index(pathology) + 1}. {pathology}"
        return Sample(instance, diagnosis, diagnosis)


class _Book:
    """Conditions and evidences, and how a patient is put into words."""

    def __init__(self, data: Path) -> None:
        self.conditions: Mapping[str, Any] = files.mapping(files.need(data, "release_conditions.json"))
        self.evidences: Mapping[str, Any] = files.mapping(files.need(data, "release_evidences.json"))
        self.names = sorted(self.conditions)
        self.options = "\n".join(f"{n}. {name}" for n, name in enumerate(self.names, start=1))

    def profile(self, age: object, sex: str, findings: Iterable[tuple[str, str]]) -> str:
        lines = [f"Sex: {sex}, age: {age}"]
        answers: dict[str, list[str]] = {}
        for code, value in findings:
            meanings = self.evidences.get(code, {}).get("value_meaning") or {}
            words = str(meanings.get(value, {}).get("en", value)) if value else "yes"
            answers.setdefault(code, []).append(words)
        for code, values in answers.items():
            if code not in self.evidences:
                raise TaskError(f"Evidence `{code}` is not in release_evidences.json.")
            lines.append(f"- {self.evidences[code]['question_en'].strip()} {', '.join(values)}")
        return "\n".join(lines)


def _patients(data: Path, book: _Book, split: str) -> Iterable[tuple[str, str, str]]:
    prepared = files.find(data, *files.hub("ddxplus", split))
    if prepared:
        for one in records(prepared):
            yield one.text("PATIENT_PROFILE"), one.text("PATHOLOGY"), "official"
        return
    official = files.find(
        data, f"release_{split}_patients.zip", f"release_{split}_patients.csv", f"{split}.csv"
    )
    if official:
        for one in records(official):
            profile = book.profile(one.row["AGE"], str(one.row["SEX"]), _evidences(one.text("EVIDENCES")))
            yield profile, str(one.row["PATHOLOGY"]), "official"
        return
    for drawn in draw_patients(book.conditions, book.evidences, _PER_CONDITION, split):
        yield book.profile(drawn.age, drawn.sex, drawn.findings), drawn.pathology, SYNTHETIC


def _evidences(written: str) -> list[tuple[str, str]]:
    try:
        codes = ast.literal_eval(written)
    except (ValueError, SyntaxError) as error:
        raise TaskError(f"EVIDENCES is not a list: {written[:60]}") from error
    return [(code.partition("_@_")[0], code.partition("_@_")[2]) for code in codes]


def _named_options(answer: str, options: Mapping[int, str]) -> list[int]:
    """Numbers of the options whose names stand in the answer, in the order they stand there."""
    left = answer.casefold()
    found: list[tuple[int, int]] = []
    for number, name in sorted(options.items(), key=lambda pair: -len(pair[1])):
        pattern = rf"(?<!\w){re.escape(name.casefold())}(?!\w)"
        for match in re.finditer(pattern, left):
            found.append((match.start(), number))
        left = re.sub(pattern, lambda match: " " * len(match[0]), left)
    if found:
        return [number for _, number in sorted(found)]
    line = next((line for line in answer.splitlines() if line.strip()), "")
    bare = re.sub(r"^[\W\d]+", "", line)
    near = process.extractOne(bare, options, scorer=fuzz.ratio, score_cutoff=88, processor=str.casefold)
    return [near[2]] if bare and near else []


_ANSWERLESS = ("N", "NA", "nowhere")


@dataclass(frozen=True, slots=True)
class Patient:
    """Age in years, sex (M or F), the illness, and findings as (evidence code, value code or "")."""

    age: int
    sex: str
    pathology: str
    findings: tuple[tuple[str, str], ...]


def draw_patients(
    conditions: Mapping[str, Any], evidences: Mapping[str, Any], per_condition: int, seed: str
) -> Iterator[Patient]:
    """`per_condition` synthetic patients of every condition, condition by condition; the seed decides all.

    Every condition gets fixed rates at which its own symptoms and antecedents occur and a few favoured values
    for the ones that have values; a patient is a draw from those, plus some findings that have nothing to do
    with the illness. These are NOT the official patients: figures on them say "synthetic" and cannot be
    compared with the paper's.
    """
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
    name: str, traits: _Traits, evidences: Mapping[str, Any], everything: list[str], dice: random.Random
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
