"""How many curves of a database are ill-behaved, by which definition, and whose they are."""

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from analysis.databases import paper_curves as chapter_data
from analysis.databases.naming import learner_title
from analysis.drawing.chart import Chart
from analysis.drawing.tables import interval_texts
from analysis.published.computed import DATE, recall
from analysis.published.printed import FULL, published_table
from analysis.shapes import PROCEDURES, detect_shapes
from analysis.shapes import rates as counting
from analysis.shapes.verdicts import SHAPE_LABELS, VERDICTS
from analysis.statistics.bootstrap import ratio_of_sums_interval
from analysis.statistics.families import count_families
from analysis.statistics.halves import chosen_elsewhere
from analysis.statistics.summary import TIE, summarise
from chapters.chapter import Chapter
from chapters.da1 import decomposition as steps
from chapters.da1 import open_questions
from chapters.da1.definitions import by_definition, peaks_by_method, shares_by_test
from chapters.da1.resolution import DENSE, MAX_T, by_grid, counts_by_grid, dense_curves, judge_grids
from chapters.facts import Facts
from chapters.sufficient import DatabaseStudy, sufficient_database
from collection.containers.curves import METRICS
from collection.containers.learner_names import MIXED

LEADERS = 3  # learners with the most ill-behaved curves
SHOWN = ("ill_behaved", "peaking", "dipping")
GRIDS = {MAX_T: "max-statistic", "corrected": "Bonferroni, own grid",
         "corrected, dense price": "Bonferroni, densest grid"}
#: What is kept, as it needs LCDB 1.1's means, or takes minutes.
OF_LCDB11 = {"decomposition": lambda: steps.decomposition(steps.both_verdicts()),
             "grid_step": lambda: steps.grid_step_by_place(steps.both_verdicts()),
             "reconstruction_check": lambda: steps.reconstruction_check(steps.old_curves())}
KEPT = {f"da1_{name}": compute for name, compute in OF_LCDB11.items()} | {
    "da1_resolution_counts": lambda: judge_grids(*dense_curves()),
    "da1_by_correction": lambda: open_questions.by_correction(
        open_questions.measured_curves("lcdb10")["error_rate"])}


class Study(DatabaseStudy):
    """The chapter's tables, the ``scaling`` that it looks at, the ``perceptron``'s two counts."""

    def judged(self, procedure: str) -> pd.DataFrame:
        """Return the curves of the scaling, as a procedure judges them."""
        return self.tables["curves"].query("procedure == @procedure and scaling == @self.scaling")

    def in_paper(self) -> tuple[str, pd.Series]:
        """Return the paper's column to compare with: its name, and percent by shape."""
        column = chapter_data.beside_in_paper(self.database)
        paper = published_table("table4").query("database == @column and scaling == @self.scaling")
        return column, paper.set_index("property")["value"]


def compute() -> Study:
    """Judge the curves of the chapter's database by the published and the corrected procedure."""
    database, note = sufficient_database("lcdb10")
    anew = dense_curves()
    valid = chapter_data.validation_errors(database).load()
    valid = valid.sel(learner=~valid["learner"].isin(MIXED))
    tried = chapter_data.tried_curves(chapter_data.main_curves(database), valid)
    scaling = chapter_data.main_scaling(valid)
    shapes = {p: detect_shapes(chapter_data.validation_errors(database, p).sel(
        learner=valid["learner"].values).load(), p) for p in ("published", "corrected")}
    curves = pd.concat([counting.as_table4(
        counting.curves_table(s).assign(database=database, procedure=p), tried)
        for p, s in shapes.items()], ignore_index=True)
    mine = curves.query("procedure == 'corrected' and scaling == @scaling")
    counted = np.isin(valid["learner"].values, mine["learner"].unique())
    one, there = valid.sel(scaling=[scaling])[:, counted], tried.sel(scaling=[scaling])[:, counted]
    corrected = shapes["corrected"].sel(scaling=scaling)
    measured = open_questions.measured_curves(database)
    tables = {
        "curves": curves, "rates": counting.shape_rates(curves),
        "learners": counting.shape_rates(curves, by=("learner",)),
        "intervals": counting.rate_intervals(curves),
        "definitions": _both_definitions(by_definition(
            shares_by_test(one, there), {p: s.sel(scaling=[scaling]) for p, s in shapes.items()},
            one, there, database), database, *anew),
        "by_learner": _by_learner(mine),
        "peaks_by_method": peaks_by_method(valid.sel(scaling=scaling), corrected["peaking"]),
        "resolution": by_grid(recall("da1_resolution_counts").drop(columns=DATE)),
        "by_correction": recall("da1_by_correction").drop(columns=DATE),
        "by_measure": open_questions.by_measure(measured),
        "dips_that_last": open_questions.dips_that_last(measured["error_rate"]),
        **{name: recall(f"da1_{name}").drop(columns=DATE) for name in OF_LCDB11}}
    tables["beside_table8"] = _beside_table8(tables["learners"], scaling)
    return Study(database, note, tables, scaling=scaling,
                 perceptron=counts_by_grid(anew[0].sel(learner=["MLP"])))


def _both_definitions(own: pd.DataFrame, database: str, valid: xr.DataArray, tried: xr.DataArray
                      ) -> pd.DataFrame:
    """Return the definitions' shares in the chapter's database, and below them in `DENSE`."""
    found = {database: own}
    if database != DENSE:
        found[DENSE] = by_definition(shares_by_test(valid, tried), {
            p: detect_shapes(valid, p) for p in ("published", "corrected")}, valid, tried, DENSE)
    table = pd.concat(found, names=["database"]).reset_index("database").reset_index(drop=True)
    return table.assign(database=table["database"].map(chapter_data.database_title))


def _by_learner(curves: pd.DataFrame) -> pd.DataFrame:
    """Return each learner's share of the curves that exist, the most ill-behaved first."""
    rates = counting.rate_intervals(curves[curves["missing"] == 0], by=("learner",))
    order = rates[rates["verdict"] == "ill_behaved"].sort_values("rate", ascending=False,
                                                                 kind="stable")["learner"]
    return rates.sort_values("learner", key=lambda c: c.map(list(order).index), kind="stable",
                             ignore_index=True)


def _beside_table8(learners: pd.DataFrame, scaling: str) -> pd.DataFrame:
    """Return each learner's share by the published procedure, and the paper's for LCDB 1.1."""
    table8 = published_table("table8")
    table8 = table8[(table8["database"] == FULL) & (table8["scaling"] == scaling)]
    table8 = table8.pivot(index="learner", columns="property", values="value")
    ours = learners.query("procedure == 'published' and scaling == @scaling").set_index("learner")
    return ours[list(SHOWN)].join(table8[list(SHOWN)].add_prefix("LCDB 1.1 "),
                                  how="inner").reset_index()


def beside_paper(study: Study) -> pd.DataFrame:
    """Return each shape's share: the paper's column, the published and the corrected procedure."""
    theirs, paper = study.in_paper()
    wide = study.tables["intervals"].query("scaling == @study.scaling")
    wide = wide.assign(shown=interval_texts(wide, "rate"))
    wide = wide.pivot(index="verdict", columns="procedure", values="shown").loc[list(VERDICTS)]
    table = wide[["published", "corrected"]].reset_index(names="shape").replace(SHAPE_LABELS)
    table.insert(1, f"paper ({theirs})", [paper[v] for v in VERDICTS])
    return table


def definitions_in_words(study: Study) -> pd.DataFrame:
    """Return the definitions with their shares and intervals as text."""
    table = study.tables["definitions"]
    exist = table.groupby("database", sort=False)["denominator"].transform("first")
    return pd.DataFrame({"curves of": table["database"], "definition": table["definition"],
                         "ill-behaved, %": interval_texts(table, "share"),
                         "of": table["denominator"].map("{:,}".format),
                         "of those that exist, %": (
                             100 * table["numerator"] / exist).round(1),
                         "when to use it": table["when to use it"]})


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers, by the keys that its sentences cite."""
    rows = Facts()
    first = study.tables["definitions"].iloc[0]
    rows.update({"note": study.note, "database": chapter_data.database_title(study.database),
                 "n_curves": int(first["denominator"])})
    rows.row("ill_behaved", first, "share", n="denominator", unit="%", digits=1,
             note="of the curves that exist")
    _add_leaders(rows, study)
    _add_published(rows, study)
    _add_denser(rows, study)
    _add_open_questions(rows, study)
    return rows.table()


def _add_open_questions(rows: Facts, study: Study) -> None:
    measures, dips = study.tables["by_measure"].set_index("measure"), study.tables["dips_that_last"]
    rows.update({"measured": int(measures["curves"].iloc[0])})
    for name in ("auc", "log_loss"):
        found = measures.reindex([name]).iloc[0]
        rows.add(f"by_{name}", *found[["ill_behaved", "low", "high"]], digits=1, unit="%",
                 n=int(measures["curves"].iloc[0]))
    rows.row("dips_last", dips.iloc[0], "last", n="half", unit="%",
             note="of the curves that dip at half of their sizes")
    rows.add("dips_new", dips["well"].iloc[0], unit="%", digits=1,
             note="of the curves that do not dip at half of their sizes")


def further_ways(study: Study) -> pd.DataFrame:
    """Return the shares by other measures, and by other corrections, in words."""
    measures = study.tables["by_measure"]
    measures = measures.assign(way=[f"by {METRICS[name].label}" for name in measures["measure"]])
    ways = study.tables["by_correction"]
    ways = ways.assign(way=[f"by error rate: {PROCEDURES[n].title}" for n in ways["procedure"]])
    table = pd.concat([measures, ways], ignore_index=True)
    return pd.DataFrame({"judged": table["way"], "curves": table["curves"].map("{:,}".format),
                         "ill-behaved, %": interval_texts(table, "ill_behaved")})


def _add_leaders(rows: Facts, study: Study) -> None:
    curves = study.judged("corrected")
    counts = curves.groupby("learner")["ill_behaved"].sum()
    leaders = list(counts.sort_values(ascending=False, kind="stable").index[:LEADERS])
    ill, there = (table.pivot(index="dataset", columns="learner", values="ill_behaved")
                  for table in (curves, curves.assign(ill_behaved=1 - curves["missing"])))
    others = [name for name in ill if name not in leaders]
    elsewhere = [] if count_families(ill.index) < 2 else [
        ill.loc[judged, list(most)].sum().sum() / ill[judged].sum().sum()
        for judged, most in chosen_elsewhere(ill.index, lambda here: tuple(
            ill[here].sum().nlargest(LEADERS).index)) if ill[judged].sum().sum()]
    rows.add("leaders_elsewhere", 100 * float(np.mean(elsewhere or [np.nan])), unit="%", digits=1,
             note="the three with most on half of the datasets, counted on the other half; mean")
    rows.update({"n_learners": ill.shape[1], "n_leaders": len(leaders),
                 "leaders": ", ".join(map(learner_title, leaders))})
    for key, part, whole, note in (
            ("leaders_share", ill[leaders], ill, "of all ill-behaved curves"),
            ("others_share", ill[others], there[others], "of the other learners' curves")):
        part, whole = 100 * part.sum(axis=1), whole.sum(axis=1)
        ends = (np.nan, np.nan)
        if whole.sum() and count_families(ill.index) > 1:
            ends = map(float, ratio_of_sums_interval(part, whole, ill.index))
        rows.add(key, part.sum() / whole.sum() if whole.sum() else np.nan, *ends, unit="%",
                 digits=1, n=int(whole.sum()), note=note)
    one = 100.0 * (ill[others].sum(axis=1) > 0)
    rows.add("datasets_others", summarise(one, ill.index), unit="%",
             note="datasets with an ill-behaved curve of another learner")


def _add_published(rows: Facts, study: Study) -> None:
    published, (theirs, paper) = study.judged("published"), study.in_paper()
    rows.add("paper_column", theirs)
    rows.add("paper_differs", max(abs(100 * published[v].mean() - paper[v]) for v in VERDICTS),
             unit="points", digits=2, note="largest difference to the paper's column")
    rows.add("replicated", 100 * published["ill_behaved"].mean(), unit="%", digits=1,
             note="of all curves tried, by the published procedure")
    own = study.tables["definitions"].set_index(["database", "definition"])
    rows.row("of_tried", own.loc[(chapter_data.database_title(study.database),
                                  "corrected, missing curves counted")], "share", n="denominator",
             unit="%", digits=1, note="of all curves tried, by the corrected procedure")
    tiny = (((published["violation_mono"] < TIE) | (published["non_monotone"] == 0))
            & ((published["violation_conv"] < TIE) | (published["non_convex"] == 0)))
    rows.add("n_rounding", int((tiny & (published["ill_behaved"] == 1)).sum()))
    methods = study.tables["peaks_by_method"]
    for key in ("section_4", "appendix_h"):
        rows.add(f"peaks_{key}", round((methods[key] * methods["curves"]).sum() / 100))


def _add_denser(rows: Facts, study: Study) -> None:
    """Add what does not depend on the database: LCDB 1.0 against 1.1, and nested grids."""
    parts = study.tables["decomposition"].set_index(["price", "step"])
    paper = published_table("table4").query(
        "database == @FULL and scaling == 'none' and property == 'ill_behaved'")
    rows.add("paper_new", float(paper["value"].item()), unit="%", digits=1)
    rows.add("difference", steps.printed_difference(), unit="points", digits=1)
    for key, price in (("dense", steps.DENSE_PRICE), ("own", steps.OWN_PRICE)):
        rows.row(f"grid_{key}", parts.loc[(price, steps.GRID_STEP)], "change", unit="points",
                 digits=1)
    rows.update(dict(zip(("coarse_mlp", "finer_mlp"), study.perceptron, strict=True)))
    mlp = study.tables["beside_table8"].set_index("learner").reindex(["MLP"]).iloc[0]
    for key, column in (("mlp_here", "ill_behaved"), ("mlp_printed", "LCDB 1.1 ill_behaved")):
        rows.add(key, mlp[column], unit="%", digits=1, note="by the published procedure")
    anew = study.tables["definitions"].set_index("database").loc[[
        chapter_data.database_title(DENSE)]].iloc[0]
    rows.row("anew", anew, "share", n="denominator", unit="%", digits=1,
             note="curves gathered anew, corrected procedure, of those that exist")
    check = study.tables["reconstruction_check"].iloc[0]
    rows.update({"called": int(check["by_repeats"]), "called_too": int(check["both"]),
                 "invented": int(check["by_means"] - check["both"])},
                note="LCDB 1.0's curves, by repeats and reconstructed from means")
    counts = recall("da1_resolution_counts").query("procedure == @MAX_T")
    table = study.tables["resolution"].query("procedure == @MAX_T").set_index("anchors")
    first, last = table.index.min(), table.index.max()
    n = count_families(counts["dataset"].unique())
    rows.add("dense_curves", int(table["n"].iloc[0]), n=n)
    both = study.tables["resolution"].set_index(["procedure", "anchors"])
    for end, anchors in (("coarse", first), ("dense", last)):
        for key, procedure in ((f"flips_{end}", MAX_T), (f"{end}_all", "corrected")):
            rows.row(key, both.loc[(procedure, anchors)], "share", unit="%", digits=1, n="n")
    rows.add("null_dense", table.loc[last, "null_share"], unit="%", digits=1)
    wide = counts.pivot(index="dataset", columns="anchors",
                        values=["confirmed", "null_confirmed", "curves"])
    real, null = (100.0 * (wide[what, last] - wide[what, first])
                  for what in ("confirmed", "null_confirmed"))
    for key, more in (("more", real), ("null", null), ("left", real - null)):
        rows.add(f"denser_{key}", more.sum() / wide["curves", last].sum(),
                 *map(float, ratio_of_sums_interval(more, wide["curves", last], more.index)),
                 unit="points", digits=1, n=n,
                 note="called on three outer seeds, confirmed on two; null: well-behaved curves")


def draw_learners(study: Study) -> Figure:
    """Draw each learner's share of curves with each verdict (the paper's Figure 4)."""
    rows = study.tables["by_learner"]
    rows = pd.concat([rows[rows["verdict"] == verdict] for verdict in SHOWN])
    share = facts(study).set_index("key").loc["leaders_share", "value"]
    n = rows["learner"].nunique()
    most = n > 2 * LEADERS and share > 50
    title = f"Three of {n} learners have most of the ill-behaved curves" if most else ""
    rows = rows.assign(learner=rows["learner"].map(learner_title),
                       verdict=rows["verdict"].map(SHAPE_LABELS))
    return Chart("rows", "dots", "rate", "learner", "% of its curves", title=title,
                 panel="verdict", across=3, height=3.9).draw({"rows": rows})


def draw_grids(study: Study) -> Figure:
    """Draw what is called on four nested grids, and what is confirmed, by test."""
    table = study.tables["resolution"]
    lines = {"called": "share", "called, truly well-behaved": "null_share",
             "confirmed on other repeats": "confirmed_share"}
    rows = pd.concat([table.assign(line=name, value=table[column])[
        ["procedure", "anchors", "line", "value"]] for name, column in lines.items()])
    rows = rows.assign(procedure=rows["procedure"].map(GRIDS))
    return Chart("rows", "lines", "anchors", "value", "anchors", "% of the curves",
                 by="line", panel="procedure", across=3, height=2.6,
                 title="By Bonferroni's correction, a finer grid flags no more curves").draw(
                     {"rows": rows})


chapter = Chapter(
    "da1", compute, facts,
    charts={"learners": draw_learners, "grids": draw_grids},
    shown={"definitions": definitions_in_words, "by_measure": further_ways,
           "beside_paper": beside_paper})
