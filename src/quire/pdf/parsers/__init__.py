"""Readers of PDF files behind one call: `parse(path, password, settings) -> Document`."""
