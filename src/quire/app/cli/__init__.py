"""The command line. `main` runs it; each group of commands has a file of its own.

Rooms are imported inside the commands, so that `quire --help` answers at once.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quire.errors import QuireError

_SOON = 0.05  # seconds


def main() -> None:
    """Run the command line. Errors of quire end in one sentence and exit code 1, usage errors in 2."""
    sys.unraisablehook = _unraisable
    try:
        _run()
    except (KeyboardInterrupt, SystemExit) as end:
        if isinstance(end, SystemExit) and end.code != 130:  # typer's word for an interrupted command
            raise
        sys.stderr.write("\nInterrupted. What was finished is kept; run the command again to go on.\n")
        sys.exit(130)


def _unraisable(told: Any) -> None:
    """A Ctrl-C that met compiled code (a library being imported) is lost there: it comes again soon."""
    if issubclass(told.exc_type, KeyboardInterrupt):
        threading.Timer(_SOON, os.kill, (os.getpid(), signal.SIGINT)).start()
    else:
        sys.__unraisablehook__(told)


def _run() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a sign that the terminal lacks is no reason to fail
    from quire.app.cli.app import app
    from quire.errors import LibraryError, QueryError, QuireError

    try:
        app()
    except QuireError as error:
        _report(error)
        sys.exit(1)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of a pipe has gone: that is its right
        sys.exit(141)
    except OSError as error:
        place = f" {error.filename}" if error.filename else ""
        _report(LibraryError(f"The disk or network refuses{place}: {error.strerror or error}."))
        sys.exit(1)
    except UnicodeEncodeError:
        _report(QueryError("An argument is no UTF-8 text.", hint="Write it in UTF-8."))
        sys.exit(2)


def _report(error: QuireError) -> None:
    from quire import jsontext
    from quire.app.cli.output import messages, safe
    from quire.errors import as_document

    if "--json" in sys.argv:
        sys.stdout.write(jsontext.dumps({"error": as_document(error)}) + "\n")
    else:
        messages().print(f"[bold red]{error.kind}[/]: {safe(error)}", soft_wrap=True)
