"""``python -m analysis COMMAND --parameter VALUE …``: what ``learning-curves`` runs."""

import sys

from analysis.commands import main

if __name__ == "__main__":
    sys.exit(main())
