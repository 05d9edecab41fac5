"""Questions with certain answers, made of a library's own rows, so that users can test their set-up.

    for question in make_quiz(library, each=5):
        print(json.dumps(question.as_row()))          # a file for `quire eval`

Contract: every answer stands in one row of the library (a cell, an entry of the references, a caption, a
heading, the metadata), and the question fits no other row of that paper: where two rows would answer it, it
is not asked. The same library and seed give the same questions. The gold is only as good as the parsing:
this tests what is made of the rows, not how the PDF was read. `kinds` are what is asked, `making` chooses;
`natural` has a model write questions of the pages instead.
"""

from quire.eval.quiz.making import KINDS, PaperRows, QuizQuestion, make_quiz

__all__ = ["KINDS", "QuizQuestion", "PaperRows", "make_quiz"]
