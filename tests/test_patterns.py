"""No regular expression of the package hangs on hostile text: every one is fed 100 kB made to hurt it.

The expressions are found in the source (`re.compile`, `re.search`, ...), and so is how each is used: whether
it is matched at one place or searched for everywhere. One that is made while running needs an example here.
The texts are made from the expression itself: what stands before each of its repeats, then long runs of what
the repeat takes.
"""

from __future__ import annotations

import ast
import importlib
import re
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import quire
import quire_streams
from quire.ask.offline import lexicon
from quire.ask.offline.kinds import abbreviation, library
from quire.pdf.equations import atoms
from quire.pdf.front import imprint, printed
from quire.search import asked, batch

codes: Any = importlib.import_module("re._constants")
parser: Any = importlib.import_module("re._parser")
ROOTS = tuple(Path(package.__path__[0]) for package in (quire, quire_streams))
SIZE, SHORT = 100_000, 12_500  # characters
LIMIT = 1.0  # seconds of processor time for one text; an expression of linear time takes some hundredths
_METHODS = {"compile": 1, "search": 2, "match": 2, "fullmatch": 2, "findall": 2, "finditer": 2, "split": 3}
_METHODS["sub"] = 4
_EVERYWHERE = {"search", "findall", "finditer", "split", "sub"}
_CLASSES = {
    codes.CATEGORY_SPACE: " ",
    codes.CATEGORY_DIGIT: "1",
    codes.CATEGORY_WORD: "a",
    codes.CATEGORY_NOT_WORD: "-",
}
# For expressions that are made while running: values of the local names that they are made of.
_EXAMPLES: Mapping[str, Mapping[str, Sequence[Any]]] = {
    "quire.ask.offline.kinds.library": {
        "pattern": [pattern for pattern, _ in library._LIMITS],
        "words": [words for words, *_ in library._SUPERLATIVES],
    },
    "quire.ask.offline.lexicon": {
        "noun": [r"(?:tables?|tabs?\.?|tbl\.?)", r"(?:pages?|pp?\.)"],
        "pattern": list(lexicon.PHRASES.values()),
        "numbered": [r"(?:number|no\.|#|position|index|numbered|labelled|labeled)\s*#?(\d+)"],
        "behind": [rf"(?:(?:\w+\s+){{0,2}}{lexicon._REFERENCE}|(?:one|work|paper|position|place|in)\b)"],
    },
    "quire.ask.offline.kinds.abbreviation": {
        "shape": [abbreviation._shape(short) for short in ("AB", "A-B", "a.b")],
        "bracketed": [r"area\s+under\s+curve\s*[(\[]\s*([^()\[\],;]{1,15}?)\s*[)\],;]"],
        "pattern": [r"area\s+under\s+curve"],
    },
    "quire.pdf.equations.atoms": {
        "pattern": list(atoms._DATA["fonts"].values()),
        "family": [family for family, _ in atoms._DATA["more"]],
    },
    "quire.pdf.equations.finding": {"plain": [SimpleNamespace(number="(12)")]},
    "quire.pdf.front.matter": {"found": [("boats",)]},
    "quire.pdf.front.printed": {
        "word": list(printed._WORDS.values()),
        "words": [words for _, words in printed._PARTS],
    },
    "quire.pdf.front.imprint": {
        "form": [each.pattern for each in imprint._FORMS],
        "separator": [r"[;·•|]", r",|\s[–-]\s"],
        "pattern": list(imprint._series().values()),
        "name": ["CHI", "ACL"],
    },
    "quire.ask.formats": {"choices": ["sql|query"], "separator": ["=", ":"]},
    "quire.ask.actions.database": {"table": ["metadata"]},
    "quire.search.asked": {
        "pattern": [each.pattern for each in (*asked.WANTS.values(), *asked.UNITS.values())]
    },
    "quire.search.batch": {"pattern": list(batch.SECTIONS.values())},
    "quire.library.finding": {"sign": [";", ":"]},
    "quire.library.views": {"stem": ["Figure"], "number": ["1", "2.3"]},
    "quire.library.searching": {"word": ["boat"]},
    "quire.eval.scorers.judging": {"name": ["grade", "how well"]},
    "quire_streams.tasks.ddxplus": {"pattern": [r"(?<!\w)flu(?!\w)"]},
    "quire_streams.tasks.offline.toolbench": {
        "before": [["in"]],
        "tail": [r"(?=\s+the\b|[?.!,]|$)", r"(?=[?.!]|$)"],
    },
    "quire.eval.quiz": {"number": ["3.1"]},
}


_UNSEEN: list[str] = []  # expressions that are made of names without an example


class Used(NamedTuple):
    """An expression, where it stands, and how it is applied."""

    place: str
    pattern: re.Pattern[str]
    methods: frozenset[str]


@cache
def expressions() -> list[Used]:
    """Every expression over text of the package."""
    found: dict[tuple[str, int, frozenset[str]], Used] = {}
    for root, path in [(top, path) for top in ROOTS for path in sorted(top.rglob("*.py"))]:
        name = ".".join(path.relative_to(root.parent).with_suffix("").parts).removesuffix(".__init__")
        source = path.read_text(encoding="utf-8")
        if "import re\n" not in source:
            continue
        nodes = list(ast.walk(ast.parse(source)))
        calls = [node for node in nodes if isinstance(node, ast.Call) and _of_re(node)]
        if not calls:
            continue
        try:
            known = vars(importlib.import_module(name))
        except ImportError:  # an extra that is not installed
            continue
        uses = _uses(nodes)
        for call in calls:
            applied = _applied(nodes, call, uses)
            try:
                patterns = _patterns(call, known, _EXAMPLES.get(name, {}))
            except (NameError, AttributeError) as error:
                _UNSEEN.append(f"{name}:{call.lineno}: {error}")
                continue
            for pattern in patterns:
                if isinstance(pattern.pattern, str):
                    key = (pattern.pattern, pattern.flags, applied)
                    found.setdefault(key, Used(f"{name}:{call.lineno}", pattern, applied))
    return list(found.values())


def _of_re(node: ast.Call) -> bool:
    called = node.func
    return (
        isinstance(called, ast.Attribute)
        and isinstance(called.value, ast.Name)
        and called.value.id == "re"
        and called.attr in _METHODS
    )


def _uses(nodes: Sequence[ast.AST]) -> Mapping[str, set[str]]:
    """For each name the methods that are called on it."""
    uses: dict[str, set[str]] = {}
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            uses.setdefault(node.value.id, set()).add(node.attr)
    return uses


def _applied(nodes: Sequence[ast.AST], call: ast.Call, uses: Mapping[str, set[str]]) -> frozenset[str]:
    assert isinstance(call.func, ast.Attribute)
    if call.func.attr != "compile":
        return frozenset({call.func.attr})
    for node in nodes:
        if isinstance(node, ast.Assign) and node.value is call and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            told = uses.get(name, set()) & (_METHODS.keys() - {"compile"})
            if told and name.startswith("_"):
                return frozenset(told)
    return frozenset({"finditer"})


def _patterns(
    call: ast.Call, known: Mapping[str, Any], examples: Mapping[str, Sequence[Any]]
) -> list[re.Pattern[Any]]:
    """What a call compiles: one expression, or one for each example of the local names in it.

    Raises:
        NameError: it is made of a name that has no example here.
    """
    assert isinstance(call.func, ast.Attribute)
    place = _METHODS[call.func.attr]
    flags = next((word.value for word in call.keywords if word.arg == "flags"), None)
    flags = flags or (call.args[place] if len(call.args) > place else None)
    used = {node.id for node in ast.walk(call) if isinstance(node, ast.Name)} & examples.keys()
    made = []
    for values in product(*(examples[name] for name in sorted(used))):
        names = {**known, **dict(zip(sorted(used), values, strict=True))}
        text = _constant(call.args[0], names)
        flagged = _constant(flags, names) if flags else 0
        made.append(text if isinstance(text, re.Pattern) else re.compile(text, flagged))
    return made


def _constant(node: ast.expr, known: Mapping[str, Any]) -> Any:
    return eval(compile(ast.Expression(node), "pattern", "eval"), dict(known))  # noqa: S307 (our own source)


def hostile(pattern: re.Pattern[str], size: int) -> Iterator[str]:
    """Texts that the expression's own repeats go far into."""
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    chars = list(dict.fromkeys(_repeated(tree, inside=False)))[:3]
    before = [start for start in dict.fromkeys(_before(tree, "")) if start][:3]
    for char in chars:
        yield char * (size - 1) + "\x01"
        for start in before:
            yield start + char * (size - len(start) - 1) + "\x01"
            yield (start + char * 40) * (size // (len(start) + 40) + 1)
        for other in chars:
            if other != char:
                yield (char + other) * (size // 2)
                yield (char * 40 + other) * (size // 41)
    for start in before:
        yield start * (size // len(start) + 1)


def _repeated(tree: Any, *, inside: bool) -> Iterator[str]:
    """A few characters that each long repeat takes."""
    for code, argument in tree:
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            yield from _repeated(argument[2], inside=inside or argument[1] > 50)
        elif code is codes.SUBPATTERN:
            yield from _repeated(argument[3], inside=inside)
        elif code is codes.BRANCH:
            for branch in argument[1]:
                yield from _repeated(branch, inside=inside)
        elif code in (codes.ASSERT, codes.ASSERT_NOT):
            yield from _repeated(argument[1], inside=inside)
        elif inside:
            yield from _examples(code, argument)[:3]


def _before(tree: Any, start: str) -> Iterator[str]:
    """The shortest text that leads to each repeat."""
    for code, argument in tree:
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            yield start
        elif code is codes.SUBPATTERN:
            yield from _before(argument[3], start)
        elif code is codes.BRANCH:
            for branch in argument[1]:
                yield from _before(branch, start)
        start += _shortest([(code, argument)])


def _shortest(tree: Any) -> str:
    text = ""
    for code, argument in tree:
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            text += _shortest(argument[2]) * min(argument[0], 20)
        elif code is codes.SUBPATTERN:
            text += _shortest(argument[3])
        elif code is codes.BRANCH:
            text += _shortest(argument[1][0])
        else:
            text += "".join(_examples(code, argument)[:1])
    return text


def _examples(code: Any, argument: Any) -> list[str]:
    if code is codes.LITERAL:
        return [chr(argument)]
    if code is codes.NOT_LITERAL:
        return ["a" if argument != ord("a") else "b"]
    if code is codes.ANY:
        return ["a"]
    if code is not codes.IN:
        return []
    if argument[0][0] is codes.NEGATE:
        return ["a", " ", "1"]
    found = []
    for kind, value in argument:
        if kind is codes.LITERAL:
            found.append(chr(value))
        elif kind is codes.RANGE:
            found.append(chr(value[0]))
        elif kind is codes.CATEGORY:
            found.append(_CLASSES.get(value, "a"))
    return found


class _TooSlow(Exception):
    """The alarm."""


def _ring(*_: object) -> None:
    raise _TooSlow


def slowest(used: Used, limit: float = LIMIT) -> tuple[float, str]:
    """Processor seconds of the worst text, and how it begins; stops at the first beyond the limit.

    A text is tried short at first. What a short one takes grows at most by the cube: most need no long one.
    Of what grows less than threefold when the text is doubled, at most a sixth grows by the cube.
    """
    worst, named = 0.0, ""
    for short, text in zip(hostile(used.pattern, SHORT), hostile(used.pattern, SIZE), strict=True):
        took = _seconds(used, short[:SHORT], limit)
        if took * (SIZE / SHORT) ** 3 >= limit:
            twice = _seconds(used, text[: 2 * SHORT], limit)
            if twice >= 3 * took or took * (5 / 6 * SIZE / SHORT + 1 / 6 * (SIZE / SHORT) ** 3) >= limit:
                took = _seconds(used, text[:SIZE], limit)
        if took > worst:
            worst, named = took, text[:30]
        if worst >= limit:
            break
    return worst, named


def _seconds(used: Used, text: str, limit: float) -> float:
    previous = signal.signal(signal.SIGVTALRM, _ring)
    begun = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, limit * 1.5)
    try:
        _apply(used, text)
    except _TooSlow:
        return limit * 2
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, previous)
    return time.process_time() - begun


def _apply(used: Used, text: str) -> None:
    if used.methods & _EVERYWHERE:
        for _ in used.pattern.finditer(text):
            pass
    if "match" in used.methods:
        used.pattern.match(text)
    if "fullmatch" in used.methods:
        used.pattern.fullmatch(text)


def test_no_expression_hangs() -> None:
    """All in one test: as hundreds they would have to be found by every process that lists the tests."""
    slow = []
    for used in expressions():
        seconds, text = slowest(used)
        if seconds >= LIMIT:
            slow.append(f"{used.place} takes {seconds:.1f} s for {text!r}...: {used.pattern.pattern}")
    assert slow == []


def test_the_measure_finds_what_hangs() -> None:
    for bad in (r"(?:a+)+b", r"\s+$", r"\W*(\d+)\W*$", r"[A-Z][a-z]+(?:[A-Z_]\w*)+\("):
        used = Used("here", re.compile(bad, re.MULTILINE), frozenset({"search", "match"}))
        assert slowest(used, 0.25)[0] >= 0.25, bad


def test_every_expression_is_seen() -> None:
    assert len(expressions()) > 300
    assert _UNSEEN == [], "give examples of these names in _EXAMPLES"
