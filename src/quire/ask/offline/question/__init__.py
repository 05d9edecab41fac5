"""Understanding a question: what it quotes, points at and asks for, however it is worded."""
