"""Sixteen requests with their calls, written for the few-shot method; none is part of the data set."""

from __future__ import annotations

EXAMPLES: tuple[tuple[str, str, dict[str, object]], ...] = (
    ("Which day is 45 days after 2021-03-01?", "add_date", {"date": "2021-03-01", "days": 45}),
    ("Is it raining in Lisbon at the moment?", "get_weather_today", {"location": "Lisbon"}),
    ("Give me a five day forecast for Oslo.", "forecast_weather", {"location": "Oslo, NO", "days": 5}),
    ("Tell me today's date.", "get_today_date", {}),
    ("Who was Ada Lovelace?", "search", {"entity": "Ada Lovelace"}),
    ("What else can the word mercury refer to?", "disambiguation", {"entity": "mercury"}),
    ("How do I get rid of hiccups?", "search_general", {"query": "how to get rid of hiccups"}),
    ("Find me quiet cafes in Vienna.", "search_places", {"query": "quiet cafes in Vienna"}),
    ("What is the integral of x squared?", "getWolframAlphaResults", {"input": "integral of x squared"}),
    ("Any new papers on graph coloring?", "get_arxiv_article_information", {"query": "graph coloring"}),
    ("Write the number 4711 in words.", "Numbers Translator%%Numbers Translator", {"text": "4711"}),
    ("Something interesting about the number 28, please.", "Numbers%%Get math fact", {"number": "28"}),
    ("I need a fresh access token.", "Token API%%generate", {}),
    ("Show me what Ryu can do in Marvel Vs Capcom 2.", "Marvel Vs Capcom 2%%Show Character", {"name": "Ryu"}),
    (
        "How many people live in Porto, Portugal?",
        "Places%%Geographic coordinates by placename",
        {"name": "Porto", "lang": "en", "country": "PT"},
    ),
    (
        "Make me a random password with 32 characters.",
        "Password Generator API%%Password of length 50",
        {"length": "32"},
    ),
)
