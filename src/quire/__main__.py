"""`python -m quire` is `quire`."""

from quire.app.cli import main

if __name__ == "__main__":
    main()
