"""Every estimate that is kept or written lies in its own interval, and no share's has no width."""

from pathlib import Path

import pandas as pd
import pytest

from collection.project.paths import COMPUTED, RESULTS

#: Whose interval it is, where it is not that of the column of the same name or of the one before:
#: by the end's name, or by the table's and the end's.
OWNER = {
    "mean_low": "mean_points", "cluster_low": "ratio", "g_low": "hedges_g", "own_low": "own_ratio",
    ("meta_features_leaders", "low"): "by_name", ("order_ranks", "low"): "rank",
    ("ranks", "low"): "rank", ("needs", "low"): "normalized_error"}
#: Ends of classes.
NO_ESTIMATE = {("power", "true_low"), ("times_by_size", "low"), ("times_by_position", "low")}
#: Shares, of which 0 and 1 are estimates like others.
SHARES = ("probability", "top_k_rate", "survival", "rate")
SLACK = 1e-5  # of rounding to six digits


def ends(table: pd.DataFrame, name: str) -> list[tuple[str, str, str]]:
    """Return the columns that belong together: an estimate and its interval's two ends."""
    columns, found = list(table), []
    for low in (c for c in columns if c == "low" or c.endswith("_low")):
        high = low.removesuffix("low") + "high"
        if high in columns and (name, low) not in NO_ESTIMATE:
            before = columns[columns.index(low) - 1]
            own = low.removesuffix("_low") if low != "low" else "value"
            given = OWNER.get((name, low)) or OWNER.get(low)
            found.append((given if given in columns else own if own in columns else before, low,
                          high))
    return found


def outside(table: pd.DataFrame, name: str) -> list[str]:
    """Return what is wrong with a table's intervals, in words."""
    wrong = []
    for value, low, high in ends(table, name):
        rows = table[[value, low, high]].apply(pd.to_numeric, errors="coerce").dropna()
        slack = SLACK * rows.abs().max(axis=1) + 1e-12
        off = (rows[low] > rows[value] + slack) | (rows[high] < rows[value] - slack)
        if off.any():
            wrong.append(f"{name}: {value} lies outside {low} to {high} in {off.sum()} rows")
        if value in SHARES:
            none = (rows[low] == rows[high]) & rows[value].isin([0, 1, 100])
            if none.any():
                wrong.append(f"{name}: {value} of 0 or 1 has no width in {none.sum()} rows")
    return wrong


@pytest.mark.parametrize("path", sorted(COMPUTED.glob("*.csv")), ids=lambda p: p.stem)
def test_kept_estimates_lie_in_their_intervals(path):
    assert not outside(pd.read_csv(path), path.stem)


def test_an_estimate_outside_and_one_without_width_are_found():
    table = pd.DataFrame({"rate": [0.5, 0.0], "low": [0.6, 0.0], "high": [0.7, 0.0]})
    assert len(outside(table, "made")) == 2
    assert not outside(table.assign(low=[0.4, 0.0], high=[0.7, 0.1]), "made")
    named = pd.DataFrame({"n": [9], "share": [0.5], "k": [3], "share_low": [0.4],
                          "share_high": [0.6]})
    assert ends(named, "made") == [("share", "share_low", "share_high")]


@pytest.mark.book
def test_estimates_of_the_last_build_lie_in_their_intervals():
    paths = sorted(Path(RESULTS).glob("*/*.csv"))
    assert paths
    wrong = [text for path in paths
             for text in outside(pd.read_csv(path, low_memory=False), path.stem)]
    assert not wrong, "\n".join(wrong)
