"""How an answer is found: policies, methods, the loop of thought, action, observation, and stored runs.

`loop.run(policy, environment, question)` gives a Trajectory. `offline/` answers by rules, `llm` by a
language model in one of the `methods`: told by `prompt`, `library_schema`, `openings`, `turns` and
`window`, read by `replies`. An answer has its form (`answer_format`, `form_words`, `json_schema`) and its
evidence: `sources` finds it, `evidence` checks it (`quote_matching`, `table_rows`). `runs`, `records`,
`replay` and `chats` keep and compare runs. `stream/` has the solvers that learn from feedback, `personal/`
what a library learned from its users.
"""
