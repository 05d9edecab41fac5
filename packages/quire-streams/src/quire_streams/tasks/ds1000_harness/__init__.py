"""Runs DS-1000 problems in a Python of their own; it knows nothing of quire, and works without it.

`server` is the program: a process that has imported what the problems of one library import, and never reads
a problem. For each problem it forks two processes. The *judge* runs the problem's test with the reference
inside; every `exec` of the solution that the test makes is carried out by the *candidate*, which gets the
test's input and never what is expected. What comes back is `result`, open figures and pictures, as JSON of
which only `values` (`builders`, `figures`) makes anything. `cells` closes the two off from the machine and
from each other.

A solution may do what it likes in its cell. It cannot reach the judge's memory, files or output, and all it
can send is data that the judge builds itself. What remains open is written in `values` and `cells`.
"""


class NotData(ValueError):
    """What a candidate sent asks for something that is not data."""
