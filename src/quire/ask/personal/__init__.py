"""What a library learned from its users' verdicts, and how the next question profits from it.

`learning` is the part of a library that has all of it, and knows whose turn it is among several models:
`judging` takes a verdict in and makes an item of it; `memory` finds what fits the next question, `searching`
moves the search. Items are kept in `quire.memory`.
"""
