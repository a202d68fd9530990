"""All that the chapter *Who performs best?* computes: its tables, the numbers of its sentences."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.databases.chosen import database_title
from analysis.databases.load import load_curves
from analysis.databases.naming import counted_once, learner_title
from analysis.drawing.tables import write_results
from analysis.published.computed import compute_or_recall
from analysis.published.printed import published_table
from analysis.statistics.headlines import LEAST, Leader, comparable_rows, leader_if_fair
from analysis.statistics.summary import interval_texts
from chapters.facts import Facts
from chapters.performance.mixed_bayes import mixed_against_plain
from chapters.performance.performance import (
    KEPT,
    best_errors,
    mean_best,
    mean_errors,
    paired_by_size,
    paired_with,
    picking_optimism,
    reference_learner,
    scaling_changes,
    size_groups,
    under_all_scalings,
)
from chapters.sufficient import lacks_repeats, sufficient_database
from collection.learners.names import LEARNERS

#: What was picked, in words.
PICKS = {"nothing": "nothing: each curve's last anchor",
         "anchor": "the lowest anchor of each curve",
         "curve": "the lowest curve of each dataset"}
HELD_OUT = 0.09  # of the rows are for validation, where a database does not tell
MOST_HELD_OUT = 5000


@dataclass(frozen=True)
class Study:
    """The chapter's tables.

    Attributes
    ----------
    database, note : str
        What the chapter runs on, and a word on it where it is not what was asked for.
    reference : str
        Whom everyone is compared with.
    old : pandas.DataFrame
        `best_errors` of LCDB 1.0.
    results : dict of str to pandas.DataFrame
        The tables that are written, by the name of their file.
    """

    database: str
    note: str
    reference: str
    old: pd.DataFrame
    results: dict[str, pd.DataFrame]

    def sizes(self, database: str) -> pd.DataFrame:
        """Return the paired differences on small and large datasets of a database."""
        return self.results["sizes"].query("database == @database")


def study() -> Study:
    """Compute the lowest errors of the chapter's database and of LCDB 1.0; write the tables."""
    database, note = sufficient_database("mini", lacks_repeats)
    curves = counted_once(load_curves(database, selection="paper"))
    mean = mean_errors(curves.sel(learner=[n for n in LEARNERS if n in curves["learner"]]))
    best = best_errors(mean, database)
    reference = reference_learner(best)
    old = best_errors(mean_errors(load_curves("lcdb10", selection="paper")), "lcdb10")
    both = (best,) if database == "lcdb10" else (best, old)
    new_sizes = compute_or_recall("lcdb11_sizes", KEPT["lcdb11_sizes"]).drop(columns="computed_on")
    full = compute_or_recall("lcdb11_means", KEPT["lcdb11_means"])
    figure7 = published_table("figure7").set_index("learner")["value"]
    results = {
        "best": best, "means": mean_best(best), "paired": paired_with(best, reference),
        "means_common": mean_best(comparable_rows(best, ["learner", "scaling"], least=1)),
        "means_scaled": mean_best(under_all_scalings(best)),
        "optimism": pd.concat([picking_optimism(rows) for rows in both]),
        "means_lcdb11": full.assign(figure_7=full["learner"].map(figure7)),
        "sizes": pd.concat([paired_by_size(old), new_sizes], ignore_index=True),
        "naive_bayes": mixed_against_plain(mean.sel(split="valid"), database)}
    write_results("performance", results)
    return Study(database, note, reference, old, results)


def paired_points(found: Study) -> pd.DataFrame:
    """Return the paired differences in points of error rate."""
    paired = found.results["paired"]
    return paired.assign(**{c: 100 * paired[c] for c in ("difference", "low", "high")})


def optimism_in_words(optimism: pd.DataFrame) -> pd.DataFrame:
    """Return `picking_optimism` as the page shows it, errors in percent."""
    return optimism.assign(
        database=optimism["database"].map(database_title), pick=optimism["pick"].map(PICKS),
        valid=100 * optimism["valid"], test=100 * optimism["test"],
        optimism=interval_texts(optimism, "optimism", digits=2)).drop(columns=["low", "high"])


def means_beside(full: pd.DataFrame) -> pd.DataFrame:
    """Return the means of LCDB 1.1 beside the paper's Figure 7, the interval as text."""
    return full.assign(test=interval_texts(full, "test", digits=4))[
        ["learner", "n_datasets", "valid", "figure_7", "test", "optimism"]].rename(columns={
            "n_datasets": "datasets", "valid": "validation", "figure_7": "Figure 7"})


def facts(found: Study) -> pd.DataFrame:
    """Return the numbers of the chapter's sentences, as `chapters.facts.Facts.table`."""
    rows, results = Facts(), found.results
    best = results["best"]
    rows.add("title", database_title(found.database))
    rows.add("note", found.note)
    rows.update({"n_datasets": best["dataset"].nunique(), "n_learners": best["learner"].nunique(),
                 "n_common": int(results["means_common"]["n_datasets"].max()),
                 "n_drawn": len(results["means_common"]), "n_all": len(results["means"]),
                 "n_scaled": int(results["means_scaled"]["n_datasets"].max())
                 if len(results["means_scaled"]) else 0,
                 "scaled_learners": results["means_scaled"]["learner"].nunique()})
    rows.add("reference", learner_title(found.reference))
    rows.add("computed_on", str(results["means_lcdb11"]["computed_on"].iloc[0]))
    _leader(rows, "winner", leader_if_fair(best[best["scaling"] == "none"], "test", "learner"))
    points = paired_points(found)
    judged = points[points["n_datasets"] >= LEAST]
    rows.update({"judged": len(judged), "worse": int((judged["low"] > 0).sum()),
                 "better": int((judged["high"] < 0).sum()),
                 "worse_exact": int(((judged["low"] > 0) & (judged["p"] < 0.05)).sum())})
    _optimism(rows, found)
    _sizes(rows, found)
    _scaling(rows, best)
    _bayes(rows, results["naive_bayes"])
    return rows.table()


def _leader(rows: Facts, key: str, first: Leader | None) -> None:
    """Add who leads, with what mean (percent), of how many, and how surely."""
    rows.add(key, learner_title(first.name) if first else "no learner")
    values = (100 * np.array([first.mean, first.low, first.high]) if first else [np.nan] * 3)
    rows.add(f"{key}_error", *map(float, values), digits=1, unit="%", n=first.n if first else 0)
    rows.add(f"{key}_datasets", first.n if first else 0)
    rows.add(f"{key}_contenders", first.contenders if first else 0)
    rows.add(f"{key}_doubt", first.doubt if first else "not to be told from so few datasets")


def _optimism(rows: Facts, found: Study) -> None:
    optimism = found.results["optimism"]
    own = optimism[optimism["database"] == found.database].set_index("pick")
    for pick in ("anchor", "curve"):
        rows.add(f"optimism_{pick}", *own.loc[pick, ["optimism", "low", "high"]], digits=2,
                 unit="points", n=int(own.loc[pick, "datasets"]))
    for key, name in (("own", found.database), ("old", "lcdb10")):
        held_out = _validation_rows(name)
        datasets = optimism.loc[optimism["database"] == name, "datasets"].max()
        rows.add(f"{key}_datasets", int(datasets))
        rows.add(f"{key}_rows", held_out, unit="rows", note="validation rows, median")
        rows.add(f"{key}_step", 100 / held_out / 25, digits=2, unit="points",
                 note="one validation row, in the mean of 25 repeats")


def _validation_rows(database: str) -> float:
    """Return the median number of validation rows; by the protocol where a database is silent."""
    curves = load_curves(database, selection="paper")
    if "valid_size" in curves.coords:
        return float(curves["valid_size"].median())
    samples = published_table("table10").set_index("openml_id")["samples"]
    held_out = (HELD_OUT * samples).clip(upper=MOST_HELD_OUT)
    return float(held_out[held_out.index.isin(curves["dataset"].values)].median())


def _sizes(rows: Facts, found: Study) -> None:
    groups = found.old.groupby(size_groups(found.old))
    for size in ("small", "large"):
        there = size in groups.groups
        _leader(rows, f"{size}_winner", leader_if_fair(
            groups.get_group(size), "test", "learner") if there else None)
    for key, database in (("lcdb10", "lcdb10"), ("lcdb11", "lcdb11-summary")):
        sizes = found.sizes(database)
        reference = sizes["reference"].iloc[0]
        wide = 100 * sizes.pivot(index="learner", columns="size", values="difference").dropna()
        gain = (wide["large"] - wide["small"]).drop(reference, errors="ignore")
        gain = gain.sort_values(kind="stable")
        said = [f"{learner_title(n)} ({wide.loc[n, 'small']:+.1f} points on small, "
                f"{wide.loc[n, 'large']:+.1f} on large)" for n in gain.index]
        rows.add(f"reference_{key}", learner_title(reference))
        rows.add(f"gain_{key}", ", ".join(said[:3]))
        rows.add(f"lose_{key}", ", ".join(said[-2:]))


def _scaling(rows: Facts, best: pd.DataFrame) -> None:
    change = scaling_changes(best)
    change = change[change["datasets"] >= LEAST].sort_values("points", kind="stable")
    said = [f"{learner_title(r.learner)} ({r.scaling}) {r.points:+.1f} points"
            for r in change.itertuples()]
    rows.add("scaling_gains", ", ".join(said[:3]) or "no learner")
    rows.add("scaling_losses", ", ".join(said[-2:]) or "no learner")


def _bayes(rows: Facts, contests: pd.DataFrame) -> None:
    untied = contests["n_datasets"] - contests["datasets_tied"]
    rows.add("bayes_ties", contests["tie"].mean(), unit="%", n=len(contests))
    rows.add("bayes_judged", int(contests["low"].notna().sum()))
    rows.add("bayes_better", int((contests["high"] < 0).sum()))
    rows.add("bayes_worse", int((contests["low"] > 0).sum()))
    rows.add("bayes_untied", int(untied.max()) if len(untied) else 0)
