"""How an answer is found: policies, methods, the loop of thought, action, observation, and stored runs.

`loop.run(policy, environment, question)` gives a Trajectory. `offline/` answers by rules, `llm.py` by a
language model in one of the methods of `methods.py`; `stream/` has the solvers that learn from feedback.
"""
