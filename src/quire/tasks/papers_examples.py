"""Four questions with the action that answered each, written for the few-shot method; no set holds them."""

from __future__ import annotations

EXAMPLES: tuple[tuple[str, str, str], ...] = (
    (
        "How many pages does the paper `kites.pdf` have?",
        "SELECT num_pages FROM metadata WHERE pdf_path ILIKE '%kites%'",
        "14",
    ),
    (
        "Which section of `kites.pdf` comes right after the introduction?",
        "SELECT section_title FROM sections WHERE ref_paper_id = (SELECT paper_id FROM metadata "
        "WHERE pdf_path ILIKE '%kites%') ORDER BY ordinal LIMIT 3",
        "2 Wind and Materials",
    ),
    (
        "According to Table 2 of `kites.pdf`, which tail is the longest?",
        "SELECT table_caption, table_content FROM tables WHERE table_label ILIKE 'Table 2%' "
        "AND ref_paper_id = (SELECT paper_id FROM metadata WHERE pdf_path ILIKE '%kites%')",
        "the ribbon tail",
    ),
    (
        "How many works that appeared after 2015 does `kites.pdf` cite?",
        "SELECT count(*) FROM reference WHERE reference_year > 2015 AND ref_paper_id = (SELECT paper_id "
        "FROM metadata WHERE pdf_path ILIKE '%kites%')",
        "9",
    ),
)
