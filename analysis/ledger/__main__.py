"""Command line: build the ledger from the databases at hand and write it to results/ledger."""

import argparse
import sys

import pandas as pd

from analysis.drawing.tables import write_result
from analysis.ledger.build import EXPECTED, count_known, ledger_at_hand, lost, reproduced


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 1 where a number that was reproduced no longer is."""
    parser = argparse.ArgumentParser(prog="python -m analysis.ledger", description=__doc__)
    parser.add_argument("--expect", action="store_true",
                        help="add what is reproduced now to book/published/reproduced.csv")
    asked = parser.parse_args(arguments)
    ledger, lacking = ledger_at_hand()
    for name, why in lacking.items():
        print(f"{name} is left out: {why}", file=sys.stderr)
    print(count_known(ledger).to_string(), f"\n{write_result(ledger, 'ledger', 'ledger')}")
    if asked.expect:
        _expect(reproduced(ledger))
        return 0
    gone = lost(ledger, pd.read_csv(EXPECTED, dtype=str))
    if len(gone):
        print("No longer as printed:\n" + gone.to_string(index=False), file=sys.stderr)
    return int(len(gone) > 0)


def _expect(now: pd.DataFrame) -> None:
    """Merge into the file what is reproduced now; what other databases gave stays."""
    before = pd.read_csv(EXPECTED, dtype=str)
    others = before[~before["database"].isin(now["database"].unique())]
    pd.concat([others, now]).sort_values(list(now.columns)).to_csv(EXPECTED, index=False)


if __name__ == "__main__":
    sys.exit(main())
