"""`python -m quire` is `quire`."""

from quire.interfaces.cli import main

if __name__ == "__main__":
    main()
