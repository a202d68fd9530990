"""The chapter's study in one call: its tables, and its facts."""

from dataclasses import dataclass, fields

import pandas as pd
import xarray as xr

from analysis.drawing.tables import write_result
from analysis.ensemble_curves.shipped import MEMBERS as TITLES
from analysis.ensemble_curves.shipped import open_few_rows, open_weights
from analysis.statistics.summary import Summary
from chapters.ensemble_curves.advantage import (
    advantages,
    ahead_from,
    clear_from,
    final_advantages,
    overall_advantages,
)
from chapters.ensemble_curves.costs import against_single, cost_of_few, training_costs
from chapters.ensemble_curves.judged import (
    HINDSIGHT,
    common_means,
    datasets_table,
    ensemble_names,
    ensembles_table,
    judged_errors,
    members_table,
)
from chapters.ensemble_curves.survival import (
    MEMBERS,
    VERDICTS,
    called_curves,
    crossing_shares,
    surviving_sizes,
    surviving_verdicts,
)
from chapters.ensemble_curves.weights import members_kept, weight_curves, weight_drifts
from chapters.facts import Facts

CHAPTER = "ensemble_curves"
USED = {"non_monotone": "max_t", "peaking": "max_t", "dipping": "corrected"}  # procedures
COMPARED = ("Caruana", "Caruana, log-loss", "Equal weights", "Stacking")
BASELINES = {HINDSIGHT: "best member, known afterwards", "Single best": "single best, chosen",
             "Portfolio, best": "best of a portfolio, chosen"}
ROWS = {"10": "10 rows", "20": "20 rows", "matched": "as many as for training",
        "ninth": "a ninth of the training rows"}
KEYS = {"caruana": "Caruana", "loss": "Caruana, log-loss", "equal": "Equal weights",
        "stack": "Stacking", "single": "Single best", "portfolio": "Portfolio, best"}


@dataclass(frozen=True)
class Study:
    """The tables of the chapter; those of its results are written under their names."""

    datasets: pd.DataFrame
    members: pd.DataFrame
    ensembles: pd.DataFrame
    verdicts: pd.DataFrame
    called_curves: pd.DataFrame
    sizes: pd.DataFrame
    crossings: pd.DataFrame
    advantages: pd.DataFrame
    ahead_from: pd.DataFrame
    summary: pd.DataFrame
    drifts: pd.DataFrame
    members_kept: pd.DataFrame
    few_rows: pd.DataFrame
    few_rows_against_single: pd.DataFrame
    costs: pd.DataFrame
    errors: xr.DataArray
    weights: pd.DataFrame

    def write(self) -> None:
        """Write the tables to ``results/ensemble_curves/``."""
        for field in fields(self):
            if field.name not in ("errors", "weights"):
                write_result(getattr(self, field.name), CHAPTER, field.name)

    @property
    def judged(self) -> pd.DataFrame:
        """The verdicts of the procedure that the chapter judges each shape by."""
        return self.verdicts[self.verdicts["procedure"] == self.verdicts["verdict"].map(USED)]


def study(curves: xr.Dataset) -> Study:
    """Compute what the chapter says of a database of ensembles.

    Parameters
    ----------
    curves : xarray.Dataset
        From ``analysis.load_curves("ensemble_curves")``.
    """
    errors, weights, few = judged_errors(curves), open_weights(), open_few_rows()
    gains = advantages(errors, COMPARED, list(BASELINES))
    ahead = ahead_from(errors, COMPARED, list(BASELINES))
    return Study(
        datasets_table(curves), members_table(curves, TITLES), ensembles_table(curves),
        surviving_verdicts(errors, ("max_t", "corrected")), called_curves(errors, USED),
        surviving_sizes(errors), crossing_shares(errors), gains, ahead,
        _summary(errors, gains, ahead),
        pd.concat([weight_drifts(weights, name).assign(ensemble=name)
                   for name in ("Caruana", "Stacking")], ignore_index=True),
        members_kept(weights), cost_of_few(few, list(ROWS)),
        pd.concat([against_single(few, way, "Single best", rows)
                   for way in COMPARED[:2] for rows in ("all", *ROWS)], ignore_index=True),
        training_costs(curves, ensemble_names(curves["learner"].values)), errors,
        weight_curves(weights, "Caruana"))


def _summary(errors: xr.DataArray, gains: pd.DataFrame, ahead: pd.DataFrame) -> pd.DataFrame:
    """Return a row per ensemble and baseline: whole curves, full size, how often ahead."""
    pair = ["ensemble", "baseline"]
    whole = overall_advantages(errors, COMPARED, list(BASELINES))
    end = final_advantages(errors, COMPARED, list(BASELINES))
    stays = ahead.groupby(pair)["anchor"].agg(stay="count", median="median").reset_index()
    table = whole.merge(end, on=pair, suffixes=("", "_end"))
    return table.merge(clear_from(gains)[[*pair, "tested", "clear"]]).merge(stays)


def facts(found: Study) -> pd.DataFrame:
    """Return the facts that the chapter's sentences cite."""
    rows = Facts()
    _facts_of_data(rows, found)
    _facts_of_shapes(rows, found)
    _facts_of_advantages(rows, found)
    _facts_of_weights_and_costs(rows, found)
    return rows.table()


def _facts_of_data(rows: Facts, found: Study) -> None:
    n, valid, size = len(found.datasets), found.datasets["valid_size"], found.datasets["rows"]
    rows.add("n_datasets", n)
    rows.add("n_others", n - 1)
    rows.add("n_members", len(found.members))
    rows.add("n_member_curves", n * len(found.members))
    rows.update({"valid_least": valid.min(), "valid_most": valid.max(),
                 "rows_least": size.min(), "rows_most": size.max()})


def _facts_of_shapes(rows: Facts, found: Study) -> None:
    calls = found.called_curves
    of_members = calls[calls["is_member"]]
    ill = of_members[of_members["verdict"] != "non_monotone"]
    rows.add("d_ill", ill["dataset"].nunique(), note="datasets on which a member peaks or dips")
    peaking = of_members.loc[of_members["verdict"] == "peaking", "learner"].map(TITLES)
    rows.add("peaking_kinds", " and ".join(f"{kind}s" for kind in sorted(peaking.unique())))
    for verdict in VERDICTS:
        own = of_members[of_members["verdict"] == verdict]
        rows.add(f"k_{verdict}", len(own), note=f"members' curves called {verdict}")
        rows.add(f"d_{verdict}", own["dataset"].nunique(), note="datasets on which")
    peaks = calls[calls["verdict"] == "peaking"]
    where = set(peaks.loc[peaks["is_member"], "dataset"])
    for key, name in KEYS.items():
        both = peaks.loc[peaks["learner"] == name, "dataset"].isin(where).sum()
        rows.add(f"both_{key}", both, note=f"datasets where a member peaks and {name} does")
    cure = found.judged[found.judged["ensemble"].isin(["Caruana", "Equal weights", "Stacking"])]
    rows.add("p_cure", cure["p"].min(), digits=2, note="least adjusted p of the ensembles")
    share = found.crossings.set_index("ensemble")
    for key, name in {"members": MEMBERS, "single": "Single best", "stack": "Stacking"}.items():
        rows.add(f"crossed_{key}", _summed(share.loc[name], "percent"), unit="%")
    rows.add("p_crossed_stack", share.loc["Stacking", "p"], digits=3)


def _facts_of_advantages(rows: Facts, found: Study) -> None:
    gain = found.summary.set_index(["ensemble", "baseline"])
    for key, base, end in (("stack", "single", ""), ("loss", "single", ""),
                           ("caruana", "single", ""), ("caruana", "single", "_end"),
                           ("stack", "portfolio", ""), ("equal", "best", "_end"),
                           ("caruana", "best", "_end")):
        row = gain.loc[(KEYS[key], HINDSIGHT if base == "best" else KEYS[base])]
        rows.add(f"{key}_{base}{end}", _summed(row, "difference", end), digits=2, unit="points")
        if (key, base) != ("caruana", "best"):
            rows.add(f"{key}_{base}{end}_p", row[f"p{end}"], digits=3, note="adjusted")
    mine = gain.loc[("Stacking", "Single best")]
    rows.add("gain_stack", -mine["difference"], -mine["high"], -mine["low"], digits=2,
             unit="points", n=int(mine["datasets"]), note="single best less stacking")
    rows.add("stack_single_stay", mine["stay"], note="datasets on which it ends ahead")
    rows.add("stack_single_row", mine["median"], note="median row from which on")
    means = common_means(found.errors)
    behind = 100 * (means.sel(learner="Equal weights") - means.sel(learner="Single best"))
    behind = behind[:, ::4].mean("anchor")
    rows.add("equal_worst", str(behind["dataset"].values[behind.values.argmax()]))
    rows.add("equal_worst_by", float(behind.max()), digits=1, unit="points")
    rows.add("last_anchor", means["anchor"].values[-1], note="the largest that all datasets have")


def _facts_of_weights_and_costs(rows: Facts, found: Study) -> None:
    at = found.few_rows.set_index(["way", "rows", "anchor"])
    for key, few in (("caruana", "10"), ("caruana", "matched"), ("caruana", "ninth"),
                     ("loss", "ninth"), ("single", "matched")):
        row = at.loc[(KEYS[key], few, 16)]
        rows.add(f"few_{key}_{few}", _summed(row, "cost"), digits=1, unit="points",
                 note="higher test error at 16 training rows")
        if key == "caruana" and few != "ninth":
            rows.add(f"few_{key}_{few}_p", row["p"], digits=3, note="adjusted")
    rows.add("times_all", _summed(found.costs.set_index("learner").loc["Caruana"], "times"),
             note="training of all members over that of the median one")
    kept = found.members_kept[found.members_kept["ensemble"] == "Caruana"]
    kept = kept.set_index("anchor")["members"]
    last = common_means(found.errors)["anchor"].values[-1]
    rows.update({"kept_first": kept[16], "kept_last": kept[last]}, digits=1)
    drifts = found.drifts[found.drifts["ensemble"] == "Caruana"]
    rows.add("drift_clear", (drifts["p"] < 0.05).sum(), n=len(drifts))
    rows.add("drift_least_p", drifts["p"].min(), digits=2)


def _summed(row: pd.Series, value: str, end: str = "") -> Summary:
    return Summary(float(row[f"{value}{end}"]), float(row[f"low{end}"]), float(row[f"high{end}"]),
                   int(row["datasets"]))
