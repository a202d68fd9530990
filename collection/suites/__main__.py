"""``python -m collection.suites KEY=VALUE …``: what `make suite` runs."""

import sys

from collection.suites.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
