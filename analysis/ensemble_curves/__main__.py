"""``make ensemble-curves``: the curves of ensembles, from stored predictions.

``python -m analysis.ensemble_curves [WHERE OUT] [KEY=VALUE …]``. With a collection that ran with
PREDICTIONS=yes and a folder, computes the curves of its ensembles into the folder. Without, gathers
the members of the shipped ones first, and writes the shipped files. Stopped, it goes on where it
was. ``WORKERS=4`` is the number of processes.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from analysis.ensemble_curves.compute import compute_ensembles
from analysis.ensemble_curves.members import NoMembersError
from analysis.ensemble_curves.shipped import (
    ENSEMBLES_STORE,
    FOLDER,
    MEMBERS_STORE,
    gathering,
    member_names,
    ship,
)
from collection import command
from collection.parameters import SettingsError
from collection.paths import cache_dir
from collection.store import ChangedSettingsError, NoStoreError, UnreadableStoreError

REFUSED = (NoMembersError, NoStoreError, UnreadableStoreError, ChangedSettingsError, SettingsError)


def main(arguments: Sequence[str]) -> int:
    """Compute; return the exit status: 1 where nothing was, with one message why."""
    given = dict(text.split("=", 1) for text in arguments if "=" in text)
    folders = [Path(text) for text in arguments if text and "=" not in text]
    workers = int(given.get("WORKERS") or 1)
    try:
        if len(folders) not in (0, 2):
            raise SettingsError("Name the collection and the folder to write: "
                                "make ensemble-curves WHERE=my_curves OUT=my_ensembles")
        if folders:
            compute_ensembles(*folders, workers, _say)
            print(f'Open them: analysis.load_curves("{folders[1]}")')
            return 0
        return _ship_recipe(workers, given)
    except REFUSED as error:
        print(f"ensemble-curves: {error}", file=sys.stderr)
        return 1


def _ship_recipe(workers: int, given: dict[str, str]) -> int:
    members, ensembles = cache_dir() / MEMBERS_STORE, cache_dir() / ENSEMBLES_STORE
    if command.main(gathering(cache_dir(), **given)):
        return 1
    compute_ensembles(members, ensembles, workers, _say, member_names())
    ship(ensembles)
    size = sum(file.stat().st_size for file in FOLDER.iterdir())
    print(f"{FOLDER} holds {size / 1e6:.1f} MB.")
    return 0


def _say(text: str) -> None:
    print(f"\r{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
