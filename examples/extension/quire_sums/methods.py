"""Rows: a method of streams that uses the memory, and a method of `quire ask` that uses the action."""

from quire.ask.methods import Method
from quire_streams.methods import StreamMethod

NEWEST_RIGHT = StreamMethod("newest_right", memory="newest_right", admit="right")
COUNT_PAGES = Method("count_pages", "Counts pages, and answers.", (("CountPages", "GenerateAnswer"),))
