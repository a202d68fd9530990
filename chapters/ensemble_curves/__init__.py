"""Is an ensemble better than its best member? Learning curves of both, from kept predictions."""

import pandas as pd

from analysis.databases.load import load_curves
from analysis.drawing.chart import Chart
from chapters.chapter import Chapter, Study
from chapters.ensemble_curves.advantage import (
    advantages,
    cost_of_few,
    half_octaves,
    last_anchors,
    training_costs,
)
from chapters.ensemble_curves.judged import (
    HINDSIGHT,
    datasets_table,
    ensemble_names,
    judged_errors,
    member_names,
)
from chapters.ensemble_curves.survival import MEMBERS, crossing_shares, surviving_verdicts
from chapters.facts import Facts
from lab.ensemble_curves import open_few_rows

USED = {"peaking": "max_t", "dipping": "corrected"}  # procedures
STACK, CARUANA, SINGLE, FEW = "Stacking", "Caruana", "Single best", "Portfolio, Caruana"
COMPARED = (CARUANA, "Caruana, log-loss", "Equal weights", STACK)
BASELINES = {SINGLE: "against the single best, chosen", HINDSIGHT: "against the truly best member"}
ROWS = {"10": "10 rows", "20": "20 rows", "matched": "as many as for training",
        "ninth": "a ninth of the training rows"}


def compute() -> Study:
    """Compute what the chapter says of the shipped curves of ensembles.

    Returns
    -------
    Study
        ``n_members`` (int), ``datasets``; ``verdicts, crossings``: from `surviving_verdicts` and
        `crossing_shares`. ``overall, final, advantages``: from `advantages`, against `BASELINES`:
        in the mean over half octaves, at the largest anchor of each dataset, and at each half
        octave. ``costs, few_rows``: from `training_costs` and `cost_of_few`.
    """
    curves = load_curves("ensemble_curves")
    errors, names = judged_errors(curves), curves["learner"].values
    means = half_octaves(errors)
    overall, final, each = (advantages(mean, COMPARED, list(BASELINES)) for mean in (
        means.mean("anchor"), last_anchors(errors), means))
    few = cost_of_few(open_few_rows(), list(ROWS))
    return Study({
        "datasets": datasets_table(curves),
        "verdicts": surviving_verdicts(errors, ("max_t", "corrected")),
        "crossings": crossing_shares(errors), "overall": overall, "final": final,
        "costs": training_costs(curves, ensemble_names(names)),
        "advantages": each.assign(against=each["baseline"].map(BASELINES)),
        "few_rows": few.assign(chosen_on=few["rows"].map(ROWS))},
        n_members=len(member_names(names)))


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows, made = Facts(), study.tables
    n = len(made["datasets"])
    rows.update({"n_datasets": n, "n_members": study.n_members,
                 "n_member_curves": n * study.n_members,
                 "rows_least": made["datasets"]["rows"].min(),
                 "rows_most": made["datasets"]["rows"].max(),
                 "valid_least": made["datasets"]["valid_size"].min(),
                 "valid_most": made["datasets"]["valid_size"].max()})
    pair = ["ensemble", "baseline"]
    overall, final = made["overall"].set_index(pair), made["final"].set_index(pair)
    mine, caruana = overall.loc[(STACK, SINGLE)], overall.loc[(CARUANA, SINGLE)]
    rows.add("gain_stack", -mine["difference"], -mine["high"], -mine["low"], digits=2,
             unit="points", n=n, note="single best less stacking, over the whole curve")
    rows.add("stack_single_p", mine["p"], digits=3, note="adjusted")
    gap = {"value": "difference", "n": "datasets", "digits": 2, "unit": "points"}
    rows.row("caruana_single", caruana, **gap)
    rows.add("caruana_single_p", caruana["p"], digits=2, note="adjusted")
    rows.row("caruana_best_end", final.loc[(CARUANA, HINDSIGHT)], **gap)
    _add_shapes(rows, study)
    at = made["few_rows"].set_index(["way", "rows", "anchor"])
    for way, key, asked in ((CARUANA, "caruana_ninth", "ninth"),
                            (CARUANA, "caruana_matched", "matched")):
        rows.row(f"few_{key}", at.loc[(way, asked, 16)], "cost", n="datasets", digits=1,
                 unit="points")
    rows.row("times_all", made["costs"].set_index("learner").loc[CARUANA], "times", n="datasets")
    return rows.table()


def _add_shapes(rows: Facts, study: Study) -> None:
    """Add which shapes members and ensembles have, and whose curves cross."""
    made = study.tables
    called = made["verdicts"].set_index(["procedure", "verdict", "ensemble"])
    for verdict in ("peaking", "dipping"):
        rows.add(f"k_{verdict}", int(called.loc[(USED[verdict], verdict, MEMBERS), "called"]),
                 n=study.n_members * len(made["datasets"]))
    of_all = called.loc[[(by, verdict, name) for verdict, by in USED.items()
                         for name in (CARUANA, "Equal weights", STACK)]]
    rows.add("k_ensembles", int(of_all["called"].sum()),
             note="curves of ensembles of all members that peak or dip")
    rows.add("k_portfolio", int(called.loc[(USED["peaking"], "peaking", FEW), "called"]))
    rows.add("p_cure", of_all["p"].min(), digits=2, note="the least, adjusted")
    rows.row("peaks_stack", of_all.loc[(USED["peaking"], "peaking", STACK)], "percent", n="curves",
             unit="%", note="of the stacked ensembles' curves that peak")
    crossed = made["crossings"].set_index("ensemble")
    for key, name in (("members", MEMBERS), ("stack", STACK), ("single", SINGLE)):
        rows.row(f"crossed_{key}", crossed.loc[name], "percent", n="datasets", unit="%")
    rows.add("p_crossed_stack", crossed.loc[STACK, "p"], digits=3, note="adjusted")



chapter = Chapter(
    "ensemble_curves", compute, facts,
    charts={
        "advantages": Chart(
            "advantages", "lines", "anchor", "difference", "training rows",
            "difference in test error [points]", by="ensemble", panel="against", log="x",
            reference=0, height=3.3,
            title="Mostly below the chosen learner, significantly once"),
        "crossings": Chart(
            "crossings", "dots", "percent", "ensemble", "pairs with a member that cross [%]",
            title="Ensembles and single best cross members less than these each other"),
        "few_rows": Chart(
            "few_rows", "lines", "anchor", "cost", "training rows", "higher test error [points]",
            by="chosen_on", panel="way", keep="way in ['Caruana', 'Single best']", log="x",
            reference=0, height=3.1, title="On few validation rows choosing costs points")})
