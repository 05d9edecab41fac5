r"""How well displayed equations are read as LaTeX, against the source they were typeset from.

    python benchmarks/equations_latex.py --data DIR [--without CLASS ...] [--show N]

`--data` is a folder made by `benchmarks/typeset`. Per class: the share of equations found (a box on the right
page holds the place that TeX told), the share read as LaTeX, and the mean similarity of normalised LaTeX over
ALL equations of the source, 0 for one that was not found and that of the plain text where it was not read.
Normalising drops what cannot be seen or is a matter of taste: spacing, sizes of brackets, alignment, braces
round one sign, the order of scripts, names of one sign, full stops and commas at the end.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

from rapidfuzz.distance import Levenshtein

from quire.pdf import parse
from quire.types import Equation

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[^\s]")
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\{(?:aligned|align\*?|split|gathered|array)\}")
_INVISIBLE = {
    r"\,",
    r"\;",
    r"\:",
    r"\!",
    r"\quad",
    r"\qquad",
    r"\left",
    r"\right",
    r"\limits",
    r"\displaystyle",
    "&",
    r"\ ",
    "~",
    r"\big",
    r"\Big",
    r"\bigl",
    r"\bigr",
}
_FUNCTIONS = {
    "\\" + f for f in "sin cos tan log ln exp max min sup inf lim det arg tanh dim ker deg gcd Pr".split()
}
_SAME = {
    r"\le": r"\leq",
    r"\ge": r"\geq",
    r"\to": r"\rightarrow",
    r"\|": r"\Vert",
    r"\parallel": r"\Vert",
    r"\mid": "|",
    r"\vert": "|",
    r"\ast": "*",
    r"\text": r"\mathrm",
    r"\operatorname": r"\mathrm",
    r"\prime": "'",
    r"\ne": r"\neq",
    r"\dots": r"\ldots",
    r"\perp": r"\bot",
    r"\lbrack": "[",
    r"\triangle": r"\Delta",
}


def normalised(latex: str) -> list[str]:
    """Tokens without what cannot be seen."""
    text = _ENVIRONMENT.sub(" ", latex)
    text = re.sub(r"\\substack", " ", text)
    tokens = [_SAME.get(t, t) for t in _TOKEN.findall(text) if t not in _INVISIBLE]
    while tokens and tokens[-1] in (",", ".", ";"):
        tokens.pop()
    return _scripts(_upright(_tree(tokens)))


def _upright(tree: list[Any], inside: bool = False) -> list[Any]:
    """Upright letters one by one, however they were grouped."""
    out: list[Any] = []
    for k, item in enumerate(tree):
        if item == r"\mathrm":
            continue
        if isinstance(item, str) and item in _FUNCTIONS:
            out += [f"upright-{c}" for c in item[1:]]
            continue
        upright = inside or (k > 0 and tree[k - 1] == r"\mathrm")
        if isinstance(item, list):
            inner = _upright(item, upright)
            out += inner if k > 0 and tree[k - 1] == r"\mathrm" else [inner]
        else:
            out.append(f"upright-{item}" if upright and item.isalpha() else item)
    return out


def _tree(tokens: list[str]) -> list[Any]:
    """Groups in braces as lists."""
    out: list[Any] = []
    stack = [out]
    for token in tokens:
        if token == "{":
            group: list[Any] = []
            stack[-1].append(group)
            stack.append(group)
        elif token == "}":
            if len(stack) > 1:
                stack.pop()
        else:
            stack[-1].append(token)
    return out


def _scripts(tree: list[Any]) -> list[str]:
    """Flat again: subscripts before superscripts, primes first, braces only round more than one sign."""
    out: list[str] = []
    k = 0
    while k < len(tree):
        if tree[k] in ("_", "^", "'"):
            down: list[str] = []
            up: list[str] = []
            while k < len(tree) and tree[k] in ("_", "^", "'"):
                if tree[k] == "'":
                    up += ["'"]
                    k += 1
                    continue
                target = down if tree[k] == "_" else up
                value = tree[k + 1] if k + 1 < len(tree) else []
                target += _scripts(value if isinstance(value, list) else [value])
                k += 2
            out += (["_", "{", *down, "}"] if down else []) + (["^", "{", *up, "}"] if up else [])
        elif isinstance(tree[k], list):
            inner = _scripts(tree[k])
            out += (
                ["{", *inner, "}"]
                if k and isinstance(tree[k - 1], str) and tree[k - 1].startswith("\\")
                else inner
            )
            k += 1
        else:
            out.append(tree[k])
            k += 1
    return out


def similarity(one: str, other: str) -> float:
    """1 for the same tokens, 0 for none in common."""
    return float(Levenshtein.normalized_similarity(normalised(one), normalised(other)))


def matched(fact: dict[str, Any], found: list[Equation]) -> Equation | None:
    """The equation whose box holds the place where the source was set."""
    x, y = fact["place"]
    for e in found:
        box = e.bbox
        if e.page == fact["page"] and box.x0 - 6 <= x <= box.x1 + 6 and box.y0 - 3 <= y <= box.y1 + 6:
            return e
    return None


def score(
    facts: dict[str, Any], found: list[Equation], show: list[tuple[float, str, str, str]]
) -> list[tuple[bool, bool, float, bool]]:
    """Found, read, similarity and right number, of each equation of the source."""
    out = []
    for fact in facts["equations"]:
        if "page" not in fact:
            continue
        e = matched(fact, found)
        value = similarity(fact["latex"], e.latex or e.text) if e else 0.0
        out.append((e is not None, bool(e and e.latex), value, bool(e and e.number == fact["number"])))
        show.append(
            (
                value,
                fact["latex"],
                (e.latex or "TEXT " + e.text) if e else "-",
                f"{facts['name']} p{fact['page']}",
            )
        )
    return out


def main() -> int:
    """Parse, compare, print."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--only", nargs="*", help="classes to measure; default all")
    arguments.add_argument("--without", nargs="*", default=[], help="classes that were looked at")
    arguments.add_argument("--show", type=int, default=0, help="print this many of the worst")
    arguments.add_argument("--seed", help="only documents of this seed")
    options = arguments.parse_args()
    rows: dict[str, list[tuple[bool, bool, float, bool]]] = defaultdict(list)
    show: list[tuple[float, str, str, str]] = []
    extra = 0
    for line in (options.data / "facts.jsonl").read_text("utf-8").splitlines():
        facts = json.loads(line)
        chosen = facts["class"] in options.only if options.only else facts["class"] not in options.without
        if (
            not chosen
            or not facts["equations"]
            or (options.seed and not facts["name"].endswith("_" + options.seed))
        ):
            continue
        found = list(parse(options.data / f"{facts['name']}.pdf").equations)
        rows[facts["class"]] += score(facts, found, show)
        extra += sum(not any(matched(f, [e]) for f in facts["equations"] if "page" in f) for e in found)
    for value, latex, got, where in sorted(show)[: options.show]:
        print(f"{value:.2f} {where}\n   {latex}\n   {got}")
    everything = [r for group in rows.values() for r in group]
    for name, group in [*sorted(rows.items()), ("ALL", everything)]:
        n = max(1, len(group))
        found_, read_, value, number = (sum(r[k] for r in group) / n for k in range(4))
        shares = f"found {found_:.3f} read {read_:.3f} similarity {value:.3f} number {number:.3f}"
        print(f"{name:20} {len(group):5} {shares}")
    means = [sum(r[2] for r in g) / len(g) for g in rows.values() if g]
    print(
        f"mean over classes: similarity {sum(means) / max(1, len(means)):.3f}; found that are none: {extra}"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
