"""The weights of all-MiniLM-L6-v2 in eight bits; quire finds them in `model/` beside this file."""
