"""Is a rerun within what reruns differ by? Two tables of the same methods and tasks, held together.

Reruns of one method differ by more than their seeds say, as tuning, versions and machines differ:
on a task by half as much again as one seed does, and on all tasks together by about `TOLERANCE`
points (``data/results/reruns.csv``: reruns of one group, in five studies). So a method's rerun
differs where Wilcoxon's signed-rank test over families finds a shift beyond that, by Holm over
methods. The tolerance was chosen after seeing these reruns.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.stats import wilcoxon

from analysis.leaderboards.cells import Cells, ResultsError
from analysis.reading.names import MEASURES, Measure, measure_of
from analysis.statistics.bootstrap import holm
from collection.project.paths import DATA, shipped

TOLERANCE = 0.1  # points
ALPHA = 0.05
LEAST = 6  # families, below which no shift can be significant
BOUNDED = {row["name"] for row in MEASURES.values() if row["unit"] in ("share", "error")}
STORED = DATA / "results" / "reruns.csv"


def compare_runs(published: Cells, mine: Cells) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Say of each method whether a rerun differs from the published run, and on which tasks.

    Parameters
    ----------
    published, mine : Cells
        Methods and tasks with the same names are compared.

    Returns
    -------
    methods : pandas.DataFrame
        ``method, families, gap`` (median over families, above 0 where the rerun is better),
        ``p_adjusted, differs, carried_by``: the fewest families, largest first, without which it
        would not differ.
    tasks : pandas.DataFrame
        As `differences`, with ``as_far``: the share of stored reruns that differ by at least as
        much on a task, in deviations where these are known, else in points.

    Raises
    ------
    ResultsError
        Where no method is in both on a task of both, or directions contradict each other.
    """
    tasks = differences(published, mine)
    stored = pd.read_csv(shipped(STORED))
    as_far = [np.mean(stored[of].abs().to_numpy()[:, None] >= tasks[of].abs().to_numpy(), axis=0)
              for of in ("deviations", "points")]
    tasks["as_far"] = np.where(tasks["deviations"].notna(), *as_far)
    rows = []
    for method, own in tasks.groupby("method", sort=False):
        gaps = own.groupby("family")["points"].mean().sort_values(key=np.abs, ascending=False)
        rows.append((method, len(gaps), gaps.median(), shift(gaps)))
    methods = pd.DataFrame(rows, columns=["method", "families", "gap", "p_adjusted"])
    methods["p_adjusted"] = holm(methods["p_adjusted"].to_numpy())
    methods["differs"] = methods["p_adjusted"] <= ALPHA
    methods["carried_by"] = [_carriers(tasks[tasks["method"] == row.method], row.p_adjusted)
                             for row in methods.itertuples()]
    return methods, tasks


def as_published(mine: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Return a rerun's results in the metric and unit of the published ones.

    Parameters
    ----------
    mine, published : pandas.DataFrame
        As `analysis.load_results` returns them, each read by its own witnesses.

    Raises
    ------
    ResultsError
        Where one cannot be had from the other exactly, as errors can from accuracies and shares
        from percent; the message names both metrics.
    """
    names = [_metric_of(table) for table in (mine, published)]
    made = [_made_of(measure_of(name)) for name in names]
    if all(made) and made[0][0] != made[1][0]:
        raise ResultsError(f"The two tables have different metrics, `{names[0]}` and "
                           f"`{names[1]}`: a rerun needs the published one.")
    value, scale = mine["value"], _unit(mine["value"]) / _unit(published["value"])
    if (all(made) and made[0][0] in BOUNDED) or (not all(made) and scale != 1 and np.isclose(
            mine["value"].median() / published["value"].median(), scale, rtol=0.5)):
        value = value / scale
    higher = mine["higher_is_better"]
    if all(made) and made[0][1:] != made[1][1:]:
        whole = _unit(published["value"]) if made[0][0] in BOUNDED else 1
        value = (whole if made[0][1] != made[1][1] else 0) - value
        higher = ~higher.astype(bool)
    return mine.assign(value=value, higher_is_better=higher)


def _metric_of(table: pd.DataFrame) -> str:
    names = table["metric"].dropna().unique()
    return (table.attrs.get("read") or {}).get("measure") or (names[0] if len(names) == 1 else "")


def _made_of(found: Measure) -> tuple[str, bool, bool] | None:
    """Return of what a measure is made, and if it is its complement, or its negative."""
    if not found.name or found.form == "derived":
        return None
    of = str(MEASURES[found.name.replace(" ", "")]["derived from"])
    whole = of.removeprefix("1 - ")
    return (whole if whole != of else found.name, (whole != of) != (found.form == "complement"),
            found.form == "negative")


def _unit(values: pd.Series) -> float:
    """Return 100 where values look like percent, else 1."""
    return 100.0 if 1 < values.abs().max() <= 100 else 1.0


def differences(published: Cells, mine: Cells) -> pd.DataFrame:
    """Return how a rerun differs, by method and task.

    Returns
    -------
    pandas.DataFrame
        ``method, task, family, published, mine, points``: hundredths of a share, or percent of the
        published value where values leave [0, 1] or a loss has no upper end; above 0 where the
        rerun is better. ``deviations``: the same over the standard deviation of one seed or fold;
        NaN where none of the two runs has several.
    """
    tasks = sorted(set(published.tasks) & set(mine.tasks))
    methods = sorted(set(published.methods) & set(mine.methods))
    if not tasks or not methods:
        raise ResultsError(f"The two tables share {len(tasks)} tasks and {len(methods)} methods: "
                           "both have to name them alike.")
    at = [np.ix_([c.tasks.index(t) for t in tasks], [c.methods.index(m) for m in methods])
          for c in (published, mine)]
    turned = [c.turned[rows[0].ravel()] for c, rows in zip((published, mine), at, strict=True)]
    if (turned[0] != turned[1]).any():
        raise ResultsError(f"On {tasks[int(np.argmax(turned[0] != turned[1]))]} lower is better in "
                           "one of the two tables, higher in the other. Say LOWER=yes or LOWER=no.")
    before, now = published.value[at[0]], mine.value[at[1]]
    spread = np.array([published.deviation[at[0]], mine.deviation[at[1]]])
    count = np.maximum((~np.isnan(spread)).sum(axis=0), 1)
    spread = np.sqrt(np.nansum(spread**2, axis=0) / count)
    endless = any(measure_of(m).unit == "endless" or measure_of(m).name == "loss"
                  for m in published.metrics)
    shares = (np.nanmax(np.abs(np.stack([before, now])), axis=(0, 2)) <= 1) & ~(turned[0] & endless)
    scale = 100 / np.where(shares[:, None], 1, np.maximum(np.abs(before), 1e-12))
    sign = np.where(turned[0], -1, 1)[:, None]
    families = np.array(published.families, object)[published.family_of[at[0][0].ravel()]]
    table = pd.DataFrame({
        "method": np.tile(methods, len(tasks)), "task": np.repeat(tasks, len(methods)),
        "family": np.repeat(families, len(methods)), "published": (before * sign).ravel(),
        "mine": (now * sign).ravel(), "points": (scale * (now - before)).ravel(),
        "deviations": np.divide(now - before, spread, out=np.full(now.shape, np.nan),
                                where=spread > 0).ravel()})
    table = table[table["points"].notna()]
    return table.sort_values(["method", "task"], ignore_index=True)


def shift(points: Sequence[float] | np.ndarray) -> float:
    """Return the p-value of no shift beyond the tolerance either way, two-sided; 1 of too few."""
    points = np.asarray(points, float)
    if len(points) < LEAST:
        return 1.0
    up, down = (wilcoxon(sign * points - TOLERANCE, zero_method="zsplit",
                                 alternative="greater").pvalue
                for sign in (1, -1))
    return float(min(1.0, 2 * min(up, down)))


def _carriers(own: pd.DataFrame, p: float) -> str:
    """Return the families, largest gaps first, without which a method would not differ."""
    gaps = own.groupby("family")["points"].mean()
    gaps = gaps.sort_values(ascending=gaps.median() < 0)
    if p > ALPHA:
        return ""
    out = next(n for n in range(1, len(gaps) + 1) if shift(gaps.to_numpy()[n:]) > ALPHA)
    return "; ".join(gaps.index[:out])


def in_words(methods: pd.DataFrame) -> list[str]:
    """Return a sentence a method: within what reruns differ by, or not, and who carries it."""
    said = []
    for row in methods.itertuples():
        gap = f"{row.method}: {abs(row.gap):.2g} points {'better' if row.gap > 0 else 'worse'} " \
              f"in the median of {row.families} families"
        said.append(f"{gap}, more than reruns differ by (adjusted p = {row.p_adjusted:.2g}); "
                    f"carried by {row.carried_by}." if row.differs else
                    f"{gap}: within what reruns differ by." if row.families >= LEAST else
                    f"{gap}: too few families to tell.")
    return said
