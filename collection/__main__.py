"""``python -m collection COMMAND --parameter VALUE …``."""

import sys

from collection.commands.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
