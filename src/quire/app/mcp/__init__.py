"""quire as tools for agents, over the Model Context Protocol.

`server.py` puts the server together, `tools.py` holds what an agent can call, `results.py` what it gets back
(bounded in tokens), `resources.py` what it can read by address, `http.py` how `quire serve` offers `/mcp`,
`command.py` is `quire mcp` (standard input and output).
"""
