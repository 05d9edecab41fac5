"""The tools: what an agent can call. Docstrings and field descriptions are what it is told of them."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal

import anyio
import anyio.from_thread
import anyio.to_thread
from mcp.server.mcpserver import Context, Image
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from quire.app.finding import place_of, says
from quire.app.mcp import results
from quire.app.run_view import RunView, view_of
from quire.build import Library
from quire.library.papers import Selection, select
from quire.types import LONGEST_QUESTION, Box, Call, Failed, Step

_LOOKS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_ASKS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=True)
_WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
_DPI = 110.0
_LONGEST_TOLD = 10_000  # characters of what a user said
_MAX_IMAGE = 700_000  # bytes: some agent programs refuse results of a megabyte, in base64

Papers = Annotated[
    list[str],
    Field(
        description="Only these papers: id, file name, title or DOI of each. Empty: the whole library.",
        examples=[["attention.pdf"], ["10.1000/xyz"]],
    ),
]
Paper = Annotated[
    str, Field(description="The paper: id, file name, title or DOI.", examples=["attention.pdf"])
]
Page = Annotated[int, Field(description="Page in the file, from 1.", ge=1, examples=[3])]
# Where a user says that the answer stands: `place_of` reads them together.
PlacePaper = Annotated[
    str, Field(max_length=500, description="Paper in which the user says that the answer stands.")
]
PlacePage = Annotated[int, Field(ge=0, description="Page of it, from 1; 0: the first that says it.")]
PlaceWords = Annotated[
    str, Field(max_length=_LONGEST_TOLD, description="The words there that answer; with `paper`.")
]
AT_ONCE = 8  # questions, and as many other calls
_MOST_FILES = 10_000  # of one call


async def _never() -> bool:
    return False


async def _awaited(asked: Callable[[], Awaitable[bool]]) -> bool:
    return await asked()


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who calls: a name for verdicts ("": the user), what is allowed, and the server that links lead to.

    `gone` tells whether nobody waits for an answer any more.
    """

    name: str = ""
    scopes: tuple[str, ...] = ("read", "ask", "write")
    server: str = ""
    gone: Callable[[], Awaitable[bool]] = _never


Visiting = Callable[[Context[Any, Any]], Visitor]


class Tools:
    """The tools over one library. `visiting` tells who calls; files are added from below `folders` only."""

    def __init__(self, library: Library, folders: Sequence[Path], visiting: Visiting) -> None:
        self._library, self._visiting = library, visiting
        self._folders = [folder.resolve() for folder in folders]
        self._asking = anyio.CapacityLimiter(AT_ONCE)

    def table(self) -> list[tuple[Callable[..., Any], ToolAnnotations, bool]]:
        """Every tool that is on, what it does to the world, and whether its result has a schema."""
        found: list[tuple[Callable[..., Any], ToolAnnotations, bool]] = [
            (self.search, _LOOKS, True),
            (self.list_papers, _LOOKS, True),
            (self.outline, _LOOKS, True),
            (self.sql, _LOOKS, False),
            (self.schema, _LOOKS, False),
            (self.read_page, _LOOKS, False),
            (self.view_page, _LOOKS, False),
            (self.ask, _ASKS, True),
            (self.verdict, _WRITES, True),
        ]
        if self._folders:
            found.append((self.add_papers, _WRITES, True))
        return found

    def search(
        self,
        query: Annotated[
            str,
            Field(
                description="A question, or what to look for, in plain English words.",
                max_length=LONGEST_QUESTION,
                examples=["how many patients were treated with the new drug?"],
            ),
        ],
        papers: Papers = [],  # noqa: B006 (read as a schema; never changed)
        part: Annotated[
            Literal["", "text", "tables", "figures", "headings", "titles"],
            Field(description="Look only there; empty: everywhere."),
        ] = "",
        limit: Annotated[int, Field(description="Passages at most.", ge=1, le=50)] = 5,
    ) -> results.ToolFound:
        """Find passages, table rows and captions that answer a question, each with paper, page and box.

        Start here when you do not know where something stands. For counts, metadata and exact values over
        many papers use `sql`; to read on, `read_page`; to see a figure or a table, `view_page` with the box.
        """
        hits = self._library.search(query, papers=papers, part=part, limit=limit, words=300)
        return results.found(self._library, hits, hits.notes)

    def sql(
        self,
        query: Annotated[
            str,
            Field(
                description="One DuckDB SELECT over the tables that `schema` names.",
                max_length=200_000,
                examples=[
                    "SELECT title, pub_year FROM metadata ORDER BY pub_year DESC LIMIT 10",
                    "SELECT p.page_number, t.table_caption FROM tables t "
                    "JOIN pages p ON t.ref_page_id = p.page_id WHERE t.table_caption ILIKE 'Table 3%'",
                ],
            ),
        ],
    ) -> str:
        """Run one read-only SQL query over metadata, pages, sections, tables, references and more.

        Rows come as JSON, one a line, and are cut to what fits; the last line says how to see the rest.
        """
        seen = self._library.environment.run(Call("RetrieveFromDatabase", {"sql": query}))
        if isinstance(seen, Failed):
            raise ToolError(seen.why)
        return results.cut(seen.text, results.MAX_TOKENS)

    def schema(
        self,
        table: Annotated[
            str, Field(description="One table; empty: all of them.", examples=["metadata", "tables"])
        ] = "",
    ) -> str:
        """Describe the tables and columns that `sql` can ask, with types and meaning."""
        tables = self._library.schema()
        named = [one for one in tables if not table or one.name == table.strip()]
        if not named:
            raise ToolError(f"There is no table `{table[:80]}`. Tables: {', '.join(t.name for t in tables)}.")
        lines = []
        for one in named:
            lines.append(f"{one.name}: {one.doc}")
            lines += [f"  {column.name} {column.type}: {column.doc}" for column in one.columns]
        return results.cut("\n".join(lines), results.MAX_TOKENS)

    def list_papers(
        self,
        words: Annotated[
            str,
            Field(
                max_length=1000,
                description="Only papers that have these words in title or authors.",
                examples=["vaswani attention"],
            ),
        ] = "",
        year: Annotated[
            str, Field(max_length=20, description="Only of 2020, 2018-2021, 2018- or -2021.")
        ] = "",
        start: Annotated[int, Field(ge=0, description="How many to pass over, where a list was cut.")] = 0,
        limit: Annotated[int, Field(ge=1, le=200, description="Papers at most.")] = 50,
    ) -> results.PaperList:
        """List the papers of the library, the latest first: what is there, and how `papers` name them."""
        kept = select(self._library, Selection(year)) if year else None
        found = [
            paper
            for paper in self._library.papers()[::-1]
            if (kept is None or paper.id in kept) and says(" ".join((paper.name, *paper.authors)), words)
        ]
        return results.paper_list(found, start, limit)

    def outline(self, paper: Paper) -> results.Outline:
        """Tell what a paper consists of: abstract, sections, tables and figures, each with its page.

        For the lie of the land before `read_page`, `view_page` or a `search` in this paper.
        """
        return results.outline(self._library.contents(paper))

    def read_page(
        self,
        paper: Paper,
        page: Page,
        start: Annotated[int, Field(description="Character to start from, where a page was cut.", ge=0)] = 0,
    ) -> str:
        """Read the text of one page in reading order, e.g. around a passage that `search` found."""
        text = self._library.page_text(paper, page)[start:]
        shown = results.cut(text, results.MAX_TOKENS - 50, "")
        if len(shown) < len(text):
            return f"{shown}\n\n[Cut; go on with start={start + len(shown)}.]"
        return shown

    def view_page(
        self,
        paper: Paper,
        page: Page,
        box: Annotated[
            list[float],
            Field(
                description="Mark this box: [x0, y0, width, height] in points from the top left.",
                examples=[[54, 162, 244, 34]],
            ),
        ] = [],  # noqa: B006
        crop: Annotated[bool, Field(description="Show the box alone instead of marking it.")] = False,
    ) -> list[Any]:
        """See a page as a picture: a figure, a table whose layout matters, or where evidence stands."""
        if len(box) not in (0, 4):
            raise ToolError(f"`box` needs 4 numbers [x0, y0, width, height] or none, not {len(box)}.")
        place = Box(*box) if box else None
        marks = [place] if place and not crop else []
        picture, dpi = b"", _DPI
        while not picture or (len(picture) > _MAX_IMAGE and dpi > 36):
            dpi = dpi if not picture else dpi * max(0.5, 0.9 * (_MAX_IMAGE / len(picture)) ** 0.5)
            picture = self._library.render(
                paper, page, box=place if crop else None, marks=marks, dpi=max(dpi, 36)
            )
        found = self._library.paper(paper)
        told = f"Page {page} of {found.pages} of {found.name[:200]!r} ({found.id})."
        return [told, Image(data=picture, format="png")]

    async def ask(
        self,
        question: Annotated[
            str,
            Field(
                description="A whole question in English.",
                max_length=LONGEST_QUESTION,
                examples=["Which hull stayed afloat longest on heavy paper, and for how long?"],
            ),
        ],
        context: Context[Any, Any],
        papers: Papers = [],  # noqa: B006
        answer_format: Annotated[
            str,
            Field(
                description="Form of the answer: int, float, str, bool, list, or in words.",
                max_length=1000,
                examples=["float", "a list of two names"],
            ),
        ] = "",
    ) -> results.ToolReply:
        """Have quire answer a question, with quotes that were checked on their pages.

        It abstains rather than guess, and then shows the closest passages. With a language model configured
        it may take a minute and cost money; without one, rules answer in a second.
        """
        visitor = self._allowed(context, "ask")
        turns, stopped = iter(range(1, 1000)), threading.Event()

        def told(step: Step) -> None:
            if stopped.is_set() or anyio.from_thread.run(_awaited, visitor.gone):
                raise ToolError("The question was stopped.")
            what = step.call.name if step.call else "thinking"
            anyio.from_thread.run(context.report_progress, float(next(turns)), None, what)

        def answer() -> RunView:
            run = self._library.ask(question, papers=papers, answer_format=answer_format, on_step=told)
            return view_of(self._library, run)

        try:  # a client that gives up is not waited for: the run ends at its next step
            view = await anyio.to_thread.run_sync(answer, abandon_on_cancel=True, limiter=self._asking)
        finally:
            stopped.set()
        return results.reply(view, visitor.server)

    def verdict(
        self,
        run: Annotated[str, Field(description="The `run` of an answer of `ask`.")],
        label: Annotated[Literal["right", "wrong"], Field(description="What the user said of the answer.")],
        context: Context[Any, Any],
        answer: Annotated[
            str,
            Field(
                max_length=_LONGEST_TOLD,
                description="The right answer, where it was wrong and the user told it.",
            ),
        ] = "",
        evidence: Annotated[
            int, Field(ge=0, description="Number (from 1) of the piece of evidence that is right; 0: all.")
        ] = 0,
        unanswerable: Annotated[
            bool, Field(description="The user says that the papers do not answer the question.")
        ] = False,
        suggested: Annotated[
            bool, Field(description="The user says that the `suggested` past answer answers the question.")
        ] = False,
        paper: PlacePaper = "",
        page: PlacePage = 0,
        quote: PlaceWords = "",
        note: Annotated[
            str, Field(max_length=_LONGEST_TOLD, description="The user's reason, if one was given.")
        ] = "",
    ) -> results.Ruled:
        """Keep what the user says of an answer, so that later questions profit from it.

        Only call it with the user's own judgement, never with yours.
        """
        visitor, place = self._allowed(context, "write"), place_of(self._library, paper, page, quote)
        judged = self._library.verdict(
            label,
            run,
            answer=answer or None,
            evidence=evidence,
            unanswerable=unanswerable,
            suggested=suggested,
            place=place,
            note=note,
            author=visitor.name,
        )
        return results.ruled(judged)

    def add_papers(
        self,
        paths: Annotated[
            list[str],
            Field(description="PDF files or folders of them on this machine.", examples=[["~/papers/a.pdf"]]),
        ],
        context: Context[Any, Any],
    ) -> results.ToolAdded:
        """Add PDFs to the library, from the folders that its owner allows. The files stay where they are."""
        self._allowed(context, "write")
        report = self._library.add([file for path in paths for file in self._pdfs(Path(path).expanduser())])
        lines = [f"{file.outcome} {file.path.name}: {file.reason or file.title}" for file in report.files]
        kinds = [file.outcome for file in report.files]
        shown = results.cut("\n".join(lines), results.MAX_TOKENS - 200).splitlines()
        counts = {str(kind): kinds.count(kind) for kind in dict.fromkeys(kinds)}
        return results.ToolAdded(files=shown, counts=counts, notes=list(report.notes))

    def _pdfs(self, path: Path) -> list[Path]:
        """The file, or the PDFs of a folder and those below it, links followed: all below allowed folders.

        Lists of files and catalogues, which name others, are none.
        """
        inside = path.rglob("*") if path.is_dir() else [path]
        found = [file.resolve() for file in islice(inside, _MOST_FILES) if file.suffix.lower() == ".pdf"]
        for file in found or [path.resolve()]:
            if not any(file.is_relative_to(folder) for folder in self._folders):
                allowed = ", ".join(map(str, self._folders))
                raise ToolError(f"{path} is, or leads, outside of what may be added from: {allowed}.")
            if file not in found or not file.is_file():
                raise ToolError(f"{path} is no PDF, and no folder of some.")
        return found

    def _allowed(self, context: Context[Any, Any], scope: str) -> Visitor:
        """Who calls, who may do that."""
        visitor = self._visiting(context)
        if scope not in visitor.scopes:
            raise ToolError(f"This key may not do that: it lacks the scope `{scope}`.")
        return visitor
