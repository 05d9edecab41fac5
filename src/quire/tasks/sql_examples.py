"""Sixteen questions with their SQL, for the few-shot method where a set has no training file."""

from __future__ import annotations

EXAMPLES: tuple[tuple[str, str], ...] = (
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
