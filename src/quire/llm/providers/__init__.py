"""Providers; each has a `build(name, settings) -> Provider`, named in `quire.llm.PROVIDERS`."""
