"""The section tree: which blocks are headings, how deep they stand, what stands under them."""
