"""The acts by which rules read a library: each asks for one kind of row, with its paper, page and box."""

from __future__ import annotations

from collections.abc import Sequence

from quire.agents.offline.plan import Act, of_papers, select

_ON_PAGE = "JOIN pages p ON e.ref_page_id = p.page_id"


def _elements(table: str, columns: str, papers: Sequence[str]) -> str:
    return (
        f"SELECT {columns}, e.bounding_box, e.ref_paper_id, p.page_number FROM {table} e {_ON_PAGE} "
        f"WHERE {of_papers(papers, 'e.ref_paper_id')} ORDER BY e.ref_paper_id, p.page_number, e.ordinal"
    )


def tables(papers: Sequence[str], thought: str) -> Act:
    """Tables with label, caption and cells."""
    columns = "e.table_id, e.table_label, e.table_caption, e.table_content"
    return select(thought, _elements("tables", columns, papers))


def figures(papers: Sequence[str], thought: str) -> Act:
    """Figures with label and caption."""
    return select(thought, _elements("images", "e.image_id, e.image_label, e.image_caption", papers))


def equations(papers: Sequence[str], thought: str) -> Act:
    """Equations with number and text."""
    columns = "e.equation_id, e.equation_number, e.equation_content"
    return select(thought, _elements("equations", columns, papers))


def references(papers: Sequence[str], thought: str) -> Act:
    """Entries of the reference lists, in their order."""
    return select(
        thought,
        "SELECT e.reference_id, e.reference_label, e.reference_content, e.reference_title, "
        "e.reference_year, e.ordinal, e.bounding_box, e.ref_paper_id, p.page_number "
        f"FROM reference e {_ON_PAGE} "
        f"WHERE {of_papers(papers, 'e.ref_paper_id')} ORDER BY e.ref_paper_id, e.ordinal",
    )


def sections(papers: Sequence[str], thought: str) -> Act:
    """Headings in their order."""
    return select(
        thought,
        "SELECT e.section_id, e.section_title, e.section_number, e.section_level, e.ordinal, "
        f"e.bounding_box, e.ref_paper_id, p.page_number FROM sections e {_ON_PAGE} "
        f"WHERE {of_papers(papers, 'e.ref_paper_id')} ORDER BY e.ref_paper_id, e.ordinal",
    )


def passages(papers: Sequence[str], thought: str) -> Act:
    """Passages in reading order, each with its section's heading."""
    return select(
        thought,
        "SELECT c.chunk_id, c.text_content, s.section_title, s.section_number, c.bounding_box, "
        "c.ref_paper_id, p.page_number FROM chunks c JOIN pages p ON c.ref_page_id = p.page_id "
        "LEFT JOIN sections s ON c.ref_section_id = s.section_id "
        f"WHERE {of_papers(papers, 'c.ref_paper_id')} ORDER BY c.ref_paper_id, p.page_number, c.ordinal",
    )


def pages(papers: Sequence[str], thought: str, condition: str = "true") -> Act:
    """Whole pages."""
    return select(
        thought,
        "SELECT page_id, page_number, page_label, page_content, ref_paper_id FROM pages "
        f"WHERE {of_papers(papers)} AND {condition} ORDER BY ref_paper_id, page_number",
    )


def metadata(papers: Sequence[str], thought: str) -> Act:
    """What the papers say of themselves; every paper counts as standing on its first page."""
    return select(
        thought,
        "SELECT paper_id, title, authors, abstract, num_pages, conference_full, conference_abbreviation, "
        "pub_year, volume, doi, arxiv_id, download_url, bibtex, tags, tldr, pdf_path, 1 AS page_number "
        f"FROM metadata WHERE {of_papers(papers, 'paper_id')} ORDER BY title",
    )


def titles(thought: str) -> Act:
    """Id, title, authors and year of all papers."""
    return select(thought, "SELECT paper_id, title, authors, pub_year FROM metadata ORDER BY title")
