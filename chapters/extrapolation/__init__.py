"""Whether the end of a learning curve can be predicted: the trial of forecasts."""

from dataclasses import asdict

import numpy as np
import pandas as pd

from analysis.drawing.chart import Chart
from analysis.published.computed import recall
from analysis.statistics.bootstrap import percentile_interval, resample_units
from analysis.statistics.summary import Summary
from analysis.statistics.summary import summarise as summarise_units
from analysis.trial.entry import all_forecasts, shipped_entries
from analysis.trial.scoring import STAYS, UNSEEN, by_family, scopes, score, summarise
from analysis.trial.tasks import open_trial
from chapters.chapter import Chapter, Study
from chapters.extrapolation.published import count_verdicts, published_errors
from chapters.facts import Facts
from lab.trial.rivals import RIVALS, THREE

LEARNT, ALONE, NET = "boosted", "boosted, alone", "LC-PFN, real curves"
SMALL, GP, BOUNDED = "small networks", "GP power law, calibrated", "POW4, one start"
#: Whom ours is compared with, all that see one curve alone; every other comparison is in a table.
CONTRASTS = {NET: "net", BOUNDED: "bounded", THREE: "three", GP: "gp", STAYS: "stays"}
#: Shown on the page: the field's usual ones, and ours; the table of scores has all.
SHOWN = (STAYS, "usual fall", "POW2", "POW4", "POW4, one start", "MMF4", "WBL4", "ILOG2",
         "M2", "M4", "BNSL", "GP power law", GP, THREE, "LC-PFN, own prior",
         "LC-PFN, own prior, by size", NET, ALONE, LEARNT, "combined, alone")
COMPARED = (THREE, BOUNDED, "BNSL", NET, ALONE)
WORDS = {"lcdb10": "LCDB 1.0, other folds", "lcdb11": "LCDB 1.1", "mini": "mini, new learners",
         "lcdb11-anew": "gathered anew", "regression": "regression",
         "large_numbers": "large tables, numbers",
         "large_classes": "large tables, classes", "neural_scaling": "neural scaling, 92 tasks",
         "medical_images": "medical images", "language_models": "language models",
         "boosting_by_size": "boosting by size"}
FAR = 3  # doublings
ANEW = "lcdb11-anew"  # the source that version 2 of the trial added
#: The rivals that see one curve alone; an entry sees what its tasks show.
CURVE_ALONE = [*(rival.name for rival in RIVALS.values() if rival.sees == "curve"),
               "combined, alone"]


def compute() -> Study:
    """Score the shipped forecasts and entries.

    Returns
    -------
    Study
        ``trial`` (Trial); ``scores``: from `analysis.trial.scoring.score`. Its tables: ``scores``
        by scope, from `summarise`, and what the page draws of them; ``contrasts``, its CRPS and
        error as multiples of those of `CONTRASTS`, on unseen error rates and on `ANEW`;
        ``published``, as kept, from `published_errors`.
    """
    trial = open_trial()
    scores = score(all_forecasts(), trial)
    last = scores[scores["times"] == "last"]
    unseen = scores[scopes(scores)[UNSEEN]]
    summary = pd.concat([summarise(last), summarise(unseen[unseen["times"] != "last"]).query(
        "scope == @UNSEEN")], ignore_index=True)
    return Study({
        "scores": summary, **drawn(summary),
        "contrasts": pd.DataFrame([
            {"scope": scope, "rival": name, "score": what} | asdict(ratio(own, ALONE, name, what))
            for scope in (UNSEEN, ANEW) for own in [last[scopes(last)[scope]]]
            for name in CONTRASTS for what in ("crps", "error")]),
        "published": recall("trial_published").fillna({"reason": ""}),
        "rivals": pd.DataFrame([(r.name, r.kind, r.sees, r.source) for r in RIVALS.values()],
                               columns=["rival", "kind", "sees", "source"]),
        "entries": shipped_entries()}, trial=trial, scores=scores)


def drawn(summary: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return what the page draws of the scores by scope: by rival, by source, and by how far."""
    last = summary.query("times == 'last'")
    standing = last[last["scope"] == UNSEEN].set_index("rival").loc[list(SHOWN)].reset_index()
    standing["what it sees"] = np.where(standing["rival"].isin(CURVE_ALONE), "the curve alone",
                                        "other learners' curves too")
    sources = last[last["scope"].isin(list(WORDS)) & last["rival"].isin(COMPARED)
                   & (last["n_families"] >= 5)]
    steps = summary[(summary["scope"] == UNSEEN)
                    & summary["rival"].isin((STAYS, "POW2", NET, ALONE))]
    return {"standing": standing.sort_values("ratio", kind="stable"),
            "sources": sources.assign(where=sources["scope"].map(WORDS)),
            "held": steps.assign(asked=steps["times"].map(
                lambda t: "the last size" if t == "last" else f"{t} times as many"))}


def ratio(scores: pd.DataFrame, one: str, other: str, what: str = "error") -> Summary:
    """Return a score of a rival as a multiple of another's, with its interval over families.

    It is of tasks that both have. Fewer than two families have no interval: its ends are NaN.
    """
    tasks = scores.pivot(index=["family", "task"], columns="rival", values=what)
    means = tasks[[one, other]].dropna().groupby("family").mean().to_numpy()
    ends = (np.nan, np.nan)
    if len(means) > 1:
        draws = resample_units(len(means)) @ means
        ends = map(float, percentile_interval(draws[:, 0] / draws[:, 1]))
    return Summary(float(np.divide(*means.sum(0))), *ends, len(means))


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows = Facts()
    last = study.scores[study.scores["times"] == "last"]
    formulas = [rival.name for rival in RIVALS.values() if rival.kind == "formula"]
    within = {name: last[inside] for name, inside in scopes(last).items()}
    scored = by_family(within[UNSEEN], "crps")
    for key, one, other in (("neighbours", LEARNT, "combined"), ("alone", ALONE, "combined, alone"),
                            ("small", SMALL, ALONE)):
        own = 100 * (scored[one] - scored[other])
        rows.add(f"choice_{key}", summarise_units(own, own.index), digits=2, unit="points",
                 note=f"CRPS of {one} above that of {other}, unseen error rates")
    for key, scope in (("unseen", UNSEEN), ("new_datasets", "new datasets")):
        means = by_family(within[scope], "error").mean()
        best = means[formulas].idxmin()
        for suffix, one, other in (
                ("", LEARNT, best), ("_alone", ALONE, STAYS), ("_alone_formula", ALONE, best),
                ("_net_formula", NET, best), ("_free", "POW4", STAYS),
                ("_usual", "usual fall", STAYS), ("_formula_stays", best, STAYS)):
            rows.add(key + suffix, ratio(within[scope], one, other), digits=2,
                     note=f"error of {one} as a multiple of that of {other}; {scope}")
        rows.add(f"{key}_formula", best)
    for row in study.tables["contrasts"].query("score == 'crps'").to_dict("records"):
        where = "crps" if row["scope"] == UNSEEN else "anew"
        rows.row(f"{where}_{CONTRASTS[row['rival']]}", row, "value", n="n", digits=2,
                 note=f"CRPS of {ALONE} as a multiple of that of {row['rival']}; {row['scope']}")
    rows.update({"n_tasks": len(study.trial.tasks),
                 "n_families": study.trial.tasks["family"].nunique(),
                 "n_anew": int((study.trial.tasks["source"] == ANEW).sum()),
                 "n_sealed": int(study.trial.asked.query("times == 'last'")["truth"].isna().sum()),
                 "n_anew_families": within[ANEW]["family"].nunique()})
    held = study.tables["scores"].query("scope == @UNSEEN and times == 'last'").set_index("rival")
    for key, name in {"": ALONE, "_net": NET}.items():
        rows.row(f"held{key}", held.loc[name], "inside", "inside_low", "inside_high", "n_families",
                 scale=100, unit="%", note=f"90 % ranges of {name}")
    for key, scope, name in (
            ("anew_error", ANEW, ALONE), ("anew_boosted", ANEW, LEARNT),
            ("prior", UNSEEN, "LC-PFN, own prior, by size"),
            ("scaling_prior", "neural_scaling", "LC-PFN, own prior, by size"),
            ("scaling_alone", "neural_scaling", ALONE), ("scaling_bnsl", "neural_scaling", "BNSL"),
            ("regression_three", "regression", THREE), ("regression_alone", "regression", ALONE)):
        rows.add(key, ratio(within[scope], name, STAYS), digits=2,
                 note=f"error of {name} as a multiple of that of {STAYS}; {scope}")
    anew = by_family(within[ANEW], "error").mean()
    rows.add("anew_less", int((anew.reindex(CURVE_ALONE) < anew[ALONE]).sum()))
    far = within[UNSEEN][within[UNSEEN]["doublings"] > FAR]
    for key, name in (("far", STAYS), ("far_formula", BOUNDED)):
        rows.add(key, ratio(far, ALONE, name), digits=2,
                 note=f"error of {ALONE} over that of {name}, beyond 8 times what was seen")
    rows.add("far_points", 100 * by_family(far, "error")[ALONE].mean(), digits=0, unit="points")
    return rows.table()


def shown_standing(study: Study) -> pd.DataFrame:
    """Return the scores of the shown rivals in points and words."""
    table = study.tables["standing"].sort_values("error", kind="stable")
    return pd.DataFrame({
        "rival": table["rival"], "error [points]": 100 * table["error"],
        "from": 100 * table["error_low"], "to": 100 * table["error_high"],
        "log error": table["log_error"], "CRPS [points]": 100 * table["crps"],
        "truths in the 90 % range [%]": 100 * table["inside"],
        "width of the range [points]": 100 * table["width"]})


#: What is kept: it needs the published curves and LCDB 1.1's means.
KEPT = {"trial_published": published_errors}
chapter = Chapter(
    "extrapolation", compute, facts,
    charts={"standing": Chart(
                "standing", "dots", x="ratio", y="rival", by="what it sees", apart=False,
                low="ratio_low", high="ratio_high", reference=1, height=5.2,
                xlabel="error at the last size, times that of nothing changes",
                title="Trees and nets that learnt from other curves err least"),
            "sources": Chart(
                "sources", "dots", x="ratio", y="where", by="rival", low="ratio_low",
                high="ratio_high", reference=1, log="x",
                xlabel="error at the last size, times that of nothing changes"),
            "held": Chart("held", "dots", x="inside", y="asked", by="rival", low="inside_low",
                          high="inside_high", percent=True, reference=90,
                          xlabel="last errors in the 90 % range [%]")},
    shown={"standing": shown_standing,
           "published": lambda study: count_verdicts(study.tables["published"])})
