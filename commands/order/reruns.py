"""Is a rerun as reruns are? Two tables of the same methods and tasks, held together.

Reruns of one method differ by more than their seeds say, as tuning, versions and machines differ:
on few tasks by far (``data/results/reruns.csv``: reruns of one group, in five studies), and on all
tasks together by a shift that no number of tasks removes. So there are two verdicts on each method.

A common shift: the trimmed mean of its differences over families, held against their spread and
the shifts of stored reruns together (Student's t, degrees of freedom by Satterthwaite).
Tasks further off than reruns are: the share of stored reruns that is as far off on a task, beyond
the tenth of them that is farthest by a tail that falls as theirs does (Hill 1975, Annals of
Statistics 3). A method's tasks are judged together, by Simes's test (1986, Biometrika 73) and by
how many are in that tenth (as clustered as in stored reruns), and named by Holm's over all. The
verdicts on all methods are taken together, by Holm's.
"""

from collections.abc import Sequence
from itertools import permutations

import numpy as np
import pandas as pd
from scipy.stats import betabinom, binom, t, trim_mean

from analysis.leaderboards.cells import Cells, ResultsError
from analysis.statistics.bootstrap import holm
from collection.project.paths import DATA, shipped
from collection.reading.names import MEASURES, Measure, measure_of

ALPHA = 0.05
LEAST = 6  # families, below which no shift can be significant
TRIMMED, FARTHEST = 0.2, 0.1  # of differences at either end; of stored ones, by which a tail falls
BOUNDED = {row["name"] for row in MEASURES.values() if row["unit"] in ("share", "error")}
STORED = DATA / "results" / "reruns.csv"
FAR = 2  # times nearer, for values without a name to be what the published ones lack to 1
CLUSTERED = 0.05  # at least, of tasks that are far off together
NAMED = 3  # tasks in a sentence
RUN = ["one", "other", "method"]  # of a stored rerun


def floor(stored: pd.DataFrame) -> tuple[float, int]:
    """Return the standard deviation of common shifts of whole stored reruns, and their number."""
    runs = [run["points"].to_numpy() for _, run in stored.groupby(RUN)]
    means = np.array([trim_mean(run, TRIMMED) for run in runs if len(run) >= LEAST - 1])
    return float(np.sqrt(np.mean(means**2))), len(means)


def clustering(stored: pd.DataFrame) -> float:
    """Return by how much tasks of one stored rerun are far off together: a correlation."""
    far = pd.Series(as_far(stored, stored) <= FARTHEST)
    runs = far.groupby([stored[key] for key in RUN]).agg(["mean", "size"])
    own = (1 / runs["size"]).mean()
    among = runs["mean"].var() / (FARTHEST * (1 - FARTHEST))
    return float(np.clip((among - own) / (1 - own), CLUSTERED, 0.9))


def compare_runs(published: Cells, mine: Cells) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Say of each method whether a rerun differs from the published run, and on which tasks.

    Parameters
    ----------
    published, mine : Cells
        Methods and tasks with the same names are compared.

    Returns
    -------
    methods : pandas.DataFrame
        ``method, tasks, families, lacking`` (published results that the rerun has not), ``gap``
        (median over families, above 0 where the rerun is better), ``p_shift, p_far`` (adjusted
        together), ``shifted, far`` (the verdicts), ``far_on`` (tasks, farthest first), ``differs``
        (either), ``nearer_to``: another method whose published results these are nearer to.
    tasks : pandas.DataFrame
        As `differences`, with ``as_far``: the share of stored reruns that differ by at least as
        much on a task, in points and, where these are known, in deviations.

    Raises
    ------
    ResultsError
        Where no method is in both on a task of both, or directions contradict each other.
    """
    tasks = differences(published, mine)
    stored = pd.read_csv(shipped(STORED))
    tasks["as_far"] = as_far(tasks, stored)
    methods = verdicts(tasks, stored)
    methods["lacking"] = [int((~np.isnan(published.value[:, published.methods.index(row.method)])
                               ).sum()) - row.tasks for row in methods.itertuples()]
    beyond = tasks[holm(tasks["as_far"].to_numpy()) <= ALPHA].sort_values("as_far", kind="stable")
    methods["far_on"] = ["; ".join(beyond.loc[beyond["method"] == m, "task"])
                         for m in methods["method"]]
    return methods.assign(nearer_to=methods["method"].map(_nearer(tasks)).fillna("")), tasks


def verdicts(tasks: pd.DataFrame, stored: pd.DataFrame) -> pd.DataFrame:
    """Return the verdicts on each method of a rerun.

    Parameters
    ----------
    tasks : pandas.DataFrame
        ``method, family, points, as_far``, a row per task.
    stored : pandas.DataFrame

    Returns
    -------
    pandas.DataFrame
        ``method, tasks, families, gap, p_shift, p_far, shifted, far, differs`` of `compare_runs`.
    """
    rows, usual, together = [], floor(stored), clustering(stored)
    for method, own in tasks.groupby("method", sort=False):
        gaps = own.groupby("family")["points"].mean()
        rows.append((method, len(own), len(gaps), gaps.median(),
                     shift(gaps.to_numpy(), usual),
                     far_off(own["as_far"].to_numpy(), together)))
    methods = pd.DataFrame(rows, columns=["method", "tasks", "families", "gap", "p_shift", "p_far"])
    both = ["p_shift", "p_far"]
    methods[both] = holm(methods[both].to_numpy().ravel()).reshape(-1, 2)
    methods["shifted"], methods["far"] = (methods[both] <= ALPHA).to_numpy().T
    return methods.assign(differs=methods["shifted"] | methods["far"])


def as_far(tasks: pd.DataFrame, stored: pd.DataFrame) -> np.ndarray:
    """Return the share of stored reruns that are as far off, by task; of two ways the larger."""
    found = np.zeros(len(tasks))
    for unit, rows in tasks.groupby("unit"):
        of, own = stored[stored["unit"] == unit], tasks.index.get_indexer(rows.index)
        for size in ("points", "deviations"):
            known = rows[size].notna().to_numpy()
            found[own[known]] = np.maximum(found[own[known]], _tail(
                of[size].abs().to_numpy(), rows.loc[known, size].abs().to_numpy()))
    return found


def _tail(stored: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the share of a heavy-tailed variable that is as large."""
    largest = np.sort(stored[~np.isnan(stored)])[::-1]
    n = len(largest)
    k = max(int(FARTHEST * n), 1)
    power = 1 / np.log(largest[:k] / largest[k]).mean()
    counted = (np.searchsorted(-largest, -sizes, "right") + 1) / (n + 1)
    beyond = (k + 1) / (n + 1) * (np.maximum(sizes, largest[k]) / largest[k])**-power
    return np.where(sizes > largest[k], np.maximum(beyond, 1e-300), counted)


def far_off(shares: np.ndarray, together: float) -> float:
    """Return the p-value of no task further off than reruns are: of the farthest, or of many.

    Parameters
    ----------
    shares : ndarray
        As `as_far` returns them, of one method.
    together : float
        As `clustering` returns.
    """
    n, beta = len(shares), 1 / together - 1
    simes = (n / np.arange(1, n + 1) * np.sort(shares)).min()
    many = betabinom.sf((shares <= FARTHEST).sum() - 1, n, FARTHEST * beta, (1 - FARTHEST) * beta)
    return float(min(1.0, 2 * min(simes, many)))


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
    if not made[0]:
        _refuse_complement(mine.assign(value=value), published)
    higher = mine["higher_is_better"]
    if all(made) and made[0][1:] != made[1][1:]:
        whole = _unit(published["value"]) if made[0][0] in BOUNDED else 1
        value = (whole if made[0][1] != made[1][1] else 0) - value
        higher = ~higher.astype(bool)
    return mine.assign(value=value, higher_is_better=higher)


def _refuse_complement(mine: pd.DataFrame, published: pd.DataFrame) -> None:
    """Refuse values whose measure has no name, and that are nearer to 1 less the published ones."""
    own, other = (table.groupby(["task", "method"])["value"].mean() for table in (mine, published))
    own, other = own.align(other, join="inner")
    whole = _unit(published["value"])
    if (own.between(0, whole).all() and other.between(0, whole).all()
            and FAR * (whole - own - other).abs().median() < (own - other).abs().median()):
        raise ResultsError(f"The rerun does not say what its values measure, and they are nearer "
                           f"to {whole:g} less the published ones than to these: name the column "
                           "by its measure, such as `error` or `accuracy`.")


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
        smaller of the two where values leave [0, 1] or a loss has no upper end (``unit``: share or
        percent); above 0 where the rerun is better. ``deviations``: the same over the standard
        deviation of one seed or fold; NaN where none of the two runs has several.
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
    smaller = np.minimum(np.abs(before), np.abs(now))
    scale = 100 / np.where(shares[:, None], 1, np.maximum(smaller, 1e-12))
    sign = np.where(turned[0], -1, 1)[:, None]
    families = np.array(published.families, object)[published.family_of[at[0][0].ravel()]]
    table = pd.DataFrame({
        "method": np.tile(methods, len(tasks)), "task": np.repeat(tasks, len(methods)),
        "family": np.repeat(families, len(methods)), "published": (before * sign).ravel(),
        "mine": (now * sign).ravel(), "points": (scale * (now - before)).ravel(),
        "unit": np.repeat(np.where(shares, "share", "percent"), len(methods)),
        "deviations": np.divide(now - before, spread, out=np.full(now.shape, np.nan),
                                where=spread > 0).ravel()})
    table = table[table["points"].notna()]
    return table.sort_values(["method", "task"], ignore_index=True)


def shift(points: Sequence[float] | np.ndarray, usual: tuple[float, int]) -> float:
    """Return the p-value of no common shift beyond those of reruns; 1 of too few families.

    Parameters
    ----------
    points : sequence of float
        Differences, by family.
    usual : tuple of float and int
        As `floor` returns.
    """
    points = np.sort(np.asarray(points, float))
    n = len(points)
    if n < LEAST:
        return 1.0
    cut = int(TRIMMED * n)
    left = n - 2 * cut
    error = np.clip(points, points[cut], points[n - cut - 1]).var(ddof=1) * (n - 1) / (
        left * (left - 1))
    spread = usual[0]**2 + error
    freedom = spread**2 / (usual[0]**4 / usual[1] + error**2 / (left - 1))
    return float(2 * t.sf(abs(trim_mean(points, TRIMMED)) / np.sqrt(spread), freedom))


def _nearer(tasks: pd.DataFrame) -> dict[str, str]:
    """Return the methods whose rerun is nearer to another's published results, and to whose.

    On more tasks than chance would have it (a sign test), by Holm over pairs.
    """
    wide = tasks.pivot(index="task", columns="method")
    found = []
    for one, other in permutations(wide["mine"].columns, 2):
        off = [(wide["mine"][one] - wide["published"][m]).abs() for m in (other, one)]
        nearer, farther = int((off[0] < off[1]).sum()), int((off[0] > off[1]).sum())
        found.append((one, other, binom.sf(nearer - 1, nearer + farther, 0.5)))
    table = pd.DataFrame(found, columns=["one", "other", "p"]).sort_values("p", kind="stable")
    table = table[holm(table["p"].to_numpy()) <= ALPHA].drop_duplicates("one")
    return dict(zip(table["one"], table["other"], strict=True))


def in_words(methods: pd.DataFrame) -> list[str]:
    """Return a sentence or more on each method: shifted or not, tasks further off, what lacks."""
    said = []
    for row in methods.itertuples():
        words = f"{row.method}: "
        if round(row.gap, 9) == 0:
            words += f"no difference in the median of {row.families} families"
        else:
            words += (f"{abs(row.gap):.2g} points {'better' if row.gap > 0 else 'worse'} in the "
                      f"median of {row.families} families")
        words += (f", a common shift, more than reruns have (adjusted p = {row.p_shift:.2g})"
                  if row.shifted else
                  "; no common shift found" if row.families >= LEAST else
                  "; too few families to tell a common shift")
        named = row.far_on.split("; ") if row.far_on else []
        if row.far:
            of = (f" ({', '.join(named[:NAMED])}{' and others' if len(named) > NAMED else ''})"
                  if named else "")
            words += (f"; tasks further off than reruns are{of} (adjusted p = "
                      f"{row.p_far:.2g})")
        else:
            words += "; no task found further off than reruns are"
        if row.nearer_to:
            words += f"; nearer to the published results of {row.nearer_to} than to its own"
        if row.lacking:
            words += (f"; {row.lacking} of {row.lacking + row.tasks} published results are not in "
                      "the rerun, and nothing is said of them")
        said.append(f"{words}.")
    return said
