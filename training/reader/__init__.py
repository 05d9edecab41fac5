"""Training of the reader (`quire.search.reader`): wants PyTorch and LightGBM, which quire does not."""
