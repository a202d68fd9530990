"""``make faults`` (RUNS=300, SEED=0): faults on commands, and what was lost; then the plants.

*Two at once* is tried 50 times more (TWICE=50).

After each fault a store has to open or say what is wrong with it, hold nothing that the whole one
has not, and be brought to the same numbers by running again, without making again what is there.
Whole results are held against plain loops. ``--plants`` plants twelve bugs, one at a time, each of
which a short campaign must catch.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.faults.campaign import LIMIT, Campaign, TooSlowError
from benchmarks.faults.kinds import FAULTS, PAIRS
from benchmarks.faults.plants import PLANT, PLANTS, plant
from collection.project.paths import ROOT

#: The faults of a short campaign that has to catch a plant: kind, command, how many.
CATCH = {"row dropped": ("killed", "evaluate", 0), "commit skipped": ("killed", "evaluate", 0),
         "flip served": ("byte flipped", "evaluate", 12), "OUT wiped": ("killed", "evaluate", 6),
         "fitted again": ("killed", "evaluate", 4),
         "damage called nothing": ("byte flipped", "evaluate", 6),
         "input removed": ("input in OUT", "report", 1), "mode changed": ("killed", "order", 1),
         "line skipped": ("killed", "order", 0), "metrics swapped": ("killed", "merge", 0),
         "times swapped": ("killed", "merge", 0), "files opened": ("two at once", "order", 1)}


CAUGHT = 3  # exit status of a campaign that catches its plant: a crash, which is 1, is no catch


def main() -> int:
    """Run the campaign; return 1 where something was lost, or a plant was not caught."""
    try:
        return _main()
    except TooSlowError as error:
        print(f"faults: {error}", file=sys.stderr)
        return 1


def _main() -> int:
    parser = argparse.ArgumentParser("python -m benchmarks.faults", description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, nargs="*", help="numbers of faults to try again")
    parser.add_argument("--kind", choices=FAULTS, help="try faults of one kind alone")
    parser.add_argument("--plant", choices=PLANTS, help="run what has to catch one planted bug")
    parser.add_argument("--plants", action="store_true", help="see that each one is caught")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds that a run may take")
    given = parser.parse_args()
    if given.plants:
        names = [name for name in PLANTS if not caught(name, given.seed, given.limit)]
        return 1 if names else 0
    with TemporaryDirectory() as folder:
        if given.plant:
            return planted(given.plant, Path(folder), given.seed, given.limit)
        pairs = [pair for pair in PAIRS if given.kind in (None, pair[0])]
        order = np.random.default_rng(given.seed).permutation(len(pairs))
        campaign = Campaign(Path(folder), given.seed, limit=given.limit)
        for number in given.only or range(given.runs):
            kind, name = pairs[order[number % len(pairs)]]
            campaign.run(number, kind, name, FAULTS[kind])
            print(f"\r{number + 1} of {given.runs}, {len(campaign.lost)} lost", end="",
                  file=sys.stderr, flush=True)
    print(file=sys.stderr)
    for kind in FAULTS:
        found = {what: n for what, n in sorted(campaign.count.items()) if what.startswith(kind)}
        print(f"{sum(found.values()):5d}  {kind}")
        print(*(f"{n:11d}  {what.partition(', ')[2]}" for what, n in found.items()), sep="\n")
    print(f"{sum(campaign.count.values())} faults; lost: {len(campaign.lost) or 'nothing'}")
    return 1 if campaign.lost else 0


def planted(name: str, folder: Path, seed: int, limit: float) -> int:
    """Run the short campaign for a planted bug; return `CAUGHT` where it loses something."""
    kind, command, runs = CATCH[name]
    plant()
    campaign = Campaign(folder, seed, [command], limit)
    for number in range(runs):
        if not campaign.lost:
            campaign.run(number, kind, command, FAULTS[kind])
    return CAUGHT if campaign.lost else 0


def caught(name: str, seed: int, limit: float = LIMIT) -> bool:
    """Tell whether the campaign catches a bug, in a process of its own."""
    path = os.pathsep.join([str(Path(__file__).parent / "planted"), str(ROOT),
                            os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.faults", "--plant", name, "--seed", str(seed),
         "--limit", str(limit)], env={**os.environ, PLANT: name, "PYTHONPATH": path},
        capture_output=True, text=True, check=False)
    print(f"{'caught' if done.returncode == CAUGHT else 'NOT CAUGHT':<11}{name}: "
          f"{(done.stderr.strip() or 'nothing was lost').splitlines()[0][:150]}", flush=True)
    return done.returncode == CAUGHT


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
