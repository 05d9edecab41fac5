"""quire as tools for agents, over the Model Context Protocol.

`server.py` puts the server together with its prompts and what can be read by address, `tools.py` holds what
an agent can call, `results.py` what it gets back (bounded in tokens). `quire serve` has it at `/mcp`.
"""
