"""The page: views made on the server, with plain ES modules over them that call /api/v1.

A view is a route here and a template in `templates/`; `static/` holds what they load, and nothing is loaded
from elsewhere. Every text goes through Jinja with autoescape; a part of a view that changes is asked for
again as part of the same page (`static/swap.js`), never written twice.
"""

from pathlib import Path

STATIC = Path(__file__).parent / "static"
