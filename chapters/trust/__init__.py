"""How often verdicts on shapes are wrong, and which procedure to take."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.databases.naming import learner_title
from analysis.databases.paper_curves import counted_curves
from analysis.drawing.chart import Chart
from analysis.drawing.tables import interval_texts
from analysis.published.computed import DATE, recall
from analysis.shapes import PROCEDURES, recommend
from analysis.shapes.verdicts import SHAPE_LABELS
from analysis.statistics.summary import REPEATS as REPEAT_DIMS
from chapters.chapter import Chapter, Study
from chapters.facts import Facts
from chapters.trust.real_grids import KEPT as KEPT
from lab.calibration.cells import COARSE, FINE, anchors_on
from lab.shapes.simulation import SIMULATIONS

NAMES = {name: p.title for name, p in PROCEDURES.items()}
ROWS, REPEATS, SIZE = 1000, 25, 0.02  # of the main cells; of true violations that count
GRIDS = {grid: f"{whose}, {anchors_on(ROWS, grid)} anchors"
         for grid, whose in ((COARSE, "LCDB 1.0's"), (FINE, "LCDB 1.1's"))}
FIRST, PEOPLE, LEARNED = "drawn, dataset", "drawn, population", "learned, population"
SHOWN = ("published", "holm", "larger_error", "nadeau_bengio", "max_t", "max_t_wide")
WHOSE = {"dataset": "this dataset", "population": "other data of its kind"}
ASKED = ("ill_behaved", "peaking", "dipping")
OF_CALIBRATION = ("calls", "drops", "transitions")


def compute() -> Study:
    """Recall the simulations, and work out what follows from them."""
    kept = recall("calibration")
    table = kept.drop(columns=DATE)
    best = recommend.recommended(table)
    fresh = recommend.confirmed(best, recall("calibration_confirmed").drop(columns=DATE))
    tables = {name: recall(f"calibration_{name}").drop(columns=DATE) for name in OF_CALIBRATION}
    tables |= {
        "real_grids": recall("trust_real_grids").drop(columns=DATE),
        "calibration": table, "levels": recommend.levels_kept(table), "recommended": best,
        "confirmed": fresh, "smallest_seen": recommend.smallest_seen(table)}
    tables["nulls"] = nulls(tables)
    return Study(tables, date=str(kept[DATE].max()))


def main_cells(table: pd.DataFrame, per_doubling: int = COARSE) -> pd.DataFrame:
    """Return the rows of the main cells of a grid by kind, size, procedure and verdict."""
    main = table[(table["rows"] == ROWS) & (table["per_doubling"] == per_doubling)
                 & (table["repeats"] == REPEATS)]
    return main.set_index(["generator", "truth", "size", "procedure", "verdict"]).sort_index()


def nulls(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Return how often descriptive rules say yes, and how often where there is nothing to find.

    Returns
    -------
    pandas.DataFrame
        ``rule``, ``found`` (percent of real curves that exist), ``null, null_low, null_high``
        (percent where the simple model holds, 95 % interval), ``nothing to find`` (that model),
        ``n`` (curves of it).
    """
    calls = tables["calls"].set_index(["database", "procedure", "verdict"])["rate"]
    real = tables["real_grids"].query("residuals == 'redrawn'").set_index(["procedure", "size"])
    main = main_cells(tables["calibration"])
    none = tables["drops"].set_index(["procedure", "rows", "excess"]).loc[("max_t", ROWS, 0.0)]
    noise = main.loc[LEARNED, "neighbour_on_noise", 0, "corrected", "dipping"]
    lookalike = "well-behaved curves with the same residuals"
    found = len(tables["transitions"].query("database == 'lcdb10'"))
    valid, tried = counted_curves("lcdb10", "none")
    there = int(valid.notnull().any([*REPEAT_DIMS, "anchor"]).sum())
    # They are kept as shares of the curves tried, missing ones too.
    calls = calls * int(tried.sum()) / there
    rows = [(f"{name}: ill-behaved", calls["lcdb10", p, "ill_behaved"], real.loc[p, 0.0], lookalike)
            for p, name in (("corrected", "corrected"), ("max_t", "max-statistic"))]
    dips = calls["lcdb10", "corrected", "dipping"]
    rows += [("corrected: dipping", dips, main.loc[FIRST, "flat", 0, "corrected", "dipping"],
              "constant curves of this dataset"),
             ("the same, about other data of its kind", dips, noise,
              "nearest neighbour, labels are noise"),
             ("phase transition", 100 * found / there, none, "drawn curves without one")]
    table = pd.DataFrame([(rule, share, *row[["rate", "low", "high"]], null, int(row["n"]))
                          for rule, share, row, null in rows],
                         columns=["rule", "found", "null", "null_low", "null_high",
                                  "nothing to find", "n"])
    grids = recall("da1_resolution_counts").query("procedure == 'max_t'").groupby("anchors").sum(
        numeric_only=True).iloc[-1]
    tabnet, drops = recall("artefacts_tabnet_curves").iloc[0], recall("artefacts_largest_drops")
    others = drops.query("anchor == 1024 and learner != 'TabNet'")
    worst = others.loc[(others["curves"] / others["of"]).idxmax()]
    more = [("max-statistic on LCDB 1.1's grid, anew: ill-behaved", grids["called"],
             grids["curves"], grids["null"], grids["curves"], lookalike),
            ("the same, confirmed on other repeats", grids["confirmed"], grids["curves"],
             grids["null_confirmed"], grids["curves"], lookalike),
            ("falls most at 1,024 rows (TabNet)", tabnet["at_batch"], tabnet["reach"],
             worst["curves"], worst["of"], f"any other learner: {learner_title(worst['learner'])}")]
    return pd.concat([table, pd.DataFrame(
        [{"rule": rule, "found": 100 * a / b, "null": 100 * c / d, "nothing to find": null,
          "n": round(d)} for rule, a, b, c, d, null in more])], ignore_index=True)


# --- tables as they are shown ----------------------------------------------------------------


def recommended_in_words(study: Study) -> pd.DataFrame:
    """Return which procedure to take, and how it did on curves that had no part in choosing it."""
    fresh = study.tables["confirmed"].query("verdict in @ASKED")
    return pd.DataFrame({
        "grid": fresh["per_doubling"].map(GRIDS), "about": fresh["estimand"].map(WHOSE),
        "verdict": fresh["verdict"].map(SHAPE_LABELS), "procedure": fresh["procedure"].map(NAMES),
        "false alarms at worst, %": interval_texts(
            fresh.assign(least=np.nan), "worst", "least", "worst_high"),
        "found, %": fresh["power"].round()})


def smallest_in_words(study: Study) -> pd.DataFrame:
    """Return the size from which violations are found in 80 %, for four procedures."""
    seen = study.tables["smallest_seen"]
    columns = ["published", "corrected", "max_t", "max_t_wide"]
    wide = seen[seen["procedure"].isin(columns)
                & seen["truth"].isin(["peak", "dip", "phase_transition"])].pivot(
        index=["truth", "per_doubling", "rows"], columns="procedure", values="size")
    wide = wide.loc[[k for k in wide.index if k[2] in (ROWS, 5000)]].reset_index()
    wide["grid"] = [f"{anchors_on(r.rows, r.per_doubling)} anchors" for r in wide.itertuples()]
    wide["truth"] = [SIMULATIONS[k].title for k in wide["truth"]]
    return wide[["truth", "rows", "grid", *columns]].rename(columns=NAMES)


def nulls_in_words(study: Study) -> pd.DataFrame:
    """Return the nulls with their intervals as text."""
    table = study.tables["nulls"]
    return pd.DataFrame({"rule": table["rule"], "says yes, %": table["found"],
                         "where nothing is to be found, %": interval_texts(
                             table, "null", "null_low", "null_high"),
                         "nothing to find": table["nothing to find"], "curves": table["n"]})


# --- facts -----------------------------------------------------------------------------------


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers, by the keys that its sentences cite."""
    rows, tables = Facts(), study.tables
    for end, grid in (("", COARSE), ("_fine", FINE)):
        main = main_cells(tables["calibration"], grid)
        for key, generator in (("flat", FIRST), ("people", PEOPLE)):
            _add(rows, f"{key}{end}", main.loc[generator, "flat", 0, "published", "ill_behaved"])
    main = main_cells(tables["calibration"])
    _add(rows, "people_corrected", main.loc[PEOPLE, "flat", 0, "corrected", "ill_behaved"])
    real = tables["real_grids"].query("residuals == 'redrawn'").set_index(["procedure", "size"])
    for procedure in ("corrected", "max_t"):
        _add(rows, f"level_{procedure}", real.loc[procedure, 0.0])
        _add(rows, f"found_{procedure}", real.loc[procedure, SIZE])
    of_rules = tables["nulls"].set_index("rule")["null"]
    rows.add("level_dense", of_rules["max-statistic on LCDB 1.1's grid, anew: ill-behaved"],
             unit="%", digits=1)
    rows.add("date", study.date)
    drops = tables["drops"].query("procedure == 'max_t' and rows == @ROWS").set_index("excess")
    _add(rows, "drop_large", drops.loc[0.1])
    found = tables["transitions"].query("database == 'lcdb10'")
    rows.add("drops", len(found))
    for key, cause in (("at_features", "n ≈ d"), ("at_batch", "batch size"),
                       ("constant", "constant prediction")):
        rows.add(f"drops_{key}", int((found["cause"] == cause).sum()))
    return rows.table()


def _add(rows: Facts, key: str, row: pd.Series) -> None:
    rows.row(key, row, "rate", n="n", unit="%", digits=1)


# --- figures ---------------------------------------------------------------------------------


def draw_real(study: Study) -> Figure:
    """Draw how often curves on LCDB 1.0's own grids are called, by their true violation."""
    rows = study.tables["real_grids"].query("residuals == 'redrawn'").sort_values(
        "size", kind="stable")
    ends = [*sorted(rows["size"].unique())[1:], np.inf]
    below = dict(zip(sorted(rows["size"].unique()), ends, strict=True))
    words = ["none" if s == 0 else f"{100 * s:g} points or more" if np.isinf(below[s])
             else f"{100 * s:g} to {100 * below[s]:g} points" for s in rows["size"]]
    rows = rows.assign(violation=words, procedure=rows["procedure"].map(NAMES))
    return Chart("rows", "dots", "rate", "violation", "% called ill-behaved",
                 "true violation (error rate)", "Few false alarms; small violations are missed",
                 by="procedure", height=2.9).draw({"rows": rows})


def draw_false_alarms(study: Study) -> Figure:
    """Draw how often each procedure calls constant curves, by whose curve is meant."""
    main = main_cells(study.tables["calibration"]).xs(0, level="size")
    rows = pd.concat([main.loc[(generator, "flat", list(SHOWN), "ill_behaved")].reset_index()
                      .assign(whose=f"constant for {words}")
                      for generator, words in ((FIRST, WHOSE["dataset"]),
                                               (PEOPLE, WHOSE["population"]))])
    return Chart("rows", "dots", "rate", "procedure", "% of constant curves called ill-behaved",
                 title="About other data, many tests call too many", by="whose",
                 reference=recommend.LEVEL, height=2.7).draw(
                     {"rows": rows.assign(procedure=rows["procedure"].map(NAMES))})


chapter = Chapter(
    "trust", compute, facts,
    charts={"real": draw_real, "false_alarms": draw_false_alarms},
    shown={"recommended": recommended_in_words, "smallest_seen": smallest_in_words,
           "nulls": nulls_in_words})
