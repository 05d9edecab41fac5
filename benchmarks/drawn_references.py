"""Entries of bibliographies in the styles of publishers: runs of text for a cited work and its number."""

from __future__ import annotations

from collections.abc import Callable

from drawn_papers import Cited

Style = Callable[[Cited, int], list[tuple[str, str]]]


def _initials(first: str, dot: str = ".", gap: str = " ") -> str:
    return gap.join(part[0] + dot for part in first.split())


def _listed(names: list[str], last: str) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + last + names[-1]


def ieee(c: Cited, k: int) -> list[tuple[str, str]]:
    """[1] A. Author and B. Author, "Title," Journal, vol. 1, pp. 2-3, 2010."""
    who = _listed([f"{_initials(f)} {n}" for f, n in c.people], " and ")
    return [
        (f"[{k}] {who}, “{c.title},” ", ""),
        (c.journal, "i"),
        (f", vol. {c.volume}, pp. {c.first}–{c.last}, {c.year}.", ""),
    ]


def nature(c: Cited, k: int) -> list[tuple[str, str]]:
    """1. Author, A. & Author, B. Title. Journal 1, 2-3 (2010)."""
    who = _listed([f"{n}, {_initials(f)}" for f, n in c.people], " & ")
    return [
        (f"{k}. {who} {c.title}. ", ""),
        (c.journal, "i"),
        (" ", ""),
        (str(c.volume), "b"),
        (f", {c.first}–{c.last} ({c.year}).", ""),
    ]


def acm(c: Cited, k: int) -> list[tuple[str, str]]:
    """[1] First Author and First Author. 2010. Title. Journal 1 (2010), 2-3."""
    who = _listed([f"{f} {n}" for f, n in c.people], " and ")
    return [
        (f"[{k}] {who}. {c.year}. {c.title}. ", ""),
        (c.journal, "i"),
        (f" {c.volume} ({c.year}), {c.first}–{c.last}.", ""),
    ]


def lncs(c: Cited, k: int) -> list[tuple[str, str]]:
    """1. Author, A., Author, B.: Title. Journal 1, 2-3 (2010)"""
    who = ", ".join(f"{n}, {_initials(f)}" for f, n in c.people)
    return [
        (f"{k}. {who}: {c.title}. {c.journal} ", ""),
        (str(c.volume), "b"),
        (f", {c.first}–{c.last} ({c.year})", ""),
    ]


def natbib(c: Cited, k: int) -> list[tuple[str, str]]:
    """First Author and First Author. Title. Journal, 1:2-3, 2010."""
    who = _listed([f"{f} {n}" for f, n in c.people], ", and " if len(c.people) > 2 else " and ")
    return [
        (f"{who}. {c.title}. ", ""),
        (c.journal, "i"),
        (f", {c.volume}:{c.first}–{c.last}, {c.year}.", ""),
    ]


def apa(c: Cited, k: int) -> list[tuple[str, str]]:
    """Author, A., & Author, B. (2010). Title. Journal, 1, 2-3."""
    who = _listed([f"{n}, {_initials(f)}" for f, n in c.people], ", & ")
    return [
        (f"{who} ({c.year}). {c.title}. ", ""),
        (f"{c.journal}, {c.volume}", "i"),
        (f", {c.first}–{c.last}.", ""),
    ]


def alphabetic(c: Cited, k: int) -> list[tuple[str, str]]:
    """[AA10] First Author and First Author. Title. Journal, 1:2-3, 2010."""
    return [(c.label + " ", ""), *natbib(c, k)]


def vancouver(c: Cited, k: int) -> list[tuple[str, str]]:
    """1. Author A, Author B. Title. Journal. 2010;1:2-3."""
    who = ", ".join(f"{n} {_initials(f, '', '')}" for f, n in c.people)
    return [
        (f"{k}. {who}. {c.title}. ", ""),
        (c.journal, "i"),
        (f". {c.year};{c.volume}:{c.first}–{c.last}.", ""),
    ]


def elsevier(c: Cited, k: int) -> list[tuple[str, str]]:
    """[1] A. Author, B. Author, Title, Journal 1 (2010) 2-3."""
    who = ", ".join(f"{_initials(f, '.', '')} {n}" for f, n in c.people)
    return [(f"[{k}] {who}, {c.title}, {c.journal} {c.volume} ({c.year}) {c.first}–{c.last}.", "")]


def harvard(c: Cited, k: int) -> list[tuple[str, str]]:
    """Author, A., Author, B., 2010. Title. Journal 1, 2-3."""
    who = ", ".join(f"{n}, {_initials(f, '.', '')}" for f, n in c.people)
    return [(f"{who}, {c.year}. {c.title}. {c.journal} {c.volume}, {c.first}–{c.last}.", "")]
