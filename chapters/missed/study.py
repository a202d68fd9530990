"""What the paper missed: every table of the chapter, the tables that are kept, and its facts."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import xarray as xr

from analysis.calibration.recommend import SEEN_WELL, believed
from analysis.databases.chosen import main_curves, tried_curves, validation_errors
from analysis.databases.lcdb11.files import datasets_table
from analysis.databases.naming import dataset_title, learner_title
from analysis.published.computed import DATE, FOLDER, compute_or_recall, recall
from analysis.published.printed import published_table
from analysis.statistics.bootstrap import ratio_of_sums_interval
from analysis.statistics.families import count_families
from chapters.da1.correction_steps import IN_PLACE, OWN_GRID, correction_steps
from chapters.facts import Facts
from chapters.ledger.published import CC18, FULL
from chapters.missed import decomposition as parts
from chapters.missed import error_rates, headline, means, verdicts
from chapters.missed.resolution import (
    COUNTS,
    judge_grids,
    mini_curves,
    resolution,
)
from collection.anchors import lcdb10_grid

COMPARED = ["TabNet", "CatBoost", "ens.RandomForest"]
UP_TO = 4096  # rows: two batches of TabNet's and two more
DATASETS = 265  # of LCDB 1.1 FULL
MLP_BATCH = 200  # rows
ENSEMBLES = ("ens.RandomForest", "ens.ExtraTrees")

#: Tables that need the published means, each from `summary_means`.
TABLES: dict[str, Callable[[xr.Dataset], pd.DataFrame]] = {
    "tabnet_medians": lambda m: means.median_curves(m["error_rate"], COMPARED, UP_TO),
    "largest_drops": lambda m: means.largest_drops(m["error_rate"]),
    "tabnet_steps": lambda m: means.without_a_step(m["error_rate"]),
    "rises_by_noise": lambda m: means.rises_by_noise(m["error_rate"], m["error_rate_stderr"]),
    "mlp_bumps": lambda m: means.bumps(m["error_rate"]),
    "mlp_bend_places": lambda m: means.bend_places(m["error_rate"]),
    "flat_readings": lambda m: means.flat_readings(m["error_rate"]),
    "stray_curves": lambda m: means.stray_by_curve(m["error_rate"], m["error_rate_stderr"]),
    "stray_dummies": lambda m: means.stray_dummies(m["error_rate"]),
    "stray_effects": lambda m: means.stray_effects(m["error_rate"]),
    "tabpfn_datasets": lambda m: means.tabpfn_datasets(m["error_rate"]),
    "violation_shares": lambda m: means.violation_shares(m["error_rate"]),
    "lasting_rises": lambda m: means.lasting_rises(m["error_rate"], m["error_rate_stderr"]),
    "decomposition": lambda _: parts.decomposition(parts.both_verdicts()),
    "grid_by_learner": lambda _: parts.grid_by_learner(parts.both_verdicts()),
    "constant_stretches": lambda m: means.constant_stretches(m["error_rate"]),
}
#: What is kept for those who lack the means, or the time.
KEPT = {f"missed_{name}": lambda table=table: table(means.summary_means())
        for name, table in TABLES.items()} | {
    "missed_resolution_counts": lambda: judge_grids(*mini_curves())[0],
    "missed_resolution_calls": lambda: judge_grids(*mini_curves())[1],
}


def tables_from_means(folder: Path = FOLDER) -> dict[str, pd.DataFrame]:
    """Return every table of `TABLES`, each with the date it was computed on.

    Parameters
    ----------
    folder : Path
        Where they are kept, under ``missed_`` and their names.
    """
    return {name: compute_or_recall(f"missed_{name}", KEPT[f"missed_{name}"], folder)
            for name in TABLES}


@dataclass(frozen=True)
class Study:
    """The chapter's tables.

    Attributes
    ----------
    tables : dict of str to pandas.DataFrame
        By the names under which they are written to ``results/missed/``.
    valid : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        LCDB 1.0's validation errors.
    sizes : pandas.DataFrame
        The violations behind LCDB 1.0's published verdicts.
    variants : dict of str to xarray.Dataset
        LCDB 1.0 judged by each form of Holm's correction.
    calls : pandas.DataFrame
        Curves of mini that are called, by grid.
    date : str
        When what rests on the published means was computed.
    """

    tables: dict[str, pd.DataFrame]
    valid: xr.DataArray
    sizes: pd.DataFrame
    variants: dict[str, xr.Dataset]
    calls: pd.DataFrame
    date: str

    def __getitem__(self, name: str) -> pd.DataFrame:
        return self.tables[name].drop(columns=DATE, errors="ignore")


def study() -> Study:
    """Compute the chapter's tables: from printed numbers, means, repeats, and simulation."""
    from_means = tables_from_means()
    date = max(table[DATE].max() for table in from_means.values())
    tables = dict(from_means)
    whole = validation_errors("lcdb10").load()
    valid = whole.squeeze("scaling", drop=True)
    mini, on_mini = mini_curves()
    variants = verdicts.holm_variants(valid)
    sizes = {"LCDB 1.0": verdicts.verdict_sizes(whole, "LCDB 1.0"),
             "mini": verdicts.verdict_sizes(mini, "mini", on_mini)}
    judged, there = parts.old_verdicts()
    calls = recall("missed_resolution_calls").drop(columns=DATE)
    tables |= {
        "contributions": headline.contributions(), "printed_twice": headline.printed_twice(),
        "headline_versions": headline.headline_versions(),
        "rounding": verdicts.count_rounding(pd.concat(sizes.values())),
        "anchor_losses": verdicts.anchor_losses(valid),
        "steps": correction_steps(whole, tried_curves(main_curves("lcdb10"), whole)),
        "both_sides": headline.both_sides({"LCDB 1.0, anchors in place": judged["anchors"],
                                           "LCDB 1.0, its own grid": judged["own"]}, there),
        "reconstruction_check": parts.reconstruction_check(valid),
        "resolution": resolution(recall("missed_resolution_counts").drop(columns=DATE)),
        "resolution_calls": calls,
        "holm": pd.concat([
            verdicts.compare_holm(variants, "LCDB 1.0"),
            verdicts.compare_holm(verdicts.holm_variants(mini), "mini", on_mini)]),
        "false_alarms": error_rates.false_alarms(n=200, seed=0),
        "power": error_rates.power((0.01, 0.02, 0.03, 0.05, 0.1), rows=(1000, 5000), n=60, seed=1),
        "single_pair": error_rates.single_pair(n=200, seed=2),
        "flat_without_one": verdicts.flat_without_one(valid),
        "mlp_last_batches": verdicts.small_last_batches(
            valid.sel(learner="MLP"), MLP_BATCH,
            below=verdicts.smallest_batch(lcdb10_grid(), MLP_BATCH)),
    }
    tables["modern_violations"] = _modern(tables["violation_shares"].drop(columns=DATE))
    found = Study(tables, valid, sizes["LCDB 1.0"], variants, calls, date)
    tables["summary"] = summary(found)
    return found


def _modern(shares: pd.DataFrame) -> pd.DataFrame:
    """Return the mean curves' violations beside what the paper prints as significant."""
    shares = shares.copy()
    for kind in ("non_monotone", "non_convex"):
        of_kind = shares["kind"] == kind
        shares.loc[of_kind, "printed"] = shares["learner"].map(
            headline.printed_shares(verdict=kind))
    return shares


def _in_points(found: Study) -> dict[str, float]:
    """Return what the findings are worth in points of the headline."""
    versions = found["headline_versions"].set_index("counted")
    learners = versions["learners"].iloc[0]
    points = found["contributions"].set_index("learner")["points"]
    holm = found["holm"].query("database == 'LCDB 1.0'").set_index("correction")["ill_behaved"]
    return {"qda": versions[f"change, {FULL}"].iloc[1], "tabnet": points["TabNet"],
            "without_tabnet": versions[f"change, {FULL}"].iloc[2], "mlp": points["MLP"],
            "stray": 100 * len(found["stray_curves"]) / DATASETS / learners,
            "twice": 100 * found["printed_twice"]["curves"].sum() / DATASETS / learners,
            "holm": holm["Holm"] - holm["largest violation, Bonferroni"]}


def summary(found: Study) -> pd.DataFrame:
    """Return the findings and what each does to the share of ill-behaved curves, in points."""
    worth, old = _in_points(found), found["steps"].set_index("step")["ill_behaved"]
    rows = [
        ("quadratic discriminants counted although excluded", "printed tables", "LCDB 1.1",
         worth["qda"], "exact"),
        ("TabNet does not train below 1,024 rows", "means", "LCDB 1.1", worth["without_tabnet"],
         "if TabNet is left out"),
        ("the multilayer perceptron's last batch", "means", "LCDB 1.1", -worth["mlp"], "at most"),
        ("values past the end of their dataset", "means", "LCDB 1.1", -worth["stray"],
         "at most, either way"),
        ("Tables 3 and 8 one curve apart", "printed tables", "LCDB 1.1", -worth["twice"],
         "at most"),
        ("rounding", "repeats", "LCDB 1.0", old.iloc[1] - old.iloc[0], "exact"),
        ("anchors in place", "repeats", "LCDB 1.0", old[IN_PLACE] - old.iloc[1], "exact"),
        ("not interpolated: fewer comparisons", "repeats", "LCDB 1.0",
         old[OWN_GRID] - old[IN_PLACE], "a choice, not a fault"),
        ("smallest p instead of largest violation", "repeats", "LCDB 1.0", worth["holm"], "exact"),
        ("rounding", "repeats", "LCDB 1.1", float("nan"), "open: needs the official files"),
        ("tests miss small violations, and call constant curves dipping", "simulation", "both",
         float("nan"), "in both directions; size open"),
        ("flat is relative; TabPFN's datasets", "means", "LCDB 1.1", 0.0, "none on the headline"),
    ]
    return pd.DataFrame(rows, columns=["finding", "evidence", "moves the ill-behaved share of",
                                       "points", "which is"])


def facts(found: Study) -> pd.DataFrame:
    """Return the chapter's numbers, by the keys that its sentences cite."""
    rows = Facts()
    rows.add("date", found.date)
    for add in (_add_headline, _add_tabnet, _add_rounding, _add_anchors, _add_decomposition,
                _add_resolution, _add_holm, _add_error_rates, _add_rest, _add_stray):
        add(rows, found)
    return rows.table()


def _add_headline(rows: Facts, found: Study) -> None:
    versions, worth = found["headline_versions"], _in_points(found)
    for key, place in (("headline", 0), ("no_qda", 1), ("no_tabnet", 2), ("neither", 3)):
        rows.add(key, versions[FULL].iloc[place], unit="%", digits=1, note="FULL")
    for key, place in (("cc18", 0), ("cc18_no_qda", 1)):
        rows.add(key, versions[CC18].iloc[place], unit="%", digits=1, note="CC-18")
    rows.add("printed_twice", len(found["printed_twice"]))
    rows.add("twice_points", worth["twice"], digits=2)
    rows.add("tabnet_points", worth["tabnet"], digits=1)
    rows.add("mlp_points", worth["mlp"], digits=1)


def _add_tabnet(rows: Facts, found: Study) -> None:
    drops = found["largest_drops"]
    drops = drops.assign(percent=100 * drops["curves"] / drops["of"])
    tabnet = drops[drops["learner"] == "TabNet"].set_index("anchor")
    at_batch = drops[drops["anchor"] == means.TABNET_BATCH].set_index("learner")["percent"]
    rows.add("tabnet_share", headline.printed_shares()["TabNet"], unit="%", digits=1)
    rows.add("tabnet_of", int(tabnet["of"].iloc[0]))
    for key, anchor in (("tabnet_at", 1024), ("tabnet_at_two", 2048)):
        rows.add(key, int(tabnet["curves"].get(anchor, 0)))
    rows.add("others_at", at_batch.drop("TabNet").max(), unit="%", digits=1)
    spread = drops.groupby("learner")["spread_before"].first()
    rows.add("tabnet_spread", spread["TabNet"], digits=4)
    rows.add("forest_spread", spread["ens.RandomForest"], digits=4)
    noise = found["rises_by_noise"].iloc[0]
    rows.add("tabnet_rising", noise["rising"], unit="%")
    rows.add("tabnet_noise", noise["by_noise"], unit="%")
    rows.add("tabnet_mono", headline.printed_shares(verdict="non_monotone")["TabNet"], unit="%",
             digits=1)
    steps = found["tabnet_steps"].iloc[0]
    rows.add("tabnet_called", round(headline.printed_shares()["TabNet"] * DATASETS / 100))
    rows.add("tabnet_stepless", int(steps["curves"] - steps["reach"]))
    rows.add("tabnet_constant", int(steps["constant"]))
    rows.add("tabnet_at_least", round(headline.printed_shares()["TabNet"] * DATASETS / 100)
             - int(steps["reach"]))


def _add_rounding(rows: Facts, found: Study) -> None:
    tiny = found["rounding"].set_index(["database", "verdict"])
    for key, at in (("conv", ("LCDB 1.0", "non_convex")), ("peak", ("LCDB 1.0", "peaking")),
                    ("mini", ("mini", "ill_behaved"))):
        rows.add(f"rounding_{key}", int(tiny.loc[at, "by_rounding"]))
        rows.add(f"rounding_{key}_of", int(tiny.loc[at, "verdicts"]))
    for key, verdict in (("conv", "non_convex"), ("peak", "peaking")):
        rows.add(f"dummy_{key}", headline.printed_shares(verdict=verdict)["DummyClassifier"],
                 unit="%", digits=1)
    constant = found["constant_stretches"]
    rows.add("constant", int((constant["curves"] > 5).sum()))
    rows.add("constant_of", len(constant))


def _add_anchors(rows: Facts, found: Study) -> None:
    losses, old = found["anchor_losses"], found["steps"].set_index("step")["ill_behaved"]
    rows.add("recorded", int(losses["recorded"].sum()))
    rows.add("kept", int(losses["kept"].sum()))
    rows.add("kept_share", 100 * losses["kept"].sum() / losses["recorded"].sum(), unit="%")
    rows.add("moved", int(losses["moved"].sum()))
    rows.add("curves", len(losses))
    full = found["headline_versions"][FULL].iloc[0]
    twenty = headline.printed_shares()[found.valid["learner"].values].mean()
    for key, value in (("old_published", old.iloc[0]), ("old_in_place", old[IN_PLACE]),
                       ("old_dear", old.iloc[-2]), ("old_own", old[OWN_GRID]), ("twenty", twenty)):
        rows.add(key, value, unit="%", digits=1)
    for key, above, below in (("published", full, old.iloc[0]), ("in_place", full, old[IN_PLACE]),
                              ("twenty", twenty, old[IN_PLACE])):
        rows.add(f"ratio_{key}", above / below, digits=1)


def _add_decomposition(rows: Facts, found: Study) -> None:
    added = found["decomposition"].set_index(["price", "step"])
    for key, price in (("dense", parts.DENSE_PRICE), ("own", parts.OWN_PRICE)):
        rows.add(f"grid_{key}", *added.loc[(price, parts.GRID_STEP), ["change", "low", "high"]],
                 digits=1, unit="points")
    rows.add("difference", added.loc[parts.DENSE_PRICE, "change"].sum(), digits=1, unit="points")
    check = found["reconstruction_check"].iloc[0]
    rows.add("right", check["agree"], unit="%", digits=1)
    rows.add("right_found", int(check["both"]))
    rows.add("right_of", int(check["by_repeats"]))
    ids = set(found.valid["dataset"].values.tolist())
    rows.add("shared_sets", len(ids & set(datasets_table().index.tolist())))
    grids = found["grid_by_learner"]
    most = grids.assign(more=grids["dense"] - grids["sparse"]).nlargest(3, "more")
    rows.add("grid_most", ", ".join(
        f"{learner_title(r.learner)} ({r.sparse:.0f} to {r.dense:.0f} %)"
        for r in most.itertuples()))


def _add_holm(rows: Facts, found: Study) -> None:
    holm = found["holm"].query("database == 'LCDB 1.0'").set_index("correction")
    rows.add("holm_same", holm.loc["Holm as published", "same_as_holm"], unit="%", digits=2)
    rows.add("holm_halved", holm.loc["Holm as published", "halved_conv"], unit="%")
    rows.add("holm_points", _in_points(found)["holm"], digits=1)
    table9 = published_table("table9").query(
        "database == @FULL and scaling == 'none' and property == 'ill_behaved'")
    classic = headline.printed_shares().drop(
        ["DummyClassifier", "CatBoost", "TabNet", "RealMLP", "TabPFNv2"]).mean()
    rows.add("holm_paper", table9["value"].astype(float).item() - classic, digits=1)


def _add_error_rates(rows: Facts, found: Study) -> None:
    alarms = found["false_alarms"].query("procedure == 'published'")
    for key, verdict in (("alarms", "ill_behaved"), ("false_dips", "dipping")):
        rates = alarms.loc[alarms["verdict"] == verdict, "rate"]
        for end in ("min", "max"):
            rows.add(f"{key}_{end}", getattr(rates, end)(), unit="%", digits=1)
    rows.add("single", found["single_pair"]["rate"].max(), unit="%")
    power = found["power"]
    caught = power[((power["true_low"] + power["true_high"]) / 2 - 0.05).abs() < 1e-9].set_index(
        ["verdict", "rows"])
    for key, verdict in (("peak", "peaking"), ("drop", "non_convex"), ("dip", "dipping")):
        for ending, n in (("", 1000), ("_many", 5000)):
            rows.add(f"power_{key}{ending}", *caught.loc[(verdict, n), ["found", "low", "high"]],
                     unit="%")
    above = published_table("table10")["samples"].astype(int) > 1000
    rows.add("above", 100 * above.mean(), unit="%")
    rows.add("truly", *believed()[["rate", "low", "high"]], unit="%", digits=1)
    rows.add("truly_from", SEEN_WELL, digits=2)


def _add_rest(rows: Facts, found: Study) -> None:
    flat, one_less = found["flat_readings"], found["flat_without_one"]
    most = one_less.loc[one_less["change"].abs().idxmax()]
    rows.add("flat_max", (flat["beside_28"] - flat["beside_24"]).max(), digits=1, unit="points")
    rows.add("flat_one", abs(most["change"]), digits=1, unit="points")
    rows.add("flat_who", learner_title(most["left_out"]))
    clear, places = bumps_and_bends(found), found["mlp_bend_places"]
    rows.add("bump", int(clear["anchor"].iloc[0]))
    rows.add("bump_rest", int(clear["last_batch"].iloc[0]))
    rows.add("bump_sets", int(places["curves"].iloc[0]))
    rows.add("bump_all", int(places["curves"].sum()))
    rows.add("bump_next", ", ".join(f"{r.anchor:,} on {r.curves}"
                                    for r in places.iloc[1:3].itertuples()))
    rows.add("bump_rests", ", ".join(str(r) for r in sorted(clear["last_batch"].iloc[1:]) if r))
    ends = found["mlp_last_batches"]
    rows.add("bump_old", verdicts.smallest_batch(lcdb10_grid(), MLP_BATCH))
    rows.add("bump_off", len(ends))
    rows.add("bump_off_least", int(ends["last_batch"].min()))
    rows.add("bump_off_most", int(ends["last_batch"].max()))
    bends = found["modern_violations"].query("kind == 'non_convex'").set_index("learner")
    bends = bends["at_least_0.05"]
    rows.add("bends_tabnet", bends["TabNet"], unit="%")
    rows.add("bends_others", bends.drop("TabNet").max(), unit="%")
    _add_dips(rows, found["lasting_rises"])


def _add_dips(rows: Facts, rises: pd.DataFrame) -> None:
    rows.add("jungle", dataset_title(means.JUNGLE_CHESS))
    dip = rises.set_index("learner")
    for key, name in zip(("forest", "extra"), ENSEMBLES, strict=True):
        rows.add(f"dip_{key}_at", int(dip.loc[name, "anchor"]))
        rows.add(f"dip_{key}", 100 * dip.loc[name, "rise"], digits=1, unit="points")
        rows.add(f"dip_{key}_errors", dip.loc[name, "rise"] / dip.loc[name, "stderr"])
    rows.add("dip_first", learner_title(rises["learner"].iloc[0]))
    rows.add("dip_most", 100 * rises["rise"].iloc[0], digits=1, unit="points")


def bumps_and_bends(found: Study) -> pd.DataFrame:
    """Return the anchors at which MLP's error clearly lies above its neighbours' line."""
    clear = found["mlp_bumps"].query("low > 0").merge(found["mlp_bend_places"], how="left")
    return clear.sort_values("excess", ascending=False, kind="stable")


def _add_stray(rows: Facts, found: Study) -> None:
    stray, effects = found["stray_curves"], found["stray_effects"]
    moved = effects.loc[effects["change"].abs().idxmax()]
    rows.add("stray_values", int(stray["values"].sum()))
    rows.add("stray_stderr", stray["stderr"].max(), digits=0 if stray["stderr"].max() == 0 else 4)
    rows.add("stray_moved", moved["change"], digits=4)
    rows.add("stray_moved_of", learner_title(moved["learner"]))
    rows.add("stray_sets", " and ".join(map(dataset_title,
                                            sorted(stray["dataset"].unique().tolist()))))
    rows.add("stray_curves", len(stray))
    rows.add("stray_elsewhere", int((found["stray_dummies"]["elsewhere"] > 0).sum()))
    rows.add("stray_points", _in_points(found)["stray"], digits=1)
    sizes = found["tabpfn_datasets"].set_index("training_set")
    small = sizes.loc["up to 10,000 rows"]
    rows.add("tabpfn_all", int(sizes["with_curve"].sum()))
    rows.add("tabpfn_beyond", int(sizes.loc["more than 10,000 rows", "with_curve"]))
    rows.add("tabpfn_lacking", int(small["datasets"] - small["with_curve"]))


def _add_resolution(rows: Facts, found: Study) -> None:
    table = found["resolution"].set_index(["procedure", "anchors"])
    first, last = min(found["resolution"]["anchors"]), max(found["resolution"]["anchors"])
    for key, procedure in (("flips", "max_t"), ("bonferroni", "corrected")):
        for end, anchors in (("coarse", first), ("dense", last)):
            rows.add(f"{key}_{end}", *table.loc[(procedure, anchors), ["share", "low", "high"]],
                     unit="%", digits=1)
    for end, anchors in (("coarse", first), ("dense", last)):
        row = table.loc[("max_t", anchors)]
        for name in ("null", "null_symmetric"):
            rows.add(f"{name}_{end}", row[f"{name}_share"], unit="%", digits=1)
        rows.add(f"twice_{end}", row["share"] * row["again_share"] / 100, unit="%", digits=1,
                 note="called, and significant again on fresh repeats")
    counts = recall("missed_resolution_counts")
    rows.add("mini_curves", int(table["n"].iloc[0]))
    rows.add("mini_families", count_families(counts["dataset"].unique()))
    again = counts.query("procedure == 'max_t'").pivot(
        index="dataset", columns="anchors", values=["again", "curves"])
    more = 100.0 * (again["again", last] - again["again", first])
    rows.add("twice_more", more.sum() / again["curves", last].sum(),
             *map(float, ratio_of_sums_interval(more, again["curves", last], again.index)),
             unit="points", digits=1, n=count_families(again.index))
    new = counts.query("procedure == 'max_t' and anchors == @last")[COUNTS].sum()
    rows.add("dense_only", int(new["new"]))
    rows.add("dense_only_again", int(new["new_again"]))
    only = found.calls.query("procedure == 'max_t' and anchors == @last and new")
    rows.add("dense_only_anew", only["size_anew"].median(), digits=3)
