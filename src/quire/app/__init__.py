"""How people and programs come in: commands (`cli`), REST, pages and chats (`server`), agents (`mcp`)."""
