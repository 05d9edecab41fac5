"""Examples for the few-shot method where a set has none of its own; none of them is part of a data set."""

from __future__ import annotations

# (problem, solution)
DS1000: tuple[tuple[str, str], ...] = (
    (
        "I have a DataFrame `df` with the columns `city` and `temp`. I want the highest `temp` of each city "
        "as a new DataFrame with the same two columns, put into the variable `result`.",
        "result = df.groupby('city', as_index=False)['temp'].max()",
    ),
    (
        "Given a 2-d array `a`, set every value above the mean of its own row to zero, in place.",
        "a[a > a.mean(axis=1, keepdims=True)] = 0",
    ),
    (
        "Solve the linear system `A x = b` for a positive definite matrix `A`; call the solution `x`.",
        "from scipy.linalg import cho_factor, cho_solve\nx = cho_solve(cho_factor(A), b)",
    ),
    (
        "Draw a red dashed line of `y` over `x` and label the x axis 'time'.",
        "plt.plot(x, y, 'r--')\nplt.xlabel('time')",
    ),
)

# (question, the action that answered it, answer)
PAPERS: tuple[tuple[str, str, str], ...] = (
    (
        "How many pages does the paper `kites.pdf` have?",
        "SELECT num_pages FROM metadata WHERE pdf_path ILIKE '%kites%'",
        "14",
    ),
    (
        "Which section of `kites.pdf` comes right after the introduction?",
        "SELECT section_title FROM sections WHERE ref_paper_id = (SELECT paper_id FROM metadata "
        "WHERE pdf_path ILIKE '%kites%') ORDER BY ordinal LIMIT 3",
        "2 Wind and Materials",
    ),
    (
        "According to Table 2 of `kites.pdf`, which tail is the longest?",
        "SELECT table_caption, table_content FROM tables WHERE table_label ILIKE 'Table 2%' "
        "AND ref_paper_id = (SELECT paper_id FROM metadata WHERE pdf_path ILIKE '%kites%')",
        "the ribbon tail",
    ),
    (
        "How many works that appeared after 2015 does `kites.pdf` cite?",
        "SELECT count(*) FROM reference WHERE reference_year > 2015 AND ref_paper_id = (SELECT paper_id "
        "FROM metadata WHERE pdf_path ILIKE '%kites%')",
        "9",
    ),
)

# (request, name of the call, its arguments)
TOOLBENCH: tuple[tuple[str, str, dict[str, object]], ...] = (
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

# (question, query), over tables of boats, harbours and sailors
SQL: tuple[tuple[str, str], ...] = (
    ("How many boats are there?", "SELECT count(*) FROM boat"),
    ("List the names of all harbours in alphabetical order.", "SELECT name FROM harbour ORDER BY name"),
    ("What is the length of the longest boat?", "SELECT max(length) FROM boat"),
    ("Which boats were built after 1990?", "SELECT name FROM boat WHERE built > 1990"),
    ("How many boats does each harbour have?", "SELECT harbour_id, count(*) FROM boat GROUP BY harbour_id"),
    (
        "Give the names of harbours together with the number of their boats.",
        "SELECT h.name, count(*) FROM harbour AS h JOIN boat AS b ON b.harbour_id = h.id GROUP BY h.id",
    ),
    (
        "Which harbours have more than three boats?",
        "SELECT h.name FROM harbour AS h JOIN boat AS b ON b.harbour_id = h.id "
        "GROUP BY h.id HAVING count(*) > 3",
    ),
    (
        "What is the name of the oldest sailor?",
        "SELECT name FROM sailor ORDER BY age DESC LIMIT 1",
    ),
    (
        "Which harbours have no boat?",
        "SELECT name FROM harbour WHERE id NOT IN (SELECT harbour_id FROM boat)",
    ),
    ("How many different flags are there?", "SELECT count(DISTINCT flag) FROM boat"),
    (
        "What is the average age of sailors from Norway or Denmark?",
        "SELECT avg(age) FROM sailor WHERE country = 'Norway' OR country = 'Denmark'",
    ),
    (
        "Find sailors whose name contains 'son'.",
        "SELECT name FROM sailor WHERE name LIKE '%son%'",
    ),
    (
        "Which countries have both a sailor over 60 and a sailor under 20?",
        "SELECT country FROM sailor WHERE age > 60 INTERSECT SELECT country FROM sailor WHERE age < 20",
    ),
    (
        "Which sailors are older than the average?",
        "SELECT name FROM sailor WHERE age > (SELECT avg(age) FROM sailor)",
    ),
    (
        "Show the names of the sailors of the boat 'Petrel', the youngest first.",
        "SELECT s.name FROM sailor AS s JOIN boat AS b ON s.boat_id = b.id "
        "WHERE b.name = 'Petrel' ORDER BY s.age",
    ),
    (
        "Which flag do most boats fly?",
        "SELECT flag FROM boat GROUP BY flag ORDER BY count(*) DESC LIMIT 1",
    ),
)
