"""All keys of the page, as the list behind `?` shows them; `static/*.js` bind them (a test compares)."""

from __future__ import annotations

GROUPS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "Everywhere",
        (
            ("g l", "To the library"),
            ("g a", "To a new question"),
            ("g m", "To the memory"),
            ("g e", "To the measures"),
            ("/", "Search, or write a question"),
            ("t", "Light, dark, or as the system"),
            ("Escape", "Stop, close, go back one step"),
            ("?", "This list"),
        ),
    ),
    (
        "Library",
        (
            ("a", "Add PDFs"),
            ("j", "Next paper"),
            ("k", "Paper before"),
            ("Enter", "Open the paper"),
            ("x", "Choose it"),
            ("i", "Ask what is chosen"),
            ("*", "Star it"),
            ("Delete", "Remove it (can be undone)"),
        ),
    ),
    (
        "Answers",
        (
            ("s", "Which papers to ask"),
            ("n", "Next evidence on its page"),
            ("p", "Evidence before"),
            ("r", "Right"),
            ("w", "Wrong"),
            ("c", "Tell the right answer"),
            ("l", "Copy a link to the answer"),
        ),
    ),
    (
        "Pages and papers",
        (
            ("]", "Next page"),
            ("[", "Page before"),
            ("f", "Find in the PDF"),
            ("v", "All pages, small"),
            ("+", "Larger"),
            ("-", "Smaller"),
            ("b", "Copy BibTeX"),
        ),
    ),
)
