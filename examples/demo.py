"""quire's main jobs, on small things: add four papers, search, ask SQL, ask questions, see the evidence; then
diagnose a stream of patients with invented illnesses, without a memory and with one.

    make demo

Every command that it runs is shown as you would type it. Nothing leaves the machine: no key, no server and
no language model. The library is written to `demo-library/`; run it again and nothing is done twice.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
QUIRE = Path(sys.executable).parent / "quire"

COMMANDS = (
    ["add", "examples/papers"],
    ["status"],
    ["search", "how fast does water creep along a fold?", "--limit", "2"],
    ["sql", "SELECT title, pub_year, num_pages, len(authors) AS authors FROM metadata ORDER BY pub_year"],
    ["ask", "In Table 1, what is the soaking time of the keel boat at 160 g?", "--paper", "paper-boats.pdf"],
    ["ask", "How many entries has the bibliography?", "--paper", "paper-boats.pdf", "--type", "int"],
    ["ask", "What does RRF stand for?"],
    ["ask", "Who wrote the paper about sourdough starters?", "--type", "list"],
    ["ask", "At what temperature does mercury boil?"],
)

CLINIC = ["--data", "examples/clinic", "--encoder", "hash-512"]
STREAM = ["stream", "run", "--task", "ddxplus", *CLINIC, "--model", "offline:a"]
METHODS = ("zero_shot", "self_stream_icl")


def run(arguments: list[str]) -> None:
    """Show one command on the demo's library and run it."""
    command([*arguments, "--library", "demo-library"])


def command(arguments: list[str]) -> None:
    """Show one command and run it."""
    shown = " ".join(f'"{word}"' if " " in word or "*" in word else word for word in arguments)
    print(f"\n\033[1m$ quire {shown}\033[0m", flush=True)
    subprocess.run([str(QUIRE), *arguments], cwd=ROOT, check=True)


def picture() -> None:
    """Render the page on which the first answer stands, with the evidence marked."""
    question = [*COMMANDS[4], "--json", "--library", "demo-library"]
    asked = subprocess.run([str(QUIRE), *question], cwd=ROOT, check=True, capture_output=True, text=True)
    evidence = json.loads(asked.stdout)["answer"]["evidence"][0]
    box = ",".join(f"{edge:.0f}" for edge in evidence["bbox"])
    page = str(evidence["page"])
    run(["page", evidence["paper_id"], page, "--box", box, "-o", "demo-library/evidence.png"])


def main() -> None:
    """Run the demo."""
    for arguments in COMMANDS:
        run(arguments)
    picture()
    for method in METHODS:
        command([*STREAM, "--method", method, "-o", "demo-library/streams"])
    command(["stream", "report", "demo-library/streams"])
    print("\nYour turn: .venv/bin/quire add YOUR.pdf && .venv/bin/quire ask 'YOUR QUESTION'")


if __name__ == "__main__":
    main()
