"""How often verdicts on shapes err: the tables of the chapter, from what is kept, and its facts."""

from dataclasses import dataclass

import pandas as pd

from analysis.calibration import recommend
from analysis.calibration.cells import COARSE, FINE, ON_NOISE, Cell, anchors_on
from analysis.calibration.count import count_cell
from analysis.calibration.on_databases import detection
from analysis.databases.load import load_curves
from analysis.published.computed import DATE, recall
from analysis.shapes import PROCEDURES
from analysis.shapes.noise import kept_noise
from analysis.shapes.simulation import SIMULATIONS
from analysis.shapes.verdicts import SHAPE_LABELS
from analysis.statistics.bootstrap import ratio_of_sums_interval
from analysis.statistics.families import count_families
from analysis.statistics.summary import interval_texts
from chapters.facts import Facts

NAMES = {name: p.title for name, p in PROCEDURES.items()}
WORDS = SHAPE_LABELS | {"phase_transition": "phase transition"}
SIZE = 0.02  # of true violations: smaller ones are mostly missed
ROWS = 1000  # of the datasets of the main cells
#: Anchors per doubling → whose grid that is, and how many anchors it has with `ROWS`.
GRID_TITLES = {grid: f"{whose}, {anchors_on(ROWS, grid)} anchors"
               for grid, whose in ((COARSE, "LCDB 1.0's"), (FINE, "LCDB 1.1's"))}
FIRST, PEOPLE, LEARNED = "drawn, dataset", "drawn, population", "learned, population"
KEPT = ("calls", "seeable", "sizes", "shared", "drops", "transitions")
CALLERS = ("published", "max_t", "shared", "max_t_wide", "nadeau_bengio")
RESIDUALS = {"redrawn": "real residuals", "normal": "normal ones"}
SEEN_BY = ("published", "max_t", "nadeau_bengio", "max_t_wide")


@dataclass(frozen=True)
class Study:
    """The chapter's tables.

    Attributes
    ----------
    tables : dict of str to pandas.DataFrame
        By the names under which they are written to ``results/statistics/``.
    prevalence, real_grids : pandas.DataFrame
        How many curves truly have a violation, by model and learner; how often curves of each true
        size are called on LCDB 1.0's own grids.
    live : pandas.DataFrame
        A small cell simulated now, beside what is kept of it.
    date : str
        When the simulations were last run.
    """

    tables: dict[str, pd.DataFrame]
    prevalence: pd.DataFrame
    real_grids: pd.DataFrame
    live: pd.DataFrame
    date: str

    def __getitem__(self, name: str) -> pd.DataFrame:
        return self.tables[name]


def study() -> Study:
    """Recall the simulations, and work out what follows from them."""
    kept = recall("calibration")
    table = kept.drop(columns=DATE)
    best = recommend.recommended(table)
    tables = {name: recall(f"calibration_{name}").drop(columns=DATE) for name in KEPT}
    tables |= {
        "calibration": table, "noise": kept_noise(), "procedures": recommend.registry_table(),
        "levels": recommend.levels_kept(table), "recommended": best,
        "smallest_seen": recommend.smallest_seen(table),
        "confirmed": recommend.confirmed(best, recall("calibration_confirmed").drop(columns=DATE)),
        "detection": detection(recall("calibration_pool_lcdb10"))}
    prevalence = recall("trust_prevalence").drop(columns=DATE)
    real_grids = recall("trust_real_grids").drop(columns=DATE)
    return Study(tables, prevalence, real_grids, _live(table), str(kept[DATE].max()))


def main_cells(table: pd.DataFrame, per_doubling: int = COARSE) -> pd.DataFrame:
    """Return the rows of the main cell of a grid: 1,000 rows, 25 repeats."""
    return table[(table["rows"] == ROWS) & (table["per_doubling"] == per_doubling)
                 & (table["repeats"] == 25)]


def _live(table: pd.DataFrame) -> pd.DataFrame:
    """Simulate constant curves anew: ``procedure, verdict, now, then`` in words, ``agree``."""
    live = count_cell(Cell("flat", n=150, procedures=("published", "holm", "max_t")))
    before = main_cells(table).query("truth == 'flat' and generator == @FIRST")
    both = live.merge(before, on=["procedure", "verdict"], suffixes=("", " kept")).query(
        "verdict in ['ill_behaved', 'dipping']")
    return both[["procedure", "verdict"]].assign(
        now=interval_texts(both, "rate"),
        then=interval_texts(both, "rate kept", "low kept", "high kept"),
        agree=(both["low"] <= both["high kept"]) & (both["low kept"] <= both["high"]))


# --- tables as they are shown ----------------------------------------------------------------


def levels_in_words(found: Study) -> pd.DataFrame:
    """Return on which well-behaved curve each procedure does worst, for two verdicts."""
    ill = found["levels"].query("verdict == 'ill_behaved' or verdict == 'dipping'")
    tried = ~ill["kept"] & (ill["worst_high"] > 5) | ill["kept"]
    return ill.assign(
        procedure=ill["procedure"].map(NAMES), verdict=ill["verdict"].map(WORDS),
        per_doubling=ill["per_doubling"].map(GRID_TITLES),
        worst_truth=[SIMULATIONS[k].title for k in ill["worst_truth"]],
        kept=ill["kept"].map({True: "yes", False: "no"}).where(tried, "not tried on all"),
    ).rename(columns={"per_doubling": "grid", "estimand": "about", "cells": "kinds",
                      "worst": "worst rate", "worst_high": "up to", "worst_truth": "on",
                      "worst_rows": "rows", "kept": "kept?"})


def by_repeats(found: Study) -> pd.DataFrame:
    """Return how often constant curves of a population are called, by the number of repeats."""
    table = found["calibration"]
    more = table[(table["verdict"] == "ill_behaved")
                 & table["truth"].isin(["flat", "noise_labels"])
                 & table["generator"].str.contains("population") & (table["rows"] == ROWS)
                 & (table["per_doubling"] == COARSE) & table["procedure"].isin(CALLERS)]
    more = more.assign(truth=[SIMULATIONS[t].title for t in more["truth"]],
                       rate=interval_texts(more, "rate"))
    wide = more.pivot(index=["generator", "truth", "repeats", "n"], columns="procedure",
                      values="rate")
    return wide[list(CALLERS)].reset_index().rename(columns=NAMES | {"n": "curves"})


def shared_in_words(found: Study) -> pd.DataFrame:
    """Return what repeats share of a step's variance, a column per kind of step."""
    common = found["shared"]
    wide = common.assign(truth=[SIMULATIONS[t].title for t in common["truth"]],
                         share=interval_texts(common, "share"))
    return wide.pivot(index=["generator", "truth"], columns="step", values="share").reset_index()


def detection_in_words(found: Study) -> pd.DataFrame:
    """Return the share that the max-statistic calls, by true size and rows."""
    rows = found["detection"].query(
        "procedure == 'max_t' and verdict == 'ill_behaved' and size > 0.002")
    wide = rows.pivot(index="size", columns="rows", values="found")
    return wide.reset_index().rename(
        columns={"size": "true size from"} | {n: f"{n:,} rows" for n in wide}).astype(
            {"true size from": str})


def smallest_in_words(found: Study) -> pd.DataFrame:
    """Return the size from which violations are mostly found, a column per procedure."""
    seen = found["smallest_seen"]
    wide = seen[seen["procedure"].isin(SEEN_BY)].pivot(
        index=["truth", "rows", "per_doubling"], columns="procedure", values="size").reset_index()
    anchors = [anchors_on(r.rows, r.per_doubling) for r in wide.itertuples()]
    wide = wide.assign(anchors=anchors, truth=[SIMULATIONS[t].title for t in wide["truth"]])
    return wide[["truth", "rows", "anchors", *SEEN_BY]].rename(columns=NAMES)


def recommended_in_words(found: Study) -> pd.DataFrame:
    """Return who is recommended, by estimand and verdict."""
    best = found["recommended"]
    return best.assign(verdict=best["verdict"].map(WORDS), call=best["procedure"],
                       per_doubling=best["per_doubling"].map(GRID_TITLES),
                       procedure=best["procedure"].map(NAMES).fillna("none")).rename(
                           columns={"per_doubling": "grid", "power": "% found",
                                    "estimand": "about"})


def confirmed_in_words(found: Study) -> pd.DataFrame:
    """Return how those recommended do on fresh curves."""
    fresh = found["confirmed"]
    return fresh.assign(
        verdict=fresh["verdict"].map(WORDS), procedure=fresh["procedure"].map(NAMES),
        per_doubling=fresh["per_doubling"].map(GRID_TITLES),
        worst_truth=[SIMULATIONS[k].title for k in fresh["worst_truth"]],
        kept=fresh["kept"].map({True: "yes", False: "no"}),
    ).rename(columns={"per_doubling": "grid", "worst": "worst rate", "worst_high": "up to",
                      "worst_truth": "on", "kept": "kept?", "power": "% found",
                      "estimand": "about"})


def mixture_in_words(found: Study) -> pd.DataFrame:
    """Return how many of those called are called wrongly, in a mixture of curves."""
    mixed = found["calibration"].query(
        "truth == 'mixture' and verdict in ['ill_behaved', 'dipping']")
    mixed = mixed.assign(
        false=interval_texts(mixed, "rate"), procedure=mixed["procedure"].map(NAMES),
        verdict=mixed["verdict"].map(WORDS))
    return mixed[["verdict", "size", "procedure", "n", "false"]].rename(
        columns={"n": "called", "false": "% of them false", "size": "true size"})


def calls_in_words(found: Study) -> pd.DataFrame:
    """Return the share of real curves that each procedure calls, a column per verdict."""
    calls = found["calls"].assign(rate=interval_texts(found["calls"], "rate"))
    shown = calls.pivot(index=["database", "procedure"], columns="verdict",
                        values="rate").reset_index()
    order = {name: k for k, name in enumerate(PROCEDURES)}
    shown = shown.sort_values(["database", "procedure"], key=lambda c: c.map(order).fillna(-1)
                              if c.name == "procedure" else c)
    about = found["procedures"].set_index("procedure")["about"]
    verdicts = ["ill_behaved", "non_monotone", "non_convex", "peaking", "dipping"]
    shown = shown.assign(about=shown["procedure"].map(about),
                         procedure=shown["procedure"].map(NAMES))
    return shown[["database", "procedure", "about", *verdicts]].rename(columns=WORDS)


def prevalence_in_words(found: Study) -> pd.DataFrame:
    """Return the estimated shares of true violations, a column per group of learners."""
    groups = {"all": "all learners", "the three leaders": "the three leaders",
              "the others": "the others"}
    rows = found.prevalence.query("min_violation == @SIZE and learner in @groups")
    rows = rows.assign(text=interval_texts(rows, "share"))
    wide = rows.pivot(index=["pool", "seen_by"], columns="learner", values="text")
    wide = wide.loc[rows[["pool", "seen_by"]].drop_duplicates().apply(tuple, axis=1)]
    fits = rows.groupby(["pool", "seen_by"])["fit_p"].first()
    wide = wide[list(groups)].rename(columns=groups).assign(fit=fits)
    return wide.reset_index().rename(columns={
        "pool": "measured on", "seen_by": "seen by", "fit": "p of the fit"})


def real_grids_in_words(found: Study) -> pd.DataFrame:
    """Return how often curves are called on real grids, by true size, residuals and procedure."""
    rows = found.real_grids.assign(text=interval_texts(found.real_grids, "rate"))
    wide = rows.pivot(index="size", columns=["procedure", "residuals"], values="text")
    wide.columns = [f"{NAMES[p]}, {RESIDUALS[r]}" for p, r in wide.columns]
    wide.insert(0, "true size", ["well-behaved", *(f"from {s:g}" for s in wide.index[1:])])
    return wide


def causes_in_words(found: Study) -> pd.DataFrame:
    """Return the phase transitions found, by learner and likely cause."""
    causes = found["transitions"].pivot_table(
        index=["database", "learner"], columns="cause", values="size", aggfunc="size",
        fill_value=0).reset_index()
    causes["all"] = causes.drop(columns=["database", "learner"]).sum(axis=1)
    return causes.sort_values(["database", "all"], ascending=[True, False])


def drops_in_words(found: Study) -> pd.DataFrame:
    """Return how often phase transitions are found, by the true excess."""
    wide = found["drops"].assign(found=interval_texts(found["drops"], "rate", digits=0)).pivot(
        index="excess", columns=["procedure", "rows"], values="found")
    wide.columns = [f"{NAMES[p]}, {rows:,} rows" for p, rows in wide.columns]
    wide.insert(0, "true excess", ["none", "above 0", *(f"at least {e:g}" for e in wide.index[2:])])
    return wide


# --- facts -----------------------------------------------------------------------------------


def facts(found: Study) -> pd.DataFrame:
    """Return the chapter's numbers, by the keys that its sentences cite."""
    rows = Facts()
    for add in (_add_simulated, _add_recommended, _add_real_grids,
                _add_prevalence, _add_drops):
        add(rows, found)
    return rows.table()


def _add(rows: Facts, key: str, row: pd.Series, digits: int = 1) -> None:
    rows.add(key, *row[["rate", "low", "high"]], unit="%", digits=digits)


def _add_simulated(rows: Facts, found: Study) -> None:
    table = found["calibration"]
    keys = ["generator", "truth", "size", "procedure", "verdict"]
    for end, grid in (("", COARSE), ("_fine", FINE)):
        main = main_cells(table, grid).set_index(keys).sort_index()
        rows.add(f"anchors{end}", anchors_on(ROWS, grid))
        _add(rows, f"flat{end}", main.loc[FIRST, "flat", 0, "published", "ill_behaved"])
        for procedure in ("published", "corrected", "max_t"):
            _add(rows, f"peaks_{procedure}{end}",
                 main.loc[FIRST, "peak", 0.05, procedure, "peaking"])
        for procedure in ("published", "max_t"):
            _add(rows, f"people_{procedure}{end}",
                 main.loc[PEOPLE, "flat", 0, procedure, "ill_behaved"])
        for key, verdict in (("noise", "ill_behaved"), ("noise_dips", "dipping")):
            of = [main.loc[LEARNED, truth, 0, "published", verdict] for truth in ON_NOISE]
            for which, row in (("least", min(of, key=lambda r: r["rate"])),
                               ("most", max(of, key=lambda r: r["rate"]))):
                _add(rows, f"{key}_{which}{end}", row)
    more = table.query("verdict == 'ill_behaved' and procedure == 'published' and rows == @ROWS"
                       " and per_doubling == @COARSE and size == 0")
    more = more.set_index(["generator", "truth", "repeats"]).sort_index()
    for key, kind in (("learned", (LEARNED, "noise_labels")), ("drawn", (PEOPLE, "flat"))):
        for repeats in (25, 100):
            _add(rows, f"{key}_{repeats}", more.loc[(*kind, repeats)])
    dips = table.query("truth == 'mixture' and verdict == 'dipping' and procedure == 'max_t'")
    _add(rows, "false_dips", dips.set_index("size").loc[0.02])
    squares = table.query("truth == 'least_squares' and verdict == 'peaking'").set_index(
        "procedure")
    rows.add("squares_peak", squares["size"].iloc[0], digits=2)
    for procedure in ("published", "max_t"):
        _add(rows, f"squares_{procedure}", squares.loc[procedure])
    done = table.drop_duplicates(["generator", "truth", "size", "rows", "per_doubling", "repeats"])
    rows.add("kinds", len(done))
    rows.add("date", found.date)
    rows.add("outer", found["noise"].query("database == 'lcdb10'")["outer"].median(), digits=2)
    rows.add("mini", count_families(load_curves("mini")["dataset"].values))
    rows.add("disagree", int((~found.live["agree"]).sum()))
    rows.add("live", len(found.live))


def _add_recommended(rows: Facts, found: Study) -> None:
    best, fresh = found["recommended"], found["confirmed"]
    rows.add("others", len(PROCEDURES) - 1)
    for end, grid in (("", COARSE), ("_fine", FINE)):
        here = best[best["per_doubling"] == grid]
        people = here.set_index(["estimand", "verdict"]).loc[("population", "ill_behaved")]
        rows.add(f"best_people{end}", NAMES.get(people["procedure"], "none"))
        rows.add(f"power_people{end}", people["power"], unit="%")
        flips = [WORDS[r.verdict] for r in here.itertuples()
                 if r.estimand == "dataset" and r.procedure.startswith("max_t")]
        rows.add(f"flips_lead{end}", ", ".join(flips) or "no verdict")
        lacking = here[here["procedure"] == ""]
        failed = fresh[~fresh["kept"] & (fresh["per_doubling"] == grid)]
        rows.add(f"none_for{end}", _verdicts(lacking) or "none")
        rows.add(f"not_confirmed{end}", _verdicts(failed) or "none")


def _verdicts(rows: pd.DataFrame) -> str:
    return "; ".join(f"{WORDS[r.verdict]} of the {r.estimand}" for r in rows.itertuples())


def _add_prevalence(rows: Facts, found: Study) -> None:
    keys = ["pool", "seen_by", "learner", "min_violation"]
    table = found.prevalence.set_index(keys).sort_index()
    main = table.loc["real residuals"]
    for key, learner in (("all", "all"), ("leaders", "the three leaders"),
                         ("rest", "the others")):
        _add_share(rows, f"true_{key}", main.loc["both", learner, SIZE])
    for key, seen_by in (("flips", "max_t"), ("corrected", "corrected")):
        _add_share(rows, f"true_by_{key}", main.loc[seen_by, "all", SIZE])
    less = main.loc["max_t less corrected", "all", SIZE]
    rows.add("true_differ", *less[["share", "low", "high"]], unit="points", digits=1)
    _add_share(rows, "true_small", main.loc["both", "all", 0.005])
    every = found.prevalence.query("learner == 'all' and min_violation == @SIZE")
    every = every[every["seen_by"].isin(["max_t", "corrected", "both"])]
    rows.add("true_least", every["share"].min(), unit="%", digits=1, n=len(every))
    rows.add("true_most", every["share"].max(), unit="%", digits=1, n=len(every))
    rows.add("true_models", len(every))
    rows.add("fit_p", main.loc["both", "all", SIZE]["fit_p"], digits=3)


def _add_real_grids(rows: Facts, found: Study) -> None:
    grids = found.real_grids.set_index(["residuals", "procedure", "size"]).sort_index()
    for residuals in ("redrawn", "normal"):
        for procedure in ("max_t", "corrected"):
            _add(rows, f"level_{residuals}_{procedure}", grids.loc[residuals, procedure, 0.0])
    for procedure in ("max_t", "corrected"):
        _add(rows, f"found_redrawn_{procedure}", grids.loc["redrawn", procedure, 0.02])
    dense = recall("missed_resolution_counts")
    dense = dense[dense["anchors"] == dense["anchors"].max()]
    for procedure, curves in dense.groupby("procedure"):
        if procedure in ("max_t", "corrected"):
            called = 100.0 * curves["null"]
            rows.add(f"level_dense_{procedure}", called.sum() / curves["curves"].sum(),
                     *map(float, ratio_of_sums_interval(called, curves["curves"],
                                                        curves["dataset"])),
                     unit="%", digits=1, n=count_families(curves["dataset"]),
                     note="of well-behaved curves on mini's grids, residuals as skewed as its own")


def _add_share(rows: Facts, key: str, row: pd.Series) -> None:
    rows.add(key, *row[["share", "low", "high"]], unit="%", digits=1, n=int(row["n"]))


def _add_drops(rows: Facts, found: Study) -> None:
    of = found["transitions"].query("database == 'lcdb10'")
    rows.add("drops", len(of))
    rows.add("drops_told", int((of["cause"] != "not told").sum()))
    detector = found["drops"].query("procedure == 'max_t' and rows == 1000").set_index("excess")
    for key, excess in (("none", 0.0), ("some", 0.02), ("large", 0.1)):
        _add(rows, f"drop_{key}", detector.loc[excess])
