"""What gathering all of LCDB 1.1 costs, on paper: from the times of `mini`, by learner.

The seconds of a fit (to fit, and to predict the three splits) are taken to be a power of the rows,
the features and the classes, a law for every learner by least squares on the logarithms, no power
falling and none steeper than `STEEPEST`. Much of LCDB 1.1 lies beyond what `mini` has. There the
seconds grow with the rows and with the features at least in proportion, since every one is read:
small fits cost much the same whatever their size, and what they say of growth is too little. The
table says how much of the hours lies there, how far the law is off on datasets of `mini` that it
was not fitted to, and on `large_classes`, whose tables have up to fifty times the rows.
"""

import numpy as np
import pandas as pd
import xarray as xr
from scipy.optimize import lsq_linear

from analysis.databases.load import load_curves
from analysis.databases.naming import learner_title
from analysis.published.computed import DATE, recall
from chapters.facts import Facts
from collection.anchors import anchor_grid
from collection.container import LEAKAGES, SCALINGS, SEEDS
from collection.learners.names import LEARNERS
from collection.paths import DATA

LEAST = 64  # rows: below, a fit costs next to nothing and no power law holds
FEWEST = 5  # datasets that a learner was timed on, for a law
STEEPEST = np.array([np.inf, 3.0, 3.0, 2.0])  # exponents of: 1, rows, features, classes
CORES = 1000  # of a cluster
LIMIT = 3.5  # hours: a fit that would take longer is stopped, larger ones are not tried
CURVES = len(SCALINGS) * len(LEAKAGES) * len(SEEDS) ** 2  # of a learner on a dataset
DRAWS, SEED = 100, 0
SIZE = ["rows", "features", "classes"]


def measured_times(curves: xr.Dataset) -> pd.DataFrame:
    """Return the mean seconds of a fit: columns dataset, learner, rows, features, classes, seconds.

    Parameters
    ----------
    curves : xarray.Dataset
        The container, with coordinates ``features`` and ``classes`` along ``dataset``; of its
        learners those of the paper's Table 3 count, of its anchors those from `LEAST` rows on.
    """
    known = [name for name in curves["learner"].values if name in LEARNERS]
    large = curves[["train_time", "predict_time"]].sel(learner=known, anchor=slice(LEAST, None))
    repeats = ["scaling", "leakage", "outer", "inner"]
    seconds = (large["train_time"] + large["predict_time"].sum("split")).mean(repeats)
    table = seconds.rename("seconds").to_series().dropna().reset_index()
    described = curves[["features", "classes"]].reset_coords()[["features", "classes"]]
    table = table.rename(columns={"anchor": "rows"}).merge(
        described.to_dataframe().reset_index()[["dataset", "features", "classes"]])
    return table[table["seconds"] > 0]


def planned_fits() -> pd.DataFrame:
    """Return the datasets and anchors of LCDB 1.1: columns dataset, rows, features, classes."""
    datasets = pd.read_csv(DATA / "lcdb11_datasets.csv")
    datasets["rows"] = [anchor_grid(largest) for largest in datasets["max_anchor"]]
    fits = datasets.explode("rows").astype({"rows": float})
    return fits.rename(columns={"openml_id": "dataset"})[["dataset", *SIZE]].reset_index(drop=True)


def fit_law(times: pd.DataFrame) -> np.ndarray:
    """Return the coefficients of 1, log rows, log features, log classes of log seconds."""
    least = np.array([-np.inf, 0.0, 0.0, 0.0])
    return lsq_linear(_design(times), np.log(times["seconds"].to_numpy()),
                      bounds=(least, STEEPEST)).x


def law_seconds(law: np.ndarray, sizes: pd.DataFrame, timed: pd.Series) -> np.ndarray:
    """Return the seconds of fits.

    Parameters
    ----------
    law : ndarray, shape (4,)
        See `fit_law`.
    sizes : pandas.DataFrame
        Columns `SIZE`. Fewer rows than `LEAST` cost what that many do.
    timed : pandas.Series
        The largest ``rows`` and ``features`` that were timed; beyond them the seconds grow at
        least in proportion.
    """
    within = sizes.assign(rows=sizes["rows"].clip(lower=LEAST, upper=timed["rows"]),
                          features=sizes["features"].clip(upper=timed["features"]))
    more = [np.maximum(sizes[name] / timed[name], 1.0) ** max(power, 1.0)
            for name, power in (("rows", law[1]), ("features", law[2]))]
    return (np.exp(_design(within) @ law) * more[0] * more[1]).to_numpy()


def core_hours(law: np.ndarray, fits: pd.DataFrame, timed: pd.Series) -> np.ndarray:
    """Return the hours of a core that each of `planned_fits` takes in all curves of a learner.

    The fits are by dataset, each by ascending rows.
    """
    hours = law_seconds(law, fits, timed) / 3600
    over = hours > LIMIT
    before = np.cumsum(over) - over  # of all fits that stand above
    _, starts, dataset = np.unique(fits["dataset"], return_index=True, return_inverse=True)
    return CURVES * np.where(before > before[starts][dataset], 0.0, np.minimum(hours, LIMIT))


def cost_table(curves: xr.Dataset, larger: xr.Dataset) -> pd.DataFrame:
    """Return what all of LCDB 1.1 would cost, a row per learner and one for all of these.

    The laws are those of `curves`; they are held against the times of `larger`.

    A learner that was timed on fewer than `FEWEST` datasets is left out.

    Columns ``learner``, ``exponent`` (of the rows), ``hours`` (of one core), ``low`` and ``high``
    (95 %, from `DRAWS` draws of the datasets that were timed; of all, their sums, as if every
    learner's law erred the same way), ``beyond`` (the share of the hours at more rows or features
    than were timed), ``off`` (the factor by which the hours of a timed
    dataset are missed, typically, by the law of the others), ``far`` (by what factor the law says
    more than the fits of `larger` took, the geometric mean over its datasets; NaN for learners that
    it lacks) and ``n`` (datasets timed).
    """
    times, fits, far = measured_times(curves), planned_fits(), measured_times(larger)
    rng = np.random.default_rng(SEED)
    timed = times[["rows", "features"]].max()
    parts = {learner: dict(list(own.groupby("dataset"))) for learner, own in
             times.groupby("learner")}
    rows = [_row(learner, own, timed, fits, rng) for learner, own in parts.items()
            if len(own) >= FEWEST]
    for row in rows:
        law = fit_law(pd.concat(parts[row["learner"]].values()))
        row["far"] = _over(law, far[far["learner"] == row["learner"]], timed)
    table = pd.DataFrame(rows).sort_values("hours", ascending=False, ignore_index=True)
    sums = table[["hours", "low", "high"]].sum()
    everything = {"learner": "all", **sums, "n": times["dataset"].nunique(),
                  "beyond": np.average(table["beyond"], weights=table["hours"])}
    return pd.concat([table, pd.DataFrame([everything])], ignore_index=True)


def _row(learner: str, parts: dict[str, pd.DataFrame], timed: pd.Series, fits: pd.DataFrame,
         rng: np.random.Generator) -> dict[str, object]:
    law = fit_law(pd.concat(parts.values()))
    hours = core_hours(law, fits, timed)
    beyond = (fits[["rows", "features"]] > timed).any(axis=1)
    draws = (fit_law(pd.concat([parts[name] for name in rng.choice(list(parts), len(parts))]))
             for _ in range(DRAWS))
    sums = [core_hours(drawn, fits, timed).sum() for drawn in draws]
    low, high = np.quantile(sums, [0.025, 0.975])
    return {"learner": learner, "exponent": law[1], "hours": hours.sum(), "low": low, "high": high,
            "beyond": hours[beyond].sum() / hours.sum(), "off": _missed_by(parts, timed),
            "n": len(parts)}


def _missed_by(parts: dict[str, pd.DataFrame], timed: pd.Series) -> float:
    """Return the median factor between a dataset's seconds and those by the law of the others."""
    off = []
    for name, own in parts.items():
        law = fit_law(pd.concat([part for other, part in parts.items() if other != name]))
        off.append(abs(np.log(law_seconds(law, own, timed).sum() / own["seconds"].sum())))
    return float(np.exp(np.median(off)))


def _over(law: np.ndarray, times: pd.DataFrame, timed: pd.Series) -> float:
    """Return by what factor a law says more than was measured: geometric mean over datasets."""
    said = times.assign(said=law_seconds(law, times, timed)).groupby("dataset")
    return float(np.exp(np.log(said["said"].sum() / said["seconds"].sum()).mean()))


def _design(sizes: pd.DataFrame) -> np.ndarray:
    return np.column_stack([np.ones(len(sizes)), *(np.log(sizes[SIZE].to_numpy(float)).T)])


def kept_costs() -> pd.DataFrame:
    """Return the table that was kept."""
    return recall("gathering_cost").drop(columns=DATE)


def shown_costs(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table as the chapter shows it: in words, thousands of hours, percent."""
    hours = {name: table[name] / 1000 for name in ("hours", "low", "high")}
    names = [learner_title(name) if name in LEARNERS else "all of these"
             for name in table["learner"]]
    shown = table.assign(**hours, learner=names, beyond=100 * table["beyond"], far=1 / table["far"])
    return shown.rename(columns={
        "exponent": "power of rows", "hours": "core hours (1,000)", "low": "from", "high": "to",
        "beyond": "beyond what was timed (%)", "off": "missed by (factor)",
        "far": "larger tables took (factor)", "n": "datasets"})


def cost_facts(rows: Facts) -> None:
    """Add what the chapter says of the costs."""
    table = kept_costs().set_index("learner")
    every, named, fits = table.loc["all"], table.drop("all"), planned_fits()
    rows.add("cost_hours", *every[["hours", "low", "high"]] / 1000, unit="thousand core hours",
             n=int(every["n"]), note="datasets timed")
    rows.add("cost_days", every["hours"] / CORES / 24, digits=1, note=f"days of {CORES} cores")
    rows.add("cost_cores", CORES)
    rows.add("cost_learners", len(named))
    rows.add("cost_beyond", 100 * every["beyond"], unit="%")
    rows.add("cost_off", named["off"].median(), digits=1)
    took = 1 / named["far"].dropna()
    rows.update({"cost_far_least": took.min(), "cost_far": took.median()}, digits=1, n=len(took))
    rows.update({"cost_far_most": took.max(), "cost_far_n": len(took)})
    rows.add("cost_far_worst", learner_title(took.idxmax()))
    rows.add("cost_first", learner_title(named.index[0]))
    rows.add("cost_first_share", 100 * named["hours"].iloc[0] / every["hours"], unit="%")
    left = [learner_title(name) for name in LEARNERS if name not in named.index]
    rows.add("cost_left_out", ", ".join(left))
    rows.add("cost_fits", len(fits) * CURVES * len(named) / 1e6, note="million fits")


KEPT = {"gathering_cost": lambda: cost_table(load_curves("mini"), load_curves("large_classes"))}
