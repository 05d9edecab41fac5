"""Reading HotpotQA without a model: two-hop evidence, candidates of many kinds, kinds learnt from shots.

`reading` finds the best candidate of each kind in the paragraphs (the same for all variants); `knowledge` and
`lessons` say which kind the question wants, from what a variant knows of question forms and from what the
memory recalls; `reader` puts both together. The sizes in here were chosen on 342 development questions; see
the log for what they are worth on others.
"""

from quire.tasks.offline.hotpotqa.reader import ExtractiveReader

__all__ = ["ExtractiveReader"]
