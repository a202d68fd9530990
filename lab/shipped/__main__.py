"""``make lcdb11-anew``, ``regression``, ``small``, ``evaluations``: gather and write what ships.

``python -m lab.shipped NAME [--export] [--stores FOLDER] [--to PLACE] [KEY=VALUE …]``. Stopped, it
goes on where it was when run again. ``--export`` writes from what is there.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from collection.commands.command import STOPPED
from collection.project.paths import DATA, cache_dir, state_shipped
from collection.shipped.small import FILE
from lab.shipped import anew, evaluations, small
from lab.shipped.recipes import LARGE, REGRESSION


@dataclass(frozen=True)
class Shipment:
    """Something that the project ships.

    Attributes
    ----------
    stores : str
        The folder in the cache that it is gathered in.
    to : Path
        What is written: a folder, or a file.
    gather : callable
        Takes the folder and further parameters; returns what is missing, and why.
    write : callable
        Takes the folder, the place and what is missing; returns the exit status.
    """

    stores: str
    to: Path
    gather: Callable[[Path, Mapping[str, str]], dict[str, str]]
    write: Callable[[Path, Path, Mapping[str, str]], int]


SHIPMENTS = {
    **{recipe.name: Shipment("", DATA / recipe.name, recipe.gather, recipe.write)
       for recipe in (REGRESSION, *LARGE)},
    anew.SUITE: Shipment(anew.SUITE, anew.FOLDER, anew.gather, anew.write),
    "small": Shipment("small", FILE, small.gather, small.write),
    "evaluations": Shipment("evaluations", evaluations.FOLDER, evaluations.gather,
                            evaluations.write),
}


def main(arguments: Sequence[str]) -> int:
    """Gather and write; return the exit status."""
    parser = argparse.ArgumentParser("python -m lab.shipped", description=__doc__)
    parser.add_argument("name", choices=SHIPMENTS)
    parser.add_argument("--export", action="store_true", help="write the files, gather nothing")
    parser.add_argument("--stores", type=Path, help="folder of the stores; by default the cache")
    parser.add_argument("--to", type=Path, help="where the shipped files go")
    parser.add_argument("parameters", nargs="*", help="KEY=VALUE, for all that is gathered")
    given = parser.parse_intermixed_args(arguments)
    shipment = SHIPMENTS[given.name]
    stores = given.stores or cache_dir() / shipment.stores
    more = dict(text.split("=", 1) for text in given.parameters)
    try:
        missing = {} if given.export else shipment.gather(stores, more)
        status = shipment.write(stores, given.to or shipment.to, missing)
        state_shipped()
        return status
    except (ValueError, OSError, RuntimeError) as error:
        print(f"{given.name}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{given.name}: stopped, nothing is written. Run the same command again to go on.",
              file=sys.stderr)
        return STOPPED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
