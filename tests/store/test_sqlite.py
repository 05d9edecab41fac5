"""Small files that are damaged, full or held: typed errors, nothing lost, and the next use goes on."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from quire.errors import MemoryStoreError
from quire.memory import MemoryStore
from quire.types import Experience, Verdict


def experience(number: int, size: int = 10) -> Experience:
    verdict = Verdict("right", source="human")
    return Experience(f"key {number}", "task", f"q{number}", {}, "x" * size, verdict, number, "model", "2026")


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    with MemoryStore(tmp_path / "memory.sqlite") as store:
        for number in range(200):
            store.add("library", experience(number, 500))
    return tmp_path / "memory.sqlite"


def use(path: Path) -> list[str]:
    """Open, read, write; what was said of each, "" where it went well."""
    said = []
    for _ in range(3):
        try:
            with MemoryStore(path) as store:
                store.experiences("library")
                store.add("library", experience(999))
                store.remove("library", [row.id for _, row in store.experiences("library")][:1])
            said.append("")
        except MemoryStoreError as error:
            said.append(str(error))
    return said


@pytest.mark.parametrize("damage", ["cut", "cut short", "flipped", "head", "nonsense"])
def test_a_damaged_file_is_set_aside_whole_and_told_once(memory: Path, damage: str) -> None:
    whole = memory.read_bytes()
    spoilt = {
        "cut": whole[: len(whole) // 2],
        "cut short": whole[:5000],
        "flipped": whole[:4096] + bytes(byte ^ 0xFF for byte in whole[4096:60_000]) + whole[60_000:],
        "head": b"\0" * 100 + whole[100:],
        "nonsense": b"This is not a memory. " * 1000,
    }[damage]
    memory.write_bytes(spoilt)
    first, *others = use(memory)
    assert "is kept as memory.sqlite.damaged-" in first
    assert others == ["", ""]
    (aside,) = memory.parent.glob("memory.sqlite.damaged-*[0-9]")
    assert aside.read_bytes() == spoilt


def test_garbled_text_is_damage_too(memory: Path) -> None:
    whole = memory.read_bytes()
    memory.write_bytes(whole.replace(b"key 7", b"key \xff"))
    with MemoryStore(memory) as store, pytest.raises(MemoryStoreError, match="garbled text.*is kept as"):
        store.experiences("library")
    with MemoryStore(memory) as store:
        assert store.experiences("library") == []


def test_a_full_disk_takes_back_the_whole_transaction_and_goes_on(memory: Path) -> None:
    with MemoryStore(memory) as store:
        before = store.experiences("library")
        store.read(f"PRAGMA max_page_count = {memory.stat().st_size // 4096}")

        def change() -> None:
            with store.transaction():
                store.remove("library", [before[0][1].id])
                store.add("library", experience(1000, 1_000_000))

        with pytest.raises(MemoryStoreError, match="full.*Make room"):
            change()
        assert store.experiences("library") == before
        store.read("PRAGMA max_page_count = 1000000")
        store.add("library", experience(1000, 1_000_000))
        assert len(store.experiences("library")) == len(before) + 1
    assert list(memory.parent.glob("*damaged*")) == []


def test_a_held_file_is_told_and_stays(memory: Path) -> None:
    other = sqlite3.connect(memory, isolation_level=None)
    with MemoryStore(memory) as store:
        other.execute("BEGIN IMMEDIATE")
        store.read("PRAGMA busy_timeout = 10")
        with pytest.raises(MemoryStoreError, match="locked.*try again"):
            store.add("library", experience(1000))
        other.execute("ROLLBACK")
        store.add("library", experience(1000))
    other.close()
