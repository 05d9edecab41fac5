"""What a hit shows: whole units around the one that speaks, as many as fit."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from quire.library.passages import cut, window
from quire.search.cells import KINDS, Unit


def sentence(number: int, text: str, chunk: str = "c") -> Unit:
    return Unit(KINDS["sentence"], "p", 1, f"k{number}", text, group=chunk)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.integers(0, 11), st.integers(1, 40))
@example([3], 0, 3)
@example([5, 1, 5], 1, 6)
def test_a_window_holds_the_sentence_and_as_many_around_it_as_fit(
    lengths: list[int], at: int, words: int
) -> None:
    at %= len(lengths)
    made = [sentence(n, f"s{n} " * size, f"c{n // 3}") for n, size in enumerate(lengths)]
    passage = window(made.__getitem__, len(made), at, words)
    shown = [n for n in range(len(made)) if f"k{n}" in passage.shows]
    assert shown == list(range(shown[0], shown[-1] + 1))
    assert at in shown
    assert passage.text.split() == [word for n in shown for word in made[n].text.split()]
    assert passage.text.count("\n") == len({made[n].group for n in shown}) - 1
    room = words - sum(lengths[n] for n in shown)
    assert room >= 0 or shown == [at]
    for beyond in (shown[0] - 1, shown[-1] + 1):
        assert not (0 <= beyond < len(made)) or lengths[beyond] > room


@given(st.integers(1, 15), st.integers(0, 14), st.integers(1, 4), st.integers(1, 40))
@example(9, 4, 1, 5)
def test_a_window_reaches_as_far_before_as_after_where_there_is_more(
    count: int, at: int, size: int, words: int
) -> None:
    at %= count
    passage = window([sentence(n, "s " * size) for n in range(count)].__getitem__, count, at, words)
    shown = [n for n in range(count) if f"k{n}" in passage.shows]
    assert abs((at - shown[0]) - (shown[-1] - at)) <= 1 or 0 in shown or count - 1 in shown


@given(st.integers(2, 15), st.integers(0, 14), st.sets(st.integers(0, 14)), st.integers(1, 40))
@example(6, 3, {1, 2}, 40)
def test_a_window_says_nothing_again_that_a_better_hit_shows(
    count: int, at: int, before: set[int], words: int
) -> None:
    at %= count
    made = [sentence(n, f"s{n}") for n in range(count)]
    passage = window(made.__getitem__, count, at, words, {f"k{n}" for n in before - {at}})
    shown = [n for n in range(count) if f"k{n}" in passage.shows]
    assert set(shown) & before <= {at}
    assert shown == list(range(shown[0], shown[-1] + 1))
    for beyond in (shown[0] - 1, shown[-1] + 1):
        assert beyond in {-1, count, *before} or len(shown) == words


@given(st.lists(st.integers(1, 6), min_size=1, max_size=6), st.integers(1, 30))
def test_a_text_is_cut_at_the_last_whole_sentence_that_fits(lengths: list[int], most: int) -> None:
    whole = [" ".join(["Boats", *["sink"] * (size - 1)]) + "." for size in lengths]
    kept = cut(" ".join(whole), most)
    fitting = [n for n in range(1, len(whole) + 1) if sum(lengths[:n]) <= most]
    assert kept == " ".join(whole[: max(fitting, default=1)])


def test_what_has_no_sentence_is_kept_whole() -> None:
    assert cut("", 5) == ""
    assert cut("no end of it", 2) == "no end of it"
