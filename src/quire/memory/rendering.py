"""How one remembered experience is shown in a prompt.

plain      the question and the answer            (few-shot, Self-StreamICL, MAM-StreamICL)
verdict    ... and what the verdict was            (GrowPrompt, MemPrompt)
reasoned   the question, the reasoning, the answer (CoT with a memory)
author     the question, who answered, the answer  (MAM that tells its authors)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from quire.types import Experience, Verdict

_WORDS = {
    "right": "This answer was right.",
    "wrong": "This answer was wrong.",
    "unknown": "Nobody has judged this answer.",
}


def in_words(verdict: Verdict) -> str:
    """The verdict as a sentence. Only the label: a reason could give the gold away."""
    return _WORDS[verdict.label]


def plain(experience: Experience) -> str:
    """Question and answer."""
    return f"{_question(experience)}\nAnswer: {experience.output}"


def with_verdict(experience: Experience) -> str:
    """Question, answer and verdict."""
    return f"{plain(experience)}\nVerdict: {in_words(experience.verdict)}"


def reasoned(experience: Experience) -> str:
    """Question, reasoning (if any was kept) and answer."""
    rationale = experience.prompt_fields.get("rationale", "")
    lines = [
        _question(experience),
        f"Reasoning: {rationale}" if rationale else "",
        f"Answer: {experience.output}",
    ]
    return "\n".join(line for line in lines if line)


def with_author(experience: Experience) -> str:
    """Question, answer and the model that gave it."""
    return f"{_question(experience)}\nAnswer (by {experience.model}): {experience.output}"


def _question(experience: Experience) -> str:
    return experience.prompt_fields.get("shot", experience.key)


RENDERERS: Mapping[str, Callable[[Experience], str]] = {
    "plain": plain,
    "verdict": with_verdict,
    "reasoned": reasoned,
    "author": with_author,
}
