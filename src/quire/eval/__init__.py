"""How good answers are: questions with gold, asked and scored one by one, and the report of it.

    run = evaluate(items, library.ask, folder, spec, Panel(judge), workers=4, progress=show)
    print_report([run], Console());  report_page([run], pictures_of(library))

`questions/` reads files of questions, `quiz` makes them of a library's own rows. `evaluation` goes through
them: `result` is how one answer was judged and the border where one may fail without ending the rest,
`record` and `run` are what is written down and found again. `judgements` measures a judge against people,
`report/` shows what came of it. Streams of tasks with memory and feedback (`quire_streams`, a package of
its own) write the same records.
"""
