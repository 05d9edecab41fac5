"""One provider per file; each has `build(name, settings) -> Provider`, named in `quire.llm.PROVIDERS`."""
