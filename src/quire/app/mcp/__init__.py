"""quire as tools for agents, over the Model Context Protocol.

`server.py` puts the server together with what can be read by address and the prompts, `tools.py` holds what an
agent can call, `results.py` what it gets back (bounded in tokens), `http.py` how `quire serve` offers `/mcp`.
"""
