"""Is an ensemble better than its best member? Learning curves of both, from kept predictions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.load import load_curves
from analysis.drawing.chart import Chart
from analysis.ensemble_curves.registry import ENSEMBLE_CURVES
from analysis.ensemble_curves.shipped import open_few_rows
from analysis.selection.crossing import crossings
from analysis.shapes import detect_shapes
from analysis.statistics.bootstrap import exact_ends, ratio_of_sums_interval
from analysis.statistics.families import count_families
from analysis.statistics.sign_flips import adjusted_p, holm
from analysis.statistics.summary import Summary
from chapters.chapter import Chapter
from chapters.facts import Facts
from collection.containers.curves import Status, only_dims

# --- What a database of ensembles holds; mean test curves of members and ensembles side by side.

HINDSIGHT = "Best member, chosen after seeing"
FACTS = ("rows", "features", "classes", "train_size", "valid_size", "test_size")


def judged_errors(curves: xr.Dataset) -> xr.DataArray:
    """Return the test error rates of a database of ensembles.

    Parameters
    ----------
    curves : xarray.Dataset
        As `analysis.load_curves` opens it, of one scaling and leakage.

    Returns
    -------
    xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        NaN where there is no such fit.

    Raises
    ------
    ValueError
        Where there are several scalings or leakages: choose one.
    """
    if curves.sizes["scaling"] * curves.sizes["leakage"] > 1:
        raise ValueError("Ensembles are compared under one scaling and leakage; choose them with "
                         ".sel(scaling=['…'], leakage=['…']).")
    errors = curves["error_rate"].sel(split="test").isel(scaling=0, leakage=0)
    return only_dims(errors).transpose("dataset", "learner", "outer", "inner", "anchor").load()


def member_names(learners: Sequence[str]) -> list[str]:
    """Return the learners that are no ensembles, in their order."""
    return [name for name in map(str, learners) if name not in ENSEMBLE_CURVES]


def ensemble_names(learners: Sequence[str]) -> list[str]:
    """Return the learners that are ensembles, in the registry's order."""
    return [name for name in ENSEMBLE_CURVES if name in set(map(str, learners))]


def common_means(errors: xr.DataArray) -> xr.DataArray:
    """Return mean curves at the anchors that every dataset has, and that of the best member.

    Parameters
    ----------
    errors : xarray.DataArray
        From `judged_errors`.

    Returns
    -------
    xarray.DataArray, dims (dataset, learner, anchor)
        Means over the repeats. One learner more, `HINDSIGHT`: at each anchor of a dataset, the
        member whose mean test error is lowest, which nobody can know beforehand. A member without
        a value in some repeat cannot be it.
    """
    mean = errors.mean(["outer", "inner"])
    own = mean.sel(learner=ensemble_names(errors["learner"].values))
    mean = mean.sel(anchor=own.notnull().any("learner").all("dataset"))
    members = errors.sel(learner=member_names(errors["learner"].values), anchor=mean["anchor"])
    lowest = members.mean(["outer", "inner"], skipna=False).min("learner")
    return xr.concat([mean, lowest.expand_dims(learner=np.array([HINDSIGHT], object))], "learner")


def datasets_table(curves: xr.Dataset) -> pd.DataFrame:
    """Return a row per dataset: ``dataset`` (name), its sizes, ``anchors`` (how many)."""
    tried = curves["status"] != Status.not_run
    anchors = tried.any([d for d in tried.dims if d not in ("dataset", "anchor")]).sum("anchor")
    return pd.DataFrame({"dataset": curves["name"].values,
                         **{fact: curves[fact].values for fact in FACTS},
                         "anchors": anchors.values})


# --- How far ensembles are from the best single learner, and what they cost.
# By training rows and over whole curves; in seconds of training, and in validation rows.

EVERY = 4  # anchors: those tested, at half octaves


def advantages(
    errors: xr.DataArray, ensembles: Sequence[str], baselines: Sequence[str]
) -> pd.DataFrame:
    """Return the difference in test error of ensembles to baselines, at half octaves.

    Parameters
    ----------
    errors : xarray.DataArray
        From `judged_errors`.
    ensembles, baselines : sequence of str
        Learners of `common_means`.

    Returns
    -------
    pandas.DataFrame
        Columns ensemble, baseline, anchor (rows), difference, low, high (mean over datasets and its
        95 % interval from resampling them, percentage points; below 0 the ensemble is better),
        p (sign flips of datasets, adjusted for all rows of the table), better (datasets on which
        it is), datasets.
    """
    mean = common_means(errors).isel(anchor=slice(None, None, EVERY))
    return _compare(mean, ensembles, baselines)


def overall_advantages(
    errors: xr.DataArray, ensembles: Sequence[str], baselines: Sequence[str]
) -> pd.DataFrame:
    """Return the same of whole curves: the mean over the half octaves that all datasets have.

    Returns
    -------
    pandas.DataFrame
        As `advantages`, ``anchor`` being 0.
    """
    mean = common_means(errors).isel(anchor=slice(None, None, EVERY)).mean("anchor")
    return _compare(mean.expand_dims(anchor=[0]), ensembles, baselines)


def final_advantages(
    errors: xr.DataArray, ensembles: Sequence[str], baselines: Sequence[str]
) -> pd.DataFrame:
    """Return the same at the largest anchor of each dataset.

    Returns
    -------
    pandas.DataFrame
        As `advantages`, ``anchor`` being 0.
    """
    last = [common_means(errors.isel(dataset=[k])).isel(anchor=-1, drop=True)
            for k in range(errors.sizes["dataset"])]
    return _compare(xr.concat(last, "dataset").expand_dims(anchor=[0]), ensembles, baselines)


def _compare(mean: xr.DataArray, ensembles: Sequence[str], baselines: Sequence[str]
             ) -> pd.DataFrame:
    """Compare at the anchors of mean curves, dims (dataset, learner, anchor)."""
    pairs = [(e, b) for b in baselines for e in ensembles if e != b]
    parts = [100 * (mean.sel(learner=e) - mean.sel(learner=b)).transpose("dataset", "anchor").values
             for e, b in pairs]
    differences = np.concatenate(parts, axis=1)
    low, high = ratio_of_sums_interval(differences, np.ones(len(differences)),
                                       mean["dataset"].values)
    places = pd.MultiIndex.from_tuples(
        [(*pair, int(anchor)) for pair in pairs for anchor in mean["anchor"].values],
        names=["ensemble", "baseline", "anchor"])
    return pd.DataFrame({
        "difference": differences.mean(axis=0), "low": low, "high": high,
        "p": adjusted_p(differences), "better": (differences < 0).sum(axis=0),
        "datasets": len(differences)}, places).reset_index()


ALL = "all"  # validation rows
LEAST = 5  # datasets


def training_costs(curves: xr.Dataset, learners: Sequence[str]) -> pd.DataFrame:
    """Return what it took to train at the largest anchor that every dataset has.

    Parameters
    ----------
    curves : xarray.Dataset
        A database of ensembles.
    learners : sequence of str
        Ensembles.

    Returns
    -------
    pandas.DataFrame
        Columns learner, seconds (all that could be chosen, median over the datasets), times (as
        much as the median member there: geometric mean over datasets, low and high its 95 %
        interval), error (mean test error rate, percent), anchor, datasets. Seconds are of the
        machine they were gathered on; ratios travel better.
    """
    mean = common_means(judged_errors(curves))
    anchor = int(mean["anchor"].values[-1])
    seconds = curves["train_time"].isel(scaling=0, leakage=0).sel(anchor=anchor).mean(
        ["outer", "inner"]).load()
    typical = seconds.sel(learner=member_names(curves["learner"].values)).median("learner")
    rows = []
    for name in learners:
        own = seconds.sel(learner=name)
        logs = np.log((own / typical).values)
        low, high = np.exp(ratio_of_sums_interval(logs, np.ones(len(logs)), own["dataset"].values))
        rows.append({"learner": name, "seconds": float(own.median()),
                     "times": float(np.exp(logs.mean())), "low": float(low), "high": float(high),
                     "error": 100 * float(mean.sel(learner=name, anchor=anchor).mean()),
                     "anchor": anchor, "datasets": len(logs)})
    return pd.DataFrame(rows)


def cost_of_few(table: pd.DataFrame, rows: list[str]) -> pd.DataFrame:
    """Return by how much the test error is higher than when chosen on all validation rows.

    Parameters
    ----------
    table : pandas.DataFrame
        From `analysis.ensemble_curves.shipped.open_few_rows`.
    rows : list of str
        Numbers of validation rows, or their names, that are compared with all.

    Returns
    -------
    pandas.DataFrame
        Columns way, rows, anchor, cost, low, high (percentage points: mean over the datasets that
        have both, 95 % interval from resampling them), p (sign flips of datasets, adjusted for all
        anchors of a way and number of rows; NaN with two datasets or fewer), datasets. Anchors with
        fewer than five datasets are left out.
    """
    wide = table.pivot_table(index=["way", "anchor", "dataset"], columns="rows",
                             values="error_rate")
    found = []
    for way in wide.index.get_level_values("way").unique():
        for asked in rows:
            cost = 100 * (wide.loc[way][asked] - wide.loc[way][ALL]).dropna()
            found.append(_by_anchor(cost.unstack("anchor")).assign(way=way, rows=asked))
    return pd.concat(found, ignore_index=True)[
        ["way", "rows", "anchor", "cost", "low", "high", "p", "datasets"]]


def _by_anchor(cost: pd.DataFrame) -> pd.DataFrame:
    """Summarise costs, a row per dataset and a column per anchor, NaN where there is none."""
    cost = cost.loc[:, cost.notna().sum() >= LEAST]
    there = cost.notna().to_numpy()
    low, high = ratio_of_sums_interval(cost.fillna(0).to_numpy(), there, cost.index)
    complete = cost.columns[there.all(axis=0)]
    p = pd.Series(np.nan, cost.columns)
    if len(complete):
        p[complete] = adjusted_p(cost[complete].to_numpy())
    return pd.DataFrame({"anchor": cost.columns.astype(int), "cost": cost.mean().to_numpy(),
                         "low": low, "high": high, "p": p.to_numpy(),
                         "datasets": there.sum(axis=0).astype(int)})


# --- Does ensembling cure ill-behaviour: verdicts and crossings of members and their ensembles.

MEMBERS = "Members"
DRAWS = 9_999  # of exchanges
VERDICTS = ("non_monotone", "peaking", "dipping")


def surviving_verdicts(errors: xr.DataArray, procedures: tuple[str, ...]) -> pd.DataFrame:
    """Return how many curves have each shape, of the members and of every ensemble.

    Parameters
    ----------
    errors : xarray.DataArray
        From `judged_errors`.
    procedures : tuple of str
        Names in `analysis.shapes.PROCEDURES`.

    Returns
    -------
    pandas.DataFrame
        Columns: procedure, verdict, ensemble (or "Members"), curves, called, datasets; percent,
        low, high (95 % interval from resampling datasets); difference, difference_low,
        difference_high (to the members, percentage points); p (that the ensemble is like a member
        drawn from each dataset: `exchange_p`, Holm over a procedure's verdicts and ensembles).
    """
    tables = []
    for procedure in procedures:
        shapes = detect_shapes(errors, procedure=procedure)
        there = ~shapes["missing"]
        called = xr.concat([shapes[v].astype(float).where(there) for v in VERDICTS],
                           pd.Index(VERDICTS, name="verdict"))
        tables.append(_compare_shares(called, 100).assign(procedure=procedure))
    table = pd.concat(tables, ignore_index=True)
    ends = exact_ends(table["percent"], table["low"], table["high"],
                      count_families(errors["dataset"].values))
    return table.assign(low=ends[0], high=ends[1])


def crossing_shares(errors: xr.DataArray) -> pd.DataFrame:
    """Return how often a member's curve crosses another member's, and how often an ensemble's.

    Returns
    -------
    pandas.DataFrame
        As `surviving_verdicts`, without procedure and verdict: ``curves`` are pairs. A pair has
        crossed where the one that is better at the first common anchor is worse at the last.
    """
    cases = crossings(errors)
    crossed = cases["crosses"] | cases["crosses"].rename(
        learner_a="learner_b", learner_b="learner_a").transpose(*cases["crosses"].dims)
    other = cases["learner_a"] != cases["learner_b"]
    crossed = crossed.astype(float).where(cases["defined"] & other)
    of_members = crossed.sel(learner_a=member_names(errors["learner"].values))
    table = _compare_shares(
        of_members.rename(learner_b="learner").expand_dims(verdict=["crossing"]), 100)
    twice = np.where(table["ensemble"] == MEMBERS, 2, 1)  # a pair of members is seen from both ends
    return table.drop(columns="verdict").assign(
        curves=table["curves"] // twice, called=table["called"] // twice)


def _compare_shares(values: xr.DataArray, scale: float) -> pd.DataFrame:
    """Compare ensembles with the members' mean.

    `values` has dims verdict, dataset, learner and perhaps others to be averaged over; NaN where
    there is none.
    """
    names = values["learner"].values
    members = member_names(names)
    groups = {MEMBERS: members} | {name: [name] for name in ensemble_names(names)}
    rest = [d for d in values.dims if d not in ("verdict", "dataset", "learner")]
    rows, datasets = [], values["dataset"].values
    for verdict in values["verdict"].values:
        own = values.sel(verdict=verdict)
        each = scale * own.mean(rest).transpose("dataset", "learner")
        of_members = each.sel(learner=members).values
        for group, learners in groups.items():
            row = _share(own.sel(learner=learners).transpose("dataset", ...).values, scale,
                         datasets)
            if group != MEMBERS:
                row |= _difference(each.sel(learner=group).values, of_members, datasets)
            rows.append({"verdict": verdict, "ensemble": group} | row)
    table = pd.DataFrame(rows)
    compared = table["ensemble"] != MEMBERS
    table.loc[compared, "p"] = holm(table.loc[compared, "p"])
    return table


def _share(values: np.ndarray, scale: float, datasets: np.ndarray) -> dict[str, float]:
    """Summarise values, shape (dataset, ...)."""
    values = values.reshape(len(values), -1)
    total, n = np.nansum(values, axis=1), (~np.isnan(values)).sum(axis=1)
    low, high = ratio_of_sums_interval(total, n, datasets)
    return {"datasets": len(values), "curves": int(n.sum()), "called": total.sum(),
            "percent": scale * total.sum() / n.sum(), "low": scale * float(low),
            "high": scale * float(high)}


def _difference(own: np.ndarray, of_members: np.ndarray, datasets: np.ndarray) -> dict[str, float]:
    """Compare an ensemble, shape (dataset,), with the members, shape (dataset, member)."""
    differences = own - np.nanmean(of_members, axis=1)
    low, high = ratio_of_sums_interval(differences, np.ones(len(own)), datasets)
    return {"difference": differences.mean(), "difference_low": float(low),
            "difference_high": float(high), "p": exchange_p(of_members, own)}


def exchange_p(others: np.ndarray, own: np.ndarray, seed: int = 0) -> float:
    """Return the p-value of the mean of `own`, were it exchangeable with the others.

    Within each dataset, `own` and the others are shuffled: under the null hypothesis any of them
    could have been `own`. This holds for skewed values and for yes or no too, where flipping signs
    does not: none of 9 is expected where others say yes once in ten.

    Parameters
    ----------
    others : ndarray, shape (dataset, other)
        NaN where there is none.
    own : ndarray, shape (dataset,)
    seed : int
        Of the draws.

    Returns
    -------
    float
        Two-sided: twice the smaller share of draws, the observed one among them, whose mean is at
        most or at least that of `own`; at most 1.

    Raises
    ------
    ValueError
        For an `own` that is NaN.
    """
    own = np.asarray(own, float)
    if np.isnan(own).any():
        raise ValueError(f"{np.isnan(own).sum()} of {len(own)} datasets have no value of their "
                         "own: leave them out.")
    pool = np.column_stack([own, np.asarray(others, float)])
    generator, total = np.random.default_rng(seed), np.zeros(DRAWS)
    for row in pool:
        total += generator.choice(row[~np.isnan(row)], DRAWS)
    total, observed = np.append(total, own.sum()), own.sum()
    below, above = (total <= observed + 1e-12).mean(), (total >= observed - 1e-12).mean()
    return float(min(1, 2 * min(below, above)))

USED = {"non_monotone": "max_t", "peaking": "max_t", "dipping": "corrected"}  # procedures
STACK, CARUANA, SINGLE = "Stacking", "Caruana", "Single best"
COMPARED = (CARUANA, "Caruana, log-loss", "Equal weights", STACK)
BASELINES = {SINGLE: "against the single best, chosen",
             HINDSIGHT: "against the truly best member"}
ROWS = {"10": "10 rows", "20": "20 rows", "matched": "as many as for training",
        "ninth": "a ninth of the training rows"}


@dataclass(frozen=True, eq=False)
class Study:
    """The tables of the chapter.

    Attributes
    ----------
    datasets : pandas.DataFrame
    n_members : int
    verdicts, crossings : pandas.DataFrame
        From `surviving_verdicts` and `crossing_shares`.
    advantages, overall, final : pandas.DataFrame
        From the functions of their names, against `BASELINES`.
    few_rows, costs : pandas.DataFrame
        From `cost_of_few` and `training_costs`.
    """

    datasets: pd.DataFrame
    n_members: int
    verdicts: pd.DataFrame
    crossings: pd.DataFrame
    advantages: pd.DataFrame
    overall: pd.DataFrame
    final: pd.DataFrame
    few_rows: pd.DataFrame
    costs: pd.DataFrame


def compute() -> Study:
    """Compute what the chapter says of the shipped curves of ensembles."""
    return study_curves(load_curves("ensemble_curves"))


def study_curves(curves: xr.Dataset) -> Study:
    """Compute what the chapter says of a database of ensembles."""
    errors, names = judged_errors(curves), curves["learner"].values
    against = errors, COMPARED, list(BASELINES)
    return Study(
        datasets_table(curves), len(member_names(names)),
        surviving_verdicts(errors, ("max_t", "corrected")), crossing_shares(errors),
        advantages(*against), overall_advantages(*against), final_advantages(*against),
        cost_of_few(open_few_rows(), list(ROWS)), training_costs(curves, ensemble_names(names)))


def tables(study: Study) -> Mapping[str, pd.DataFrame]:
    """Return the chapter's tables, with the words that figures need."""
    judged = study.verdicts[study.verdicts["procedure"] == study.verdicts["verdict"].map(USED)]
    return {
        "datasets": study.datasets, "verdicts": study.verdicts, "judged": judged,
        "crossings": study.crossings, "overall": study.overall, "final": study.final,
        "costs": study.costs,
        "advantages": study.advantages.assign(
            against=study.advantages["baseline"].map(BASELINES)),
        "few_rows": study.few_rows.assign(chosen_on=study.few_rows["rows"].map(ROWS))}


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows, n = Facts(), len(study.datasets)
    rows.update({"n_datasets": n, "n_members": study.n_members,
                 "n_member_curves": n * study.n_members,
                 "rows_least": study.datasets["rows"].min(),
                 "rows_most": study.datasets["rows"].max(),
                 "valid_least": study.datasets["valid_size"].min(),
                 "valid_most": study.datasets["valid_size"].max()})
    pair = ["ensemble", "baseline"]
    overall, final = study.overall.set_index(pair), study.final.set_index(pair)
    mine = overall.loc[(STACK, SINGLE)]
    rows.add("gain_stack", -mine["difference"], -mine["high"], -mine["low"], digits=2,
             unit="points", n=n, note="single best less stacking, over the whole curve")
    for key, ensemble, baseline, table in (
            ("stack_single", STACK, SINGLE, overall), ("caruana_single", CARUANA, SINGLE, overall),
            ("caruana_best_end", CARUANA, HINDSIGHT, final)):
        row = table.loc[(ensemble, baseline)]
        if key != "stack_single":
            _add(rows, key, row, "difference", digits=2, unit="points")
        if baseline == SINGLE:
            rows.add(f"{key}_p", row["p"], digits=2, note="adjusted")
    _add_shapes(rows, study)
    at = study.few_rows.set_index(["way", "rows", "anchor"])
    for way, key, asked in ((CARUANA, "caruana_ninth", "ninth"),
                            (CARUANA, "caruana_matched", "matched"),
                            (SINGLE, "single_matched", "matched")):
        _add(rows, f"few_{key}", at.loc[(way, asked, 16)], "cost", digits=1, unit="points")
    _add(rows, "times_all", study.costs.set_index("learner").loc[CARUANA], "times")
    return rows.table()


def _add_shapes(rows: Facts, study: Study) -> None:
    """Add which shapes members and ensembles have, and whose curves cross."""
    called = study.verdicts.set_index(["procedure", "verdict", "ensemble"])
    for verdict in ("peaking", "dipping"):
        rows.add(f"k_{verdict}", int(called.loc[(USED[verdict], verdict, MEMBERS), "called"]),
                 n=n if (n := study.n_members * len(study.datasets)) else None)
    whole = [name for name in (CARUANA, "Equal weights", STACK)]
    of_all = called.loc[[(by, verdict, name) for verdict, by in USED.items()
                         if verdict != "non_monotone" for name in whole]]
    rows.add("k_ensembles", int(of_all["called"].sum()),
             note="curves of ensembles of all members that peak or dip")
    rows.add("p_cure", of_all["p"].min(), digits=2, note="the least, adjusted")
    stacked = of_all.loc[(USED["peaking"], "peaking", STACK)]
    rows.add("peaks_stack", stacked["percent"], stacked["low"], stacked["high"], unit="%",
             n=int(stacked["curves"]), note="of the stacked ensembles' curves that peak")
    crossed = study.crossings.set_index("ensemble")
    for key, name in (("members", MEMBERS), ("stack", STACK), ("single", SINGLE)):
        _add(rows, f"crossed_{key}", crossed.loc[name], "percent", unit="%")
    rows.add("p_crossed_stack", crossed.loc[STACK, "p"], digits=3, note="adjusted")


def _add(rows: Facts, key: str, row: pd.Series, value: str, **settings) -> None:
    rows.add(key, Summary(float(row[value]), float(row["low"]), float(row["high"]),
                          int(row["datasets"])), **settings)


chapter = Chapter(
    "ensemble_curves", compute, tables, facts,
    charts={
        "advantages": Chart(
            "advantages", "lines", "anchor", "difference", "training rows",
            "difference in test error [points]", by="ensemble", panel="against", log="x",
            reference=0, height=3.3),
        "crossings": Chart(
            "crossings", "dots", "percent", "ensemble", "pairs with a member that cross [%]",
            title="Ensembles cross their members less than members each other"),
        "few_rows": Chart(
            "few_rows", "lines", "anchor", "cost", "training rows", "higher test error [points]",
            by="chosen_on", panel="way", keep="way in ['Caruana', 'Single best']", log="x",
            reference=0, height=3.1, title="On few validation rows choosing costs points")})
