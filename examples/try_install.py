"""Try an installed quire as a newcomer does: commands, page and agents' tools. Run by the Python that has it.

    python examples/try_install.py FOLDER_WITH_PDFS

Needs nothing but that quire; says what it tried, and ends with 1 at the first thing that does not work.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path

QUIRE = [sys.executable, "-m", "quire"]
PATIENCE = 60.0  # seconds for the server to answer


def ran(*arguments: str) -> str:
    """What a command printed, which must end well."""
    done = subprocess.run([*QUIRE, *arguments], capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        sys.exit(f"quire {' '.join(arguments)} ended with {done.returncode}: {done.stderr[-1000:]}")
    print(f"ok: quire {' '.join(arguments[:3])}", flush=True)
    return done.stdout


def expect(told: str, wanted: str) -> None:
    """End here if something is missing."""
    if wanted not in told:
        sys.exit(f"`{wanted}` is missing in: {told[:1000]}")


def page(library: Sequence[str]) -> None:
    """The server answers with its page and its REST."""
    command = [*QUIRE, "serve", "--port", "0", *library]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        try:
            assert server.stdout is not None
            address = ""
            while not address and (line := server.stdout.readline()):
                address = next((word for word in line.split() if word.startswith("http://")), "")
            address = address.rstrip("/.,")
            for place, wanted in (("/", "<html"), ("/api/v1/papers", "Paper Boats")):
                expect(_got(address + place), wanted)
                print(f"ok: GET {place}", flush=True)
        finally:
            server.terminate()


def _got(address: str) -> str:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(address, timeout=30) as answer:
                return str(answer.read().decode())
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def tools(library: Sequence[str]) -> None:
    """An agent's program lists the tools over standard input and output."""
    client = {"name": "try", "version": "1"}
    asked = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    said: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": asked},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
    ]
    command, pipe = [*QUIRE, "mcp", *library], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as agent:
        assert agent.stdin is not None
        assert agent.stdout is not None
        for message in said:
            agent.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            agent.stdin.flush()
            if "id" in message:
                told = agent.stdout.readline()
        expect(told, '"search"')
        print("ok: mcp tools/list", flush=True)
        agent.terminate()


def main() -> None:
    """Try everything."""
    papers = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"QUIRE_HOME": f"{folder}/home", "QUIRE_OFFLINE": "1"}
        library = ["--library", f"{folder}/library"]
        expect(ran("--version"), "quire ")
        expect(ran("parse", str(papers / "paper-boats.pdf")), "# Paper Boats")
        told = ran("add", str(papers), *library)
        if not re.search(r"\b[1-9]\d* vectors", told):  # with what was installed alone
            sys.exit(f"no vectors were made: {told[:1000]}")
        expect(ran("ask", "Who wrote the paper about sourdough starters?", *library), "Li Specimen")
        expect(ran("search", "how fast does water creep along a fold?", *library), "Paper Boats")
        expect(ran("sql", "SELECT count(*) AS n FROM cells", *library), "n")
        ran("export", "library", "--to", f"{folder}/out", *library)
        page(library)
        tools(library)


if __name__ == "__main__":
    main()
