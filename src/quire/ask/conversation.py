"""What a follow-up question keeps of its conversation where no model reads it: the papers and the topic.

kept_papers("How many authors does it have?", conversation)      -> those of the last answer
kept_papers("How many papers are there?", conversation)          -> none
with_topic("and the highest?", conversation)                     -> and the highest (mean weight of boats)?
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from quire import jsontext
from quire.ask.offline.lexicon import WORDS, stem
from quire.ask.offline.question import read
from quire.errors import PaperNotFound
from quire.memory.same_question import opposed
from quire.types import Exchange, Question, Trajectory

if TYPE_CHECKING:
    from quire.library import Library

_REFERS = re.compile(
    r"\b(it|its|they|them|their|theirs|he|she|his|her|this|that|these|those|there|same"
    r"|the (paper|article|study|work|authors?|document|report)s?)\b",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\b(library|are there|is there|papers? (is|are|do (i|we))|(which|what|any|other|all|my|our) papers?)\b",
    re.IGNORECASE,
)
# What says nothing by itself: it goes on where the turn before stopped.
_GOES_ON = re.compile(
    r"^\W*((after|at|of|over|within) )?(and|or|but|also|then|so|only|what about|how about|what else|why|who"
    r"|how so|how come|what for"
    r"|where|when|since when|by (whom|how much)|for how long|compared (with|to)|which (one|of)"
    r"|in (which|what) units?|how (many|much|often|long|old|sure))\b",
    re.IGNORECASE,
)
_OF_PAPER = re.compile(
    r"\b(published|authors?|wrote|written|titles?|titled|journal|doi|cites?|abstract|publisher|licen[cs]e"
    r"|affiliations?|fund(ed|ing)|(it|paper|article) (accepted|received|submitted))\b",
    re.IGNORECASE,
)
_OWN = 1  # words of a topic of its own that a question may have and still go on
_AND = re.compile(r"^\W*(and|or|but|also|what about|how about|only)\b", re.IGNORECASE)
_TOPIC = 8  # words that are taken over
_EXTREMES = frozenset(f"{WORDS['most']} {WORDS['least']}".split())
# "Batch size?", "which island?": so few words go on, unless they are a question or an order of their own.
_BRIEF = 3
_WHOLE = re.compile(
    r"^\W*(who|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|can|has|have|list|show|find"
    r"|name|give|tell|explain|compare|summari[sz]e)\b",
    re.IGNORECASE,
)


# One of a series: PDP-7, ResNet-50, GPT2; and a follow-up that names another, and nothing else.
_NUMBERED = re.compile(r"\b(?P<of>[A-Za-z]{2,20}[-\u2010-\u2013]?)\d{1,6}[A-Za-z]?\b")
_ANOTHER = re.compile(
    r"^\W*(?:(?:and|or|but)\s+)?(?:what about\s+|how about\s+)?(?:(?:of|for|in|with|on|at|by)\s+)?(?:the\s+)?"
    r"(?P<name>(?P<of>[A-Za-z]{2,20}[-\u2010-\u2013]?)\d{1,6}[A-Za-z]?)\W*$",
    re.IGNORECASE,
)


def kept_papers(question: str, conversation: Sequence[Exchange]) -> tuple[str, ...]:
    """The papers that the last turn with any was about, if the question points back to it, else none."""
    back = _REFERS.search(question) or _goes_on(question) or _says_again(question, conversation)
    if not back or _ELSEWHERE.search(question):
        return ()
    return next((each.papers for each in reversed(conversation) if each.papers), ())


def with_topic(question: str, conversation: Sequence[Exchange]) -> str:
    """The question, with what the turn before was about where it says too little by itself."""
    if not conversation or not _goes_on(question):
        return question
    if _ELSEWHERE.search(question) or _OF_PAPER.search(question):
        return question
    earlier = next((each.question for each in reversed(conversation) if _topic(each.question)), "")
    if swapped := _of_another(question, earlier):
        return swapped
    before = [word for word in read(Question("", earlier)).words if word in {*_topic(earlier), *_EXTREMES}]
    topic = [word for word in before if word.lower() not in question.lower()]
    topic = [word for word in topic if not opposed(word, question)][:_TOPIC]
    return f"{question.rstrip(' ?.')} ({' '.join(topic)})?" if topic else question


def _of_another(question: str, earlier: str) -> str:
    """The question before, asked of the one named now ("and the PDP-15?" after the PDP-7); else ""."""
    now = _ANOTHER.match(question)
    of = [name for name in _NUMBERED.finditer(earlier) if now and name["of"].lower() == now["of"].lower()]
    if now is None or len(of) != 1 or of[0][0].lower() == now["name"].lower():
        return ""
    return f"{earlier[: of[0].start()]}{now['name']}{earlier[of[0].end() :]}"


def standing_alone(
    question: str, conversation: Sequence[Exchange], papers: Sequence[str], library: Library
) -> tuple[str, Sequence[str]]:
    """A follow-up as a question of its own, and the papers that it is of: those named, else those kept."""

    def is_there(paper: str) -> bool:
        try:
            return bool(library.paper(paper))
        except PaperNotFound:
            return False

    kept = papers or tuple(filter(is_there, kept_papers(question, conversation)))
    return with_topic(question, conversation), kept


def _goes_on(question: str) -> bool:
    own, words = len(_topic(question)), len(question.split())
    if words <= _BRIEF and own and (own <= _OWN or not _WHOLE.search(question)):
        return True
    return own <= (_TOPIC if _AND.search(question) else _OWN) and bool(_GOES_ON.search(question) or own == 0)


def _says_again(question: str, conversation: Sequence[Exchange]) -> bool:
    """Whether all that it is about was said in the turn before, and it is not that question once more."""
    if not conversation or question.casefold().split() == conversation[-1].question.casefold().split():
        return False
    own = {stem(word) for word in _topic(question)}
    return bool(own) and own <= {stem(word) for word in _topic(conversation[-1].question)}


def _topic(question: str) -> tuple[str, ...]:
    return read(Question("", question)).topic


def last_turns(run: Trajectory) -> tuple[Exchange, ...]:
    """A run as the conversation so far, for the question that follows it."""
    return (*run.question.conversation, exchange_of(run))


def exchange_of(run: Trajectory) -> Exchange:
    """A run as an earlier turn: its answer as text, and the papers that its evidence is from."""
    answer = run.answer
    if answer.status == "answered":
        said = answer.value if isinstance(answer.value, str) else jsontext.dumps(answer.value)
    else:
        said = "(no sure answer)"
    # Where no answer is sure the first piece is the headline; the others may be of any paper.
    sure = answer.status == "answered" and not answer.probability
    telling = answer.evidence if sure else answer.evidence[:1]
    papers = tuple(dict.fromkeys(each.paper_id for each in telling))
    return Exchange(run.question.text, said, papers or run.question.only)
