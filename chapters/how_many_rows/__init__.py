"""From how many rows on do others beat logistic regression? Learning curves, and a trial."""

import pandas as pd

from analysis.databases.naming import learner_title
from analysis.drawing.chart import Chart
from analysis.published.computed import DATE, compute_or_recall, recall
from chapters.chapter import Chapter, Study
from chapters.facts import Facts
from chapters.how_many_rows import decision
from chapters.how_many_rows.overtaking import SIZES, study_overtaking
from chapters.how_many_rows.shares import GOOD, NOW, STAYS, common_shares, order_holds, three_shares

FOREST, BOOSTING = "ens.RandomForest", "ens.GradientBoosting"
FIXED = 1000  # rows that every problem of the fixed set reaches
COMMON = "overtaking_lcdb11_common"
KEPT = {COMMON: lambda: common_shares(study_overtaking("lcdb11-summary")),
        "small_data_decision": decision.try_tables}


def compute() -> Study:
    """Return what the chapter shows; what needs LCDB 1.1's means is kept.

    Returns
    -------
    Study
        ``overtaking_common, overtaking_three, overtaking_order``: from `common_shares`,
        `three_shares` and `order_holds`; learners and rows that a figure names have their words,
        too. ``decision``: from `decision.regrets`, likewise. ``ahead, draws`` (int): tables on
        which the tuned forest is ahead at 100 rows, and how often each table was shuffled for it.
        ``computed_on`` (str): when what needs LCDB 1.1's means was computed.
    """
    lcdb10, kept = study_overtaking("lcdb10"), compute_or_recall(COMMON, KEPT[COMMON])
    few, cases = (part.sel(learner=lcdb10.complex) for part in (lcdb10.mean, lcdb10.cases))
    common = pd.concat([common_shares(lcdb10), kept.drop(columns=DATE)], ignore_index=True)
    three = three_shares(few, cases, lcdb10.family, "lcdb10", [n for n in SIZES if n <= FIXED],
                         FIXED)
    tried = recall("small_data_decision").drop(columns=DATE)
    regrets = decision.regrets(tried)
    mean = tried.query("rows == 100").groupby("dataset")[["logistic", "forest"]].mean()
    return Study({
        "overtaking_common": common.assign(
            name=common["learner"].map(learner_title),
            at=[f"{n:,} rows" for n in common["rows"]]).sort_values(
                ["database", "rows", "share"], ascending=[True, True, False]),
        "overtaking_three": three.assign(name=three["learner"].map(learner_title)),
        "overtaking_order": order_holds(few, lcdb10.family, "lcdb10"),
        "decision": regrets.assign(at=[f"{n} rows" for n in regrets["rows"]])},
        ahead=int((mean["forest"] < mean["logistic"]).sum()), draws=tried["draw"].nunique(),
        computed_on=str(kept[DATE].iloc[0]))


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers: of LCDB 1.0 and the forest, where nothing else is said."""
    rows = Facts()
    rows.add("date", study.computed_on)
    three = study.tables["overtaking_three"].set_index(["learner", "rows", "who"])
    share = {"value": "share", "n": "n_datasets", "scale": 100, "unit": "%"}
    for key, who, size in (("now", NOW, 100), ("now", NOW, 1000), ("good", GOOD, 100),
                           ("good", GOOD, 1000), ("stays", STAYS, 100)):
        rows.row(f"fixed_{key}_{size}", three.loc[(FOREST, size, who)], **share)
    rows.add("fixed_n", int(three.loc[(FOREST, FIXED, NOW), "n_datasets"]), note="problems")
    order = study.tables["overtaking_order"].set_index(["learner", "rows", "now"])
    for now in ("ahead", "not ahead"):
        rows.row(f"forest_{now.replace(' ', '_')}", order.loc[(FOREST, 100, now)], **share)
    common = study.tables["overtaking_common"].set_index(["database", "learner", "rows"]).loc[
        "lcdb11-summary"]
    for key, learner in (("forest", FOREST), ("tabpfn", "TabPFNv2"), ("catboost", "CatBoost")):
        for size in (100, 1000):
            rows.row(f"{key}_{size}", common.loc[(learner, size)], **share)
    rows.add("common_n_100", int(common.loc[(FOREST, 100), "n_datasets"]))
    regrets = study.tables["decision"].set_index(["rows", "rule"])
    for key, rule in (("logistic", decision.LOGISTIC_RULE), ("forest", decision.FOREST_RULE),
                      ("trial", decision.TRIAL)):
        row = regrets.loc[(100, rule)]
        rows.row(f"regret_{key}_100", row, "regret", n="n_tables", unit="points", digits=1)
        if key != "trial":
            rows.add(f"p_{key}_100", row["p"], digits=3, n=int(row["n_tables"]),
                     note="trying against the rule, exact sign flips of families")
    rows.add("tables_100", int(regrets.loc[(100, decision.TRIAL), "n_tables"]))
    rows.add("p_forest_500", regrets.loc[(500, decision.FOREST_RULE), "p"], digits=2)
    rows.add("rightly_50", 100 * regrets.loc[(50, decision.TRIAL), "rightly"], unit="%")
    rows.update({"draws": study.draws, "tuned_ahead": study.ahead})
    return rows.table()



chapter = Chapter(
    "how_many_rows", compute, facts,
    charts={
        "three": Chart(
            "overtaking_three", "lines", "rows", "share", "rows to train on", "problems [%]",
            by="who", panel="name", keep=f"learner in ['{FOREST}', '{BOOSTING}']", log="x",
            percent=True, height=3.3, title="More rows, more problems on which trees are ahead"),
        "learners": Chart(
            "overtaking_common", "dots", "share", "name", "ahead for good [% of problems]",
            by="at", keep="database == 'lcdb11-summary' and rows in [100, 1000]", percent=True,
            title="TabPFN overtakes earliest, plain networks and kernels late"),
        "regrets": Chart(
            "decision", "dots", "regret", "at",
            "error rate above that of the better learner [points]", "rows of the table", by="rule",
            reference=0, height=2.8, title="From 100 rows on, trying both cost least in the mean")})
