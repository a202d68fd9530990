"""Command line: build the ledger from the databases at hand and write it to results/ledger."""

import argparse
import sys

import pandas as pd
import xarray as xr

from analysis.ledger.build import build_ledger, count_verdicts, expected_file, lost, reproduced
from analysis.ledger.checks import OFFICIAL, OLD, SUMMARY
from analysis.ledger.published import load_published
from analysis.load import load_curves
from collection.paths import RESULTS


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 1 where a number that was reproduced no longer is."""
    parser = argparse.ArgumentParser(prog="python -m analysis.ledger", description=__doc__)
    parser.add_argument("--expect", action="store_true",
                        help="add what is reproduced now to book/published/reproduced.csv")
    asked = parser.parse_args(arguments)
    ledger = build_ledger(databases_at_hand(), load_published())
    target = RESULTS / "ledger" / "ledger.csv"
    target.parent.mkdir(parents=True, exist_ok=True)
    ledger.to_csv(target, index=False)
    print(count_verdicts(ledger).to_string(), f"\n{target}")
    if asked.expect:
        _expect(reproduced(ledger))
        return 0
    gone = lost(ledger, pd.read_csv(expected_file(), dtype=str))
    if len(gone):
        print("No longer as printed:\n" + gone.to_string(index=False), file=sys.stderr)
    return int(len(gone) > 0)


def databases_at_hand() -> dict[str, xr.Dataset]:
    """Open those of the ledger's databases that are there, and tell of those that are not."""
    found = {}
    for name in (OLD, SUMMARY, OFFICIAL):
        try:
            found[name] = load_curves(name, "paper" if name == OLD else "all")
        except FileNotFoundError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
    return found


def _expect(now: pd.DataFrame) -> None:
    """Merge into the file what is reproduced now; what other databases gave stays."""
    path = expected_file()
    before = pd.read_csv(path, dtype=str) if path.exists() else now.iloc[:0]
    others = before[~before["database"].isin(now["database"].unique())]
    pd.concat([others, now]).sort_values(list(now.columns)).to_csv(path, index=False)


if __name__ == "__main__":
    sys.exit(main())
