"""How an answer is found: policies, methods, the loop of thought, action, observation, and stored runs.

`loop.run(policy, environment, question)` gives a Trajectory. `offline/` answers by rules, `llm` by a
language model in one of the `methods`: told by `prompt`, read by `replies` (`formats`).
`actions/` are what both may do. An answer has its form (`answer_format`, `json_schema`) and its
evidence: `evidence` finds and checks it (`quote_matching`). `runs`, `replay` and `chats` keep and
compare runs. `personal/` is what a library learned from its users.
"""
