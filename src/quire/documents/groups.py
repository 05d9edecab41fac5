"""Things that belong together by pairs: a union-find over numbers."""

from __future__ import annotations


class Groups:
    """The numbers from 0, each in a group of its own until it is joined to others."""

    def __init__(self, count: int) -> None:
        self._parent = list(range(count))

    def join(self, one: int, other: int) -> None:
        """Make one group of the groups of both."""
        self._parent[self._root(one)] = self._root(other)

    def members(self) -> list[list[int]]:
        """The groups, each in order, by their first members."""
        groups: dict[int, list[int]] = {}
        for i in range(len(self._parent)):
            groups.setdefault(self._root(i), []).append(i)
        return list(groups.values())

    def _root(self, i: int) -> int:
        while self._parent[i] != i:
            self._parent[i] = self._parent[self._parent[i]]
            i = self._parent[i]
        return i
