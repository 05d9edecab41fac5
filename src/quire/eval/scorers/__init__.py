"""Is this answer right? Pure functions `(prediction, **parameters) -> Score(value, reason)`.

`EVALUATORS` holds every scorer under the name that published question sets use for it. A question's
evaluator is read and checked with `evaluators.read_evaluator`; a judge, where one is needed, is handed in
(`judging.Panel`), so that nothing here knows a network.

`text`, `numbers` and `structure` decide alone, `judged` asks a
judge, `logic` puts several together; `matching` pairs lists.

    >>> EVALUATORS.load("eval_int_exact_match")("4.0", 4)
    Score(value=1.0, reason='It is 4.')
"""

from quire.registry import Registry

EVALUATORS = Registry(
    "evaluator",
    {
        "eval_string_exact_match": "quire.eval.scorers.text:exact",
        "eval_string_fuzzy_match": "quire.eval.scorers.text:fuzzy",
        "eval_bool_exact_match": "quire.eval.scorers.numbers:truth",
        "eval_int_exact_match": "quire.eval.scorers.numbers:whole",
        "eval_float_exact_match": "quire.eval.scorers.numbers:near",
        "eval_structured_object_exact_match": "quire.eval.scorers.structure:same",
        "eval_element_included": "quire.eval.scorers.structure:included",
        "eval_element_list_included": "quire.eval.scorers.structure:list_included",
        "eval_element_list_overlap": "quire.eval.scorers.structure:overlap",
        "eval_paper_relevance_with_reference_answer": "quire.eval.scorers.text:relevant",
        "eval_reference_answer_with_llm": "quire.eval.scorers.judged:reference",
        "eval_candidate_reference_answer_with_llm": "quire.eval.scorers.judged:candidates",
        "eval_scoring_points_with_llm": "quire.eval.scorers.judged:points",
        "eval_partial_scoring_points_with_llm": "quire.eval.scorers.judged:some_points",
        "eval_reference_answer_and_scoring_points_with_llm": "quire.eval.scorers.judged:reference_and_points",
        "eval_complex_math_formula_with_llm": "quire.eval.scorers.judged:formulas",
        "eval_conjunction": "quire.eval.scorers.logic:conjunction",
        "eval_disjunction": "quire.eval.scorers.logic:disjunction",
        "eval_negation": "quire.eval.scorers.logic:negation",
        "eval_m3sciqa": "quire.eval.scorers.judged:m3sciqa",
        "eval_scidqa": "quire.eval.scorers.judged:scidqa",
        "abstain": "quire.eval.scorers.logic:abstain",
    },
    "quire.evaluators",
)
