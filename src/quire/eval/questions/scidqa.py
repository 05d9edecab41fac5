"""SciDQA (Singh et al. 2024, https://github.com/yale-nlp/SciDQA) in the AirQA layout.

A record (shortened):
    {"uuid": "2ebe3d38-...", "question": "in appendix A why duplicate memory data ...?",
     "anchor_pdf": ["c6f416eb-..."], "evaluator": {"eval_func": "eval_scidqa", "eval_kwargs":
     {"question": ..., "reference_answer": "A: Conceptually, it would be ..."}}}

Questions of reviewers, answered by the authors; one paper each. Every answer is graded by a judge.
"""

from quire.eval.questions.airqa import item

__all__ = ["item"]
