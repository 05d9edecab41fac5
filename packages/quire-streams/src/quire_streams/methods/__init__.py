"""How one instance of a stream is answered: styles of prompting, routers between models, and the methods.

A method is a row of `METHODS`: style x memory x router. Five styles and routers and five memories make every
method of the StreamBench paper (arXiv 2406.08747), its ablations, and some that it does not have.

`styles` ask a model and read its answer; the PDF agent as a solver, in its own styles, is `agent_styles`.
"""

from quire_streams.methods.methods import AGENT_STYLES, METHODS, PAPER_METHODS, STYLES, StreamMethod, twin
from quire_streams.methods.styles import PromptingStyle, PromptSolver, Solver

__all__ = [
    "AGENT_STYLES",
    "METHODS",
    "PAPER_METHODS",
    "STYLES",
    "PromptSolver",
    "Solver",
    "StreamMethod",
    "PromptingStyle",
    "twin",
]
