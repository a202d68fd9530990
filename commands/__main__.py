"""``python -m commands COMMAND --parameter VALUE …``: what ``learning-curves`` runs."""

import sys

from commands import main

if __name__ == "__main__":
    sys.exit(main())
