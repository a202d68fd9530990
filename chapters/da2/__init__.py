"""Whether feature scaling makes learning curves better behaved (DA2 of the paper)."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.databases.naming import learner_title
from analysis.databases.paper_curves import compared_errors
from analysis.drawing.chart import Chart
from analysis.drawing.tables import interval_texts
from analysis.shapes.verdicts import SHAPE_LABELS
from chapters.chapter import Chapter
from chapters.da2 import scaling
from chapters.sufficient import DatabaseStudy, lacks_both, sufficient_database
from collection.containers.curves import SCALINGS
from collection.containers.learner_names import NOT_COUNTED
from collection.shipped.anew import NAME

DUMMY, NO_LEARNER = "DummyClassifier", ("all", *NOT_COUNTED)
#: Learners that scaling cannot move, by their arithmetic.
INVARIANT = ("LDA", "ExtraTree")
#: Pairs of a learner and a scaling that the paper names: as better, as worse behaved with it.
NAMED = (("MLP", "standard"), ("RidgeClassifier", "minmax"), ("NearestCentroid", "minmax"),
         ("NearestCentroid", "standard"))
FULL = "LCDB 1.1 FULL"
#: Databases of the paper's Table 8, with their numbers of datasets.
PAPER = {FULL: 265, "LCDB 1.1 CC-18": 72}


class Study(DatabaseStudy):
    """The chapter's curves and what is said of them.

    Its tables are rates, paired differences, shifts, and the paper's rates taken apart; ``overall``
    are the differences that the figure shows.

    Attributes
    ----------
    valid : xarray.DataArray, dims (dataset, learner, scaling, outer, inner, anchor)
        Validation error rates of pairs gathered under every scaling.
    """

    def rows(self, measure: str) -> pd.DataFrame:
        """Return the paired differences of a measure."""
        return self.tables["paired"].query("measure == @measure")


def compute() -> Study:
    """Judge the curves of the chapter's database under every scaling."""
    database, note = sufficient_database(NAME, lambda name: lacks_both(name, "scaling"))
    valid = compared_errors(database, "scaling")
    valid = valid.squeeze("leakage", drop=True)
    paired = scaling.paired_effects(scaling.judge_scalings(valid))
    overall = paired.query("learner == 'all' and measure != 'violation'")
    return Study(database, note, {
        "paired": paired, "shifts": scaling.curve_shifts(valid),
        "like_for_like": scaling.like_for_like(),
        "table8_tests": pd.concat([scaling.table8_tests(name, n).assign(database=name)
                                   for name, n in PAPER.items()], ignore_index=True),
        "overall": overall.assign(shape=overall["measure"].map(SHAPE_LABELS))},
        valid=valid)


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows = study.facts()
    overall = study.rows("ill_behaved").query("learner == 'all'").set_index("scaling")
    overall = overall.drop(columns="learner").reindex(list(SCALINGS[1:]))
    for name, row in overall.iterrows():
        rows.row(f"overall_{name}", row, "difference", digits=1, unit="points",
                 note="of the learners that Table 4 counts")
        rows.add(f"p_{name}", row["p"], digits=3 if row["p"] >= 0.001 else 5, note="sign flips")
    standard = overall.loc["standard"]
    rows.update({"n_pairs": standard["n_pairs"], "n_datasets": study.valid.sizes["dataset"],
                 "changed_standard": standard["better"] + standard["worse"],
                 "n_changed_standard": standard["n_changed"]})
    single = study.rows("violation").query("learner not in @NO_LEARNER")
    told = single[single["effect"].isin(["better", "worse"])]
    rows.update({"n_intervals": len(single), "n_improved": int((told["effect"] == "better").sum()),
                 "n_worsened": int((told["effect"] == "worse").sum()),
                 "n_exact": int((told["p"] < 0.05).sum())})
    for name in INVARIANT:
        own = study.tables["shifts"].query("learner == @name")
        least = (own["identical"] * own["n_curves"] / 100).min()
        rows.add(f"identical_{name.lower()}", f"{least:.0f} of {own['n_curves'].max()}",
                 note="of its curves, with the scaling that has fewer")
    full = study.tables["like_for_like"].query("database == @FULL").set_index("scaling")
    for name in SCALINGS[1:]:
        for key, column in (("drop", "printed"), ("real", "always_there")):
            rows.add(f"paper_{key}_{name}", full.loc["none", column] - full.loc[name, column],
                     digits=1)
    paper = study.tables["table8_tests"].query("database == @FULL")
    differ = paper[paper["p_holm"] < 0.05]
    rows.update({"paper_pairs": len(paper), "paper_differ": len(differ),
                 "paper_fewer": int((differ["difference"] < 0).sum())})
    row = paper.set_index(["learner", "scaling"]).loc[("NearestCentroid", "minmax")]
    rows.row("paper_centroid", row, "difference", digits=1, unit="points", n="there_with")
    return rows.table()


def _paper(study: Study) -> Figure:
    """Draw the change that Table 8 shows of each learner, those first whose curves change most."""
    rows = study.tables["table8_tests"].query("database == @FULL and learner != @DUMMY")
    order = rows.groupby("learner")["difference"].agg(lambda d: d.abs().max()).sort_values()
    rows = rows.sort_values("learner", key=lambda names: -names.map(order), kind="stable")
    title = ("Scaling mends some learners' curves and spoils one's"
             if set(np.sign(rows.query("p_holm < 0.05")["difference"])) == {-1, 1} else "")
    return Chart("rows", "dots", "difference", "learner", title=title, by="scaling", reference=0,
                 height=5.0, xlabel="change of the share of ill-behaved curves [points]",
                 ).draw({"rows": rows})


def _named(study: Study) -> pd.DataFrame:
    """Return what scaling does to the learners that the paper names."""
    size = study.rows("violation").set_index(["learner", "scaling"])
    share = study.rows("ill_behaved").set_index(["learner", "scaling"])
    there = [pair for pair in NAMED if pair in size.index]
    return pd.DataFrame({
        "learner": [learner_title(name) for name, _ in there],
        "scaling": [name for _, name in there],
        "pairs of curves": size.loc[there, "n_pairs"].to_numpy(),
        "change of the largest violation": interval_texts(size.loc[there], "difference"),
        "ill-behaved without, %": share.loc[there, "without"].to_numpy(),
        "ill-behaved with, %": share.loc[there, "with"].to_numpy()})


def _differ(study: Study) -> pd.DataFrame:
    """Return the learners of Table 8 whose share differs, on either of the paper's databases."""
    rows = study.tables["table8_tests"].query("p_holm < 0.05").sort_values(["database", "p"])
    return pd.DataFrame({
        "database": rows["database"], "learner": [learner_title(n) for n in rows["learner"]],
        "scaling": rows["scaling"], "without, %": rows["without"], "with, %": rows["with"],
        "change of the share, points": interval_texts(rows, "difference"),
        "adjusted p": [f"{p:.3f}" if p >= 0.001 else "< 0.001" for p in rows["p_holm"]]})


def _like(study: Study) -> pd.DataFrame:
    return study.tables["like_for_like"].rename(columns={
        "printed": "Table 4 as printed", "same_learners": "the same 23 learners",
        "always_there": "of these, the 21 without missing curves"})


def draw_overall(study: Study) -> Figure:
    """Draw how scaling changes the share of each shape; the title is whether clearly so."""
    clear = (study.tables["overall"].query("measure == 'ill_behaved'")["p"] <= 0.05).any()
    return Chart("overall", "dots", "difference", "shape", by="scaling", reference=0, height=2.9,
                 xlabel="change with scaling (percentage points of curves)",
                 title="Scaling changes how many curves misbehave" if clear else
                 "Too few datasets to tell what scaling changes").draw(study.tables)


chapter = Chapter(
    "da2", compute, facts,
    charts={"paper": _paper, "overall": draw_overall},
    shown={"named": _named, "table8_tests": _differ, "like_for_like": _like})
