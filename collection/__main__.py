"""``python -m collection KEY=VALUE …``: what `make collect` runs."""

import sys

from collection.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
