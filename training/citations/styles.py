"""Citations printed in styles drawn at random: what publishers do, put together in more ways than occur.

    style = Style.drawn(rng)
    style.printed(cited)      # "Quill A, Reed B. On boats. J Sail. 2001;12(3):145-61.", and what it says

Names, titles and venues come from real citations; kinds of works that a collection of articles has few of
(papers of meetings, preprints, theses, books) are made of them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from training.citations.gold import Cited

_PLACES = (
    "New York; London; Berlin; Cambridge, MA; Oxford; Paris; Boston; Heidelberg; Tokyo; Amsterdam; Rome"
).split("; ")
_HOUSES = (
    "Springer; Wiley; Elsevier; Academic Press; MIT Press; Cambridge University Press; ACM; IEEE; CRC Press; "
    "Oxford University Press; John Wiley & Sons; McGraw-Hill; Morgan Kaufmann; Curran Associates; "
    "Association for Computational Linguistics"
).split("; ")
_MEETINGS = (
    "Conference on Computer Vision and Pattern Recognition (CVPR); "
    "International Conference on Machine Learning; "
    "Annual Meeting of the Association for Computational Linguistics; "
    "International World Wide Web Conference; "
    "Conference on Empirical Methods in Natural Language Processing; USENIX Security Symposium; "
    "IEEE International Conference on Robotics and Automation; European Conference on Information Retrieval; "
    "ACM SIGMOD International Conference on Management of Data; Workshop on Statistical Machine Translation; "
    "International Symposium on Computer Architecture; Annual Symposium on Foundations of Computer Science; "
    "International Joint Conference on Artificial Intelligence; Conference on Neural Information Processing "
    "Systems; ACM Conference on Human Factors in Computing Systems"
).split("; ")
_SHORT = "CVPR ICML ACL EMNLP ICRA SIGMOD ISCA ECIR NAACL IJCAI NIPS NeurIPS ICLR WWW CHI KDD".split()
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_THESES = "PhD thesis; Ph.D. dissertation; Master's thesis; Doctoral dissertation; Diploma thesis".split("; ")
_GIVEN = (
    "John Mary Robert Linda Michael Susan Wei Yuki Anna Peter Laura Thomas Maria Jürgen Pierre Elena Ivan "
    "Ahmed Chen Priya Carlos Sofia Lars Ingrid Paolo Giulia Hiroshi Min-Jun Ruth Andrew Kevin Sarah David "
    "Christopher Hannah Daniel Olga Tomas Eva Samuel Grace Kofi Amina Diego Lucia Mark Julia Stefan Katrin"
).split()
_VOLUMES = (
    "{n}({i}):{p}",
    "{n}:{p}",
    "{n}, {p}",
    "{n} ({i}), {p}",
    "{n}, no. {i}, pp. {p}",
    "vol. {n}, no. {i}, pp. {p}",
    "vol. {n}, pp. {p}",
    "{n}({i}), {p}",
    "{n}, {i}, {p}",
    "Vol. {n}, No. {i}, {p}",
    "{n}: {p}",
    "{n} ({i}): {p}",
)
_PATTERNS = (
    "{a}. {t}. {v} {y};{*}.",
    "{a}. {t}. {v}. {y};{*}.",
    "{a}: {t}. {v} {y}, {*}.",
    "{a} ({y}) {t}. {v} {*}",
    "{a} ({y}). {t}. {v}, {*}.",
    "{a}. ({y}). {t}. {v} {*}.",
    "{a}, {t}, {v} {n} ({y}) {p}.",
    "{a}, {t}. {v}, {y}. {*}.",
    "{a}. {y}. {t}. {v} {*}.",
    "{a}, {t}, {v}, {*}, {m}{y}.",
    "{a}, {y}. {t}. {v} {*}.",
    "{a}. {t}. {v}, {*}, {y}.",
    "{a} {t}. {v} {y}; {*}.",
    "{a}, {v} {n}, {p} ({y}).",
    "{a}, {v}, {y}, {n}, {p}.",
    "{a}. {t}. {v} {*} ({y}).",
    "{a}: {t}. {v} {n}({i}), {p} ({y})",
    "{a} {y} {t} {v} {n} {p}",
    "{a}. {t}. {v}. {m}{y};{*}.",
    "{a}. {t}. In {v}, {y}, pp. {p}.",
    "{a}. {t}. In: {v}, vol. {n}, pp. {p} ({y})",
    "{a} ({y}): {t}. {v} {*}.",
    "{a}. {t}. In {v}, pages {p}, {y}.",
    "{a}. {y}. {t}. In {v}, pages {p}.",
    "{a}. {t}. {v}, {y}.",
    "{a}. {t}. In {v}, {y}.",
    "{a}. {t}. In {v}, {y}.",
    "{a}. {y}. {t}. In {v}.",
    "{a}, {y} {v} {n} {p}",
    "{a}. {y}. {t}. {v}, {n}:{p}.",
    "{a}, {t}, in {v}, {y}, pp. {p}.",
    "{a} {y}, {v}, {n}, {p}",
    "{a} {y}, {t}, {v}, {n}, {p}",
    "{a} {y} {v} {n} {p}",
    "{a}: {t}. In: {v}, pp. {p} ({y})",
    "{a}. {t}. {v}. {n}, {p} ({y}).",
    "{a}. {t}. {v} {n}, {p} ({y}).",
    "{a}, {t}, {v}, vol. {n}, pp. {p}, {m}{y}.",
    "{a}, {t}, {v}, vol. {n}, no. {i}, pp. {p}, {m}{y}.",
    "{a}, {t}, {v}, vol. {n}, no. {i}, Article ID {p}, {y}.",
    "{a}, {t}, {v} {n}, no. {i} ({y}): {p}.",
    "{a}. {t} {v} {n}.{i} ({y}): {p}.",
)
_FIELDS = {"t": "title", "v": "venue", "y": "year", "n": "volume", "i": "issue", "p": "first"}
_QUOTES = (
    ("", ""),
    ("", ""),
    ("", ""),
    ("“", "”"),
    ('"', '"'),
    ("“", ",”"),
    ("“", ",”"),
    ("“", ".”"),
    ("‘", "’"),
)
_ENDS = (
    "",
    "",
    "",
    " doi:{d}",
    " https://doi.org/{d}",
    " [CrossRef] [PubMed]",
    " [PubMed: {i}]",
    " doi: {d}.",
)


@dataclass(frozen=True)
class Style:
    """How a list is printed. Patterns have fields in braces; empty ones take their signs along."""

    rng: random.Random
    initials: str  # what follows an initial
    inverted: int  # surname first: 0 never, 1 all, 2 the first author only
    comma: str  # between surname and initials
    full: bool  # given names in full
    joint: str
    last: str  # before the last author
    most: int  # authors before "et al."
    others: str
    pattern: str
    quotes: tuple[str, str]
    dash: str
    short_pages: bool
    end: str  # behind all

    @classmethod
    def drawn(cls, rng: random.Random) -> Style:
        """A style of its own."""
        pick = rng.choice
        return cls(
            rng,
            initials=pick(["", "", ".", ". "]),
            inverted=pick([0, 1, 1, 1, 2]),
            comma=pick([" ", " ", ", ", ", "]),
            full=rng.random() < 0.25,
            joint=pick([", ", ", ", ", ", "; "]),
            last=pick([", ", " and ", ", and ", " & ", ", & "]),
            most=pick([3, 6, 6, 30, 30]),
            others=pick([" et al", ", et al", ", et al.", " et al.", ", and others"]),
            pattern=pick(_PATTERNS).replace("{*}", pick(_VOLUMES)),
            quotes=pick(_QUOTES),
            dash=pick(["–", "–", "-", " – ", "--"]),
            short_pages=rng.random() < 0.3,
            end=pick(_ENDS),
        )

    def printed(self, cited: Cited) -> tuple[str, Cited]:
        """A citation as its text, and what that says."""
        rng = self.rng
        cited = self._kind(cited)
        cited = replace(
            cited, authors=tuple((self._full(given), surname) for given, surname in cited.authors)
        )
        gone = {field: "" for sign, field in _FIELDS.items() if f"{{{sign}}}" not in self.pattern}
        cited = replace(cited, **gone)
        if not cited.first:
            cited = replace(cited, last="")
        if len(cited.authors) > self.most:
            shown = self._people(cited.authors[: rng.choice([1, 3, self.most])], cut=True)
        else:
            shown = self._people(cited.authors)
        title = f"{self.quotes[0]}{cited.title}{self.quotes[1]}" if cited.title else ""
        pages = cited.first
        if cited.last and cited.last != cited.first:
            last = cited.last
            if self.short_pages and len(last) == len(cited.first) and last.isdigit():
                same = next((i for i, (a, b) in enumerate(zip(cited.first, last, strict=True)) if a != b), 0)
                last = last[same:]
            pages += self.dash + last
        values = {
            "a": shown, "t": title, "v": cited.venue, "y": cited.year, "n": cited.volume, "i": cited.issue,
            "p": pages,
            "m": rng.choice(_MONTHS) + rng.choice([" ", ". "]) if rng.random() < 0.5 else "",
        }  # fmt: skip
        text = filled(self.pattern, values)
        if cited.kind == "thesis":
            text = text.rstrip(".") + ". " + rng.choice(_THESES) + ", " + rng.choice(_PLACES) + "."
        if cited.kind == "tail":
            text = (
                text.rstrip(".")
                + ". "
                + rng.choice(_HOUSES)
                + rng.choice([", ", ", " + rng.choice(_PLACES) + ", "])
                + "."
            )
        if cited.doi or "{d}" not in self.end:
            text += self.end.format(d=cited.doi, i=rng.randrange(10**7, 10**8))
        return re.sub(r"\s+", " ", text).strip(), cited

    def _kind(self, cited: Cited) -> Cited:
        """Now and then a paper of a meeting, a preprint, a thesis or a book in place of an article."""
        rng, drawn = self.rng, self.rng.random()
        if drawn < 0.10:
            name = rng.choice([*_MEETINGS, *_SHORT])
            number = rng.choice(["", "", "the ", f"the {rng.randrange(4, 40)}th "])
            name = rng.choice(["Proceedings of ", "Proc. of ", "Proc. ", ""]) + number + name
            return replace(cited, venue=name, volume="", issue="", kind=rng.choice(["", "tail"]))
        if drawn < 0.14:
            number = f"{rng.randrange(7, 24):02}{rng.randrange(1, 13):02}.{rng.randrange(1000, 99999):05}"
            venue = rng.choice([f"arXiv preprint arXiv:{number}", "CoRR", f"arXiv:{number}", "bioRxiv"])
            return replace(cited, venue=venue, volume="", issue="", first="", last="")
        if drawn < 0.17:
            told = {"volume": "", "issue": "", "first": "", "last": "", "kind": "thesis"}
            return replace(cited, venue="", authors=cited.authors[:1], **told)
        if drawn < 0.21:
            return replace(cited, venue="", volume="", issue="", first="", last="", kind="tail")
        return cited

    def _people(self, people: Sequence[tuple[str, str]], cut: bool = False) -> str:
        names = [self._name(given, surname, number) for number, (given, surname) in enumerate(people)]
        if cut:
            return self.joint.join(names) + self.others
        if len(names) > 1:
            return self.joint.join(names[:-1]) + self.last + names[-1]
        return "".join(names)

    def _full(self, given: str) -> str:
        """A given name in full, made up where only initials are known."""
        made = self.rng.choice(_GIVEN) + self.rng.choice(["", "", " B", " J"])
        return given if not self.full or len(given) > 4 or not given else made

    def _name(self, given: str, surname: str, number: int) -> str:
        if not given:
            return surname
        if self.full:
            short = given
        else:
            letters = [part[0] for part in re.findall(r"[^\W\d_]+", given)]
            if given.isupper() and len(given) < 4:
                letters = list(given)
            joint = self.initials or ""
            short = (joint.join(letters) + joint).strip(" -") if joint else "".join(letters)
        first = self.inverted == 1 or (self.inverted == 2 and number == 0)
        return f"{surname}{self.comma}{short}" if first else f"{short} {surname}"


def filled(pattern: str, values: dict[str, str]) -> str:
    """A pattern with its values; signs that stand around an empty one go."""
    for name, value in values.items():
        if not value and name != "m":
            before = r"(?:,? ?(?:[Vv]ol\.|[Nn]o\.|pp\.|pages|[Ii]n:?) ?|[,;:(] ?)?"
            pattern = re.sub(rf"{before}\{{{name}\}}\)?", "", pattern)
    text = pattern.format(**values)
    text = re.sub(r"\(\s*\)", "", text)
    text = re.sub(r"([,.?!]”)[,.]|([.?!]”?)\s?\.", lambda match: match[1] or match[2], text)
    text = re.sub(r"\s+([.,;:)])", r"\1", text)
    return re.sub(r"([,;:])[,;:.]+", r"\1", text)
