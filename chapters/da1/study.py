"""How many curves of a database are ill-behaved and whose: the tables of the chapter, its facts."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from analysis.calibration.cells import COARSE
from analysis.calibration.recommend import SEEN_WELL, believed, called
from analysis.databases import chosen
from analysis.databases.counted import MIXED
from analysis.databases.naming import learner_title
from analysis.published.computed import recall
from analysis.published.printed import published_table
from analysis.shapes import PROCEDURES, detect_shapes
from analysis.shapes import rates as counting
from analysis.shapes.significance import TESTS
from analysis.shapes.verdicts import SHAPE_LABELS, VERDICTS
from analysis.statistics.repeats import TIE
from analysis.statistics.summary import interval_texts, summarise
from chapters.da1.by_test import STRICTER, outer_correlation, shares_by_test
from chapters.da1.correction_steps import IN_PLACE, correction_steps
from chapters.da1.local_peaks import peaks_by_method
from chapters.facts import Facts
from chapters.sufficient import lacks_repeats, sufficient_database
from collection.anchors import anchor_grid

FULL = "LCDB 1.1 FULL"
LEADERS = 3  # learners with the most ill-behaved curves
HARDLY = 2  # percent of a learner's curves, at most: "hardly ever"


@dataclass(frozen=True)
class Study:
    """The chapter's tables, by the scaling that it looks at most closely.

    Attributes
    ----------
    database, note, scaling : str
        Which curves; why not those asked for, if so.
    valid : xarray.DataArray, dims (dataset, learner, scaling, outer, inner, anchor)
        Validation error rates.
    shapes : dict of str to xarray.Dataset
        By "published" and "corrected".
    curves, rates, learners, intervals, by_learner : pandas.DataFrame
        A row per curve and procedure, and what `analysis.shapes.rates` makes of them.
    steps, tests, methods, changes : pandas.DataFrame
        The corrections one at a time, shares by test, peaks by two methods, and curves that only
        one procedure calls.
    """

    database: str
    note: str
    scaling: str
    valid: xr.DataArray
    shapes: dict[str, xr.Dataset]
    curves: pd.DataFrame
    rates: pd.DataFrame
    learners: pd.DataFrame
    intervals: pd.DataFrame
    by_learner: pd.DataFrame
    steps: pd.DataFrame
    tests: pd.DataFrame
    methods: pd.DataFrame
    changes: pd.DataFrame

    @property
    def one(self) -> xr.DataArray:
        """The curves of the scaling looked at most closely."""
        return self.valid.sel(scaling=self.scaling)


def study(default: str = "lcdb10") -> Study:
    """Judge the curves of the chapter's database by the published and the corrected procedure."""
    database, note = sufficient_database(default, lacks_repeats)
    valid = chosen.validation_errors(database).load()
    valid = valid.sel(learner=~valid["learner"].isin(MIXED))
    tried = chosen.tried_curves(chosen.main_curves(database), valid)
    scaling = chosen.main_scaling(valid)
    shapes = {p: detect_shapes(chosen.validation_errors(database, p).sel(
        learner=valid["learner"].values).load(), p) for p in ("published", "corrected")}
    curves = pd.concat([counting.as_table4(counting.curves_table(s, database, p), tried)
                        for p, s in shapes.items()], ignore_index=True)
    mine = curves[curves["scaling"] == scaling]
    by_learner = counting.rate_intervals(mine[mine["procedure"] == "corrected"], by=("learner",))
    return Study(
        database, note, scaling, valid, shapes, curves, counting.shape_rates(curves),
        counting.shape_rates(curves, by=("learner",)), counting.rate_intervals(curves), by_learner,
        correction_steps(valid, tried),
        shares_by_test(valid.sel(scaling=[scaling]), tried.sel(scaling=[scaling])),
        peaks_by_method(valid.sel(scaling=scaling),
                        shapes["corrected"]["peaking"].sel(scaling=scaling)),
        counting.verdict_changes(mine, "ill_behaved"))


def beside_paper(study: Study) -> pd.DataFrame:
    """Return each shape's share: the paper's column, the published and the corrected procedure."""
    theirs = chosen.beside_in_paper(study.database)
    paper = published_table("table4").query("database == @theirs and scaling == @study.scaling")
    paper = paper.set_index("property")["value"]
    wide = study.intervals[study.intervals["scaling"] == study.scaling]
    wide = wide.assign(shown=interval_texts(wide, "rate"))
    wide = wide.pivot(index="verdict", columns="procedure", values="shown").loc[list(VERDICTS)]
    table = wide[["published", "corrected"]].reset_index(names="shape").replace(SHAPE_LABELS)
    table.insert(1, f"paper ({theirs})", [paper[v] for v in VERDICTS])
    return table


def tests_in_words(tests: pd.DataFrame) -> pd.DataFrame:
    """Return `shares_by_test` with a column per least size, and whose curve each test is about."""
    shown = tests.assign(share=interval_texts(tests, "ill_behaved"))
    shown = shown.pivot(index="test", columns="min_violation", values="share").loc[list(STRICTER)]
    shown.columns = ["any size" if size == 0 else f"at least {size:g}" for size in shown.columns]
    shown.insert(0, "holds for", [
        "these datasets" if TESTS[t].estimand == "dataset" else "datasets like these"
        for t in shown.index])
    return shown.reset_index().assign(test=[TESTS[t].title for t in shown.index])


def beside_table8(study: Study) -> pd.DataFrame:
    """Return each learner's share by the published procedure, and the paper's for LCDB 1.1."""
    table8 = published_table("table8").query("database == @FULL and scaling == @study.scaling")
    table8 = table8.pivot(index="learner", columns="property", values="value")
    ours = study.learners.query("procedure == 'published' and scaling == @study.scaling")
    shown = ["ill_behaved", "peaking", "dipping"]
    beside = ours.set_index("learner")[shown].join(
        table8[shown].add_prefix("LCDB 1.1 "), how="inner")
    return beside.reset_index()


def _rank_correlation(table: pd.DataFrame) -> float:
    """Return Spearman's correlation of two columns; NaN where one is constant."""
    varies = (table.nunique() > 1).all()
    return float(table.corr(method="spearman").iloc[0, 1]) if varies else float("nan")


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers, by the keys that its sentences cite."""
    rows = Facts()
    rows.add("note", study.note)
    rows.add("database", chosen.database_title(study.database))
    _add_rates(rows, study)
    _add_leaders(rows, study)
    _add_tests(rows, study)
    _add_counts(rows, study)
    _add_trusted(rows)
    return rows.table()


def _add_rates(rows: Facts, study: Study) -> None:
    mine = study.intervals[study.intervals["scaling"] == study.scaling].set_index(
        ["procedure", "verdict"])
    counts = study.rates[study.rates["scaling"] == study.scaling].set_index("procedure")
    theirs = chosen.beside_in_paper(study.database)
    paper = published_table("table4").query("database == @theirs and scaling == @study.scaling")
    paper = paper.set_index("property")["value"].astype(float)
    rows.add("n_curves", counts.loc["published", "n_curves"])
    rows.add("paper_column", theirs)
    rows.add("paper_differs", max(abs(counts.loc["published", v] - paper[v]) for v in VERDICTS),
             unit="points", digits=1, note="largest difference to the paper's column")
    for key, procedure in (("published_ill", "published"), ("own_grid", "corrected")):
        rows.add(key, *mine.loc[(procedure, "ill_behaved"), ["rate", "low", "high"]], unit="%",
                 digits=1)
    at_step = study.steps[study.steps["scaling"] == study.scaling].set_index("step")["ill_behaved"]
    rows.add("in_place", at_step.get(IN_PLACE, at_step.iloc[-1]), unit="%", digits=1,
             note="without faults, as many comparisons as on the dense grid")


def _add_leaders(rows: Facts, study: Study) -> None:
    corrected = study.curves.query("procedure == 'corrected' and scaling == @study.scaling")
    found = corrected.pivot(index="dataset", columns="learner", values="ill_behaved")
    top = found.sum().sort_values(ascending=False, kind="stable")
    leaders = list(top.index[:LEADERS])
    rows.add("n_learners", len(top))
    rows.add("leaders", ", ".join(map(learner_title, leaders)))
    share = summarise(100 * found[leaders].sum(axis=1), found.index, _share_of(found.sum(axis=1)))
    rows.add("leaders_share", share, unit="%", note="of all ill-behaved curves")
    for key, columns in (("all", list(top.index)), ("others", list(top.index[LEADERS:]))):
        one = 100.0 * (found[columns].sum(axis=1) > 0)
        rows.add(f"datasets_{key}", summarise(one, found.index), unit="%",
                 note="datasets with at least one ill-behaved curve")
    mean = 100 * found[list(top.index[LEADERS:])].mean(axis=1)
    rows.add("others_share", summarise(mean, found.index), unit="%", digits=1,
             note="of the curves of the learners that do not lead")
    never = [learner_title(x) for x in top.index[top <= HARDLY / 100 * len(found)]]
    rows.add("never", ", ".join(never) or "none")


def _share_of(total: pd.Series):
    """Return the statistic that divides a weighted sum by that of `total`; NaN where that is 0."""
    of = total.to_numpy(dtype=float)

    def share(values: np.ndarray, times: np.ndarray) -> np.ndarray:
        below = times @ of
        return np.divide(times @ values, below, out=np.full(len(times), np.nan), where=below > 0)
    return share


def _add_tests(rows: Facts, study: Study) -> None:
    strict = study.tests.set_index(["test", "min_violation"])[["ill_behaved", "low", "high"]]
    for test in ("paired", "larger_error", "nadeau_bengio"):
        rows.add(f"test_{test}", *strict.loc[(test, 0)], unit="%", digits=1)
    for size in (0.01, 0.02, 0.05):
        rows.add(f"size_{size * 100:.0f}", *strict.loc[("paired", size)], unit="%", digits=1)
    rows.add("outer_corr", outer_correlation(study.valid), digits=2)


def _add_counts(rows: Facts, study: Study) -> None:
    published = study.curves.query("procedure == 'published' and scaling == @study.scaling")
    tiny = (((published["violation_mono"] < TIE) | (published["non_monotone"] == 0))
            & ((published["violation_conv"] < TIE) | (published["non_convex"] == 0)))
    rows.add("n_rounding", int((tiny & (published["ill_behaved"] == 1)).sum()))
    change = study.changes["change"].value_counts()
    for key, words in (("gone", "only published"), ("found", "only corrected"), ("both", "both")):
        rows.add(key, int(change.get(words, 0)))
    measured = study.valid.notnull().any(["outer", "inner"]).sum(["dataset", "learner", "scaling"])
    lost = measured.sel(anchor=~measured["anchor"].isin(anchor_grid(per_doubling=2)))
    prepared = IN_PLACE in set(study.steps["step"])
    rows.add("dropped", 100 * float(lost.sum() / measured.sum()) if prepared else 0.0, unit="%",
             note="of the anchors, by the published preparation")
    beside = beside_table8(study)
    rows.add("rank_agreement", _rank_correlation(beside[["ill_behaved", "LCDB 1.1 ill_behaved"]]),
             digits=2, note="Spearman, over learners")
    methods = study.methods
    for key in ("section_4", "appendix_h", "both"):
        rows.add(f"peaks_{key}", round((methods[key] * methods["curves"]).sum() / 100))
    rows.add("peaks_rank", _rank_correlation(methods[["section_4", "appendix_h"]]), digits=2)


def _add_trusted(rows: Facts) -> None:
    """Add what the calibration says of LCDB 1.0, whatever database the chapter is on."""
    share = believed()
    rows.add("trusted", PROCEDURES[share["procedure"]].title)
    rows.add("trusted_calls", *called(share["procedure"])[["rate", "low", "high"]], unit="%",
             digits=1)
    rows.add("truly", *share[["rate", "low", "high"]], unit="%", digits=1)
    rows.add("truly_from", SEEN_WELL, digits=2)
    dips = recall("calibration").query(
        "procedure == 'published' and verdict == 'dipping' and truth == 'neighbour_on_noise'")
    one = dips.set_index("per_doubling").loc[COARSE]
    rows.add("false_dips", one["rate"], one["low"], one["high"], unit="%", digits=1,
             n=int(one["n"]), note="of simulated curves")
    rows.add("false_dips_n", int(one["n"]))
