"""Documents as text that others read: Markdown, JSON, JSON Lines, HTML, JATS; papers as bibliographies.

    document.to("md")           # the table of forms is `quire.types.forms.FORMS`

`order` puts everything of a document into one sequence; each form writes that down.
"""
