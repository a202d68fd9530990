"""``make mini``: gather what the recipe asks for, then write the shipped files.

``python -m collection.mini [--export] [--stores FOLDER] [KEY=VALUE …]``. Stopped, it goes on
where it was when run again. ``--export`` writes the files from what is there; ``--stores`` names
the folder that holds the stores, by default the cache; further parameters, such as
``WORKERS=8``, are passed to every batch.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from collection import command
from collection.mini import FOLDER, LACKING
from collection.mini.croissant import describe
from collection.mini.export import OUTSIDE, ExportError, export
from collection.mini.recipe import RECIPE, stores, wanted
from collection.paths import cache_dir


def main(arguments: Sequence[str]) -> int:
    """Gather and export; return the exit status: 1 where curves are missing or nothing was."""
    parser = argparse.ArgumentParser("python -m collection.mini", description=__doc__)
    parser.add_argument("--export", action="store_true", help="write the files, gather nothing")
    parser.add_argument("--stores", type=Path, default=cache_dir(), help="folder of the stores")
    parser.add_argument("--to", type=Path, default=FOLDER, help="where the files go")
    parser.add_argument("parameters", nargs="*", help="KEY=VALUE, for every batch")
    given = parser.parse_args(arguments)
    more = dict(text.split("=", 1) for text in given.parameters)
    failed = 0
    if not given.export:
        failed = sum(command.main(batch.arguments(given.stores, **more)) for batch in RECIPE)
    try:
        left = export(stores(given.stores), wanted(), given.to)
    except ExportError as error:
        print(f"mini: {error}", file=sys.stderr)
        return 1
    left[left["reason"] != OUTSIDE].to_csv(given.to / LACKING, index=False)
    describe(given.to)
    for reason, count in left["reason"].value_counts().items():
        print(f"Left out: {count} combinations of dataset, learner, scaling and leakage: {reason}.")
    size = sum(file.stat().st_size for file in given.to.iterdir())
    print(f"{given.to} holds {size / 1e6:.1f} MB.")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
