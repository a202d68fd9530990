"""The study's tables as the page shows them: in words, with intervals."""

import pandas as pd

from analysis.statistics.summary import interval_texts
from chapters.repository.claims import VERDICTS
from chapters.repository.families import FAMILY_TITLES
from chapters.repository.study import Study

PARTS = {"promised": "promised on the validation rows", "optimism": "of that, optimism",
         "kept": "kept on test rows", "selection": "of that, better members than the mean config",
         "averaging": "of that, members that err differently, averaged",
         "all families": "beyond an ensemble of one family's configs"}


def named(names: pd.Series) -> pd.Series:
    """Return families, or methods that begin with one, in words."""
    for family, title in FAMILY_TITLES.items():
        names = names.str.replace(family, title)
    return names


def shown_datasets(found: Study) -> pd.DataFrame:
    """Return the datasets."""
    return found.datasets.rename(columns={"task": "dataset"})


def shown_families(found: Study) -> pd.DataFrame:
    """Return the families and how many configs of each."""
    return found.families.assign(family=named(found.families["family"]))


def shown_costs(found: Study) -> pd.DataFrame:
    """Return what families cost, in percent and seconds."""
    table = found.costs
    return pd.DataFrame({
        "family": named(table["family"]), "evaluations": table["evaluations"],
        "cost [s]": table["total"], "of all [%]": 100 * table["of_all"],
        "median [s]": table["median"], "dearest 10 % [%]": 100 * table["top_10"],
        "dearest 40 % [%]": 100 * table["top_40"]})


def shown_cut_short(found: Study) -> pd.DataFrame:
    """Return by family how many evaluations the limit ended."""
    table = found.cut_short_families
    return pd.DataFrame({
        "family": named(table["family"]), "cut short": table["cut_short"],
        "evaluations": table["evaluations"], "share [%]": 100 * table["share"],
        "paper [%]": table["percent"]})


def shown_methods(found: Study) -> pd.DataFrame:
    """Return every family's default, tuned and ensembled, and the portfolios (Table 1)."""
    table = found.table1
    return pd.DataFrame({
        "method": named(table["method"]),
        "normalised error": interval_texts(table, "normalized_error", "low", "high", 2),
        "rank": table["rank"], "training [s]": table["train_time"],
        "inference [s]": table["infer_time"], "normalised error, paper": table["paper"]})


def shown_steps(found: Study) -> pd.DataFrame:
    """Return what each step from default to ensemble is worth."""
    table = found.steps
    return pd.DataFrame({
        "family": named(table["family"]), "step": table["step"],
        "difference": interval_texts(table, "difference", "low", "high", 3)})


def shown_by_problem(found: Study) -> pd.DataFrame:
    """Return the portfolio's lead over families, by what is predicted."""
    table = found.by_problem.assign(
        text=interval_texts(found.by_problem, "difference", "low", "high", 2),
        of=found.by_problem["problems"] + " (" + found.by_problem["datasets"].astype(str) + ")")
    wide = table.pivot(index="rival", columns="of", values="text")[table["of"].unique()]
    return wide.reset_index().assign(rival=lambda t: named(t["rival"]))


def shown_automl(found: Study) -> pd.DataFrame:
    """Return AutoGluon beside others: errors, what they took, and AutoGluon's lead in pairs."""
    table = found.automl.merge(found.automl_differences, "left", left_on="method",
                               right_on="rival", suffixes=("", "_apart"))
    apart = interval_texts(table, "value", "low_apart", "high_apart", 2)
    return pd.DataFrame({
        "method": named(table["method"]),
        "normalised error": interval_texts(table, "normalized_error", "low", "high", 2),
        "AutoGluon's less": ["–" if pd.isna(v) else text for v, text in
                             zip(table["value"], apart, strict=True)],
        "p": table["p"].map("{:.3f}".format).replace({"nan": "–", "0.000": "< 0.001"}),
        "training [s]": table["train_time"], "inference [s]": table["infer_time"]})


def shown_parts(found: Study) -> pd.DataFrame:
    """Return what an ensemble's gain is made of."""
    table = found.gain_parts
    return pd.DataFrame({
        "part": table["part"].map(PARTS),
        "of the mean config's error [%]": interval_texts(table, "value", "low", "high", 1)})


def shown_repaired(found: Study) -> pd.DataFrame:
    """Return what each way to choose promises and keeps."""
    table = found.optimism_repaired
    return pd.DataFrame({
        "way": table["way"], "promised [%]": table["promised"],
        "kept [%]": interval_texts(table, "test", "test_low", "test_high", 1),
        "optimism [points]": interval_texts(table, "optimism", "low", "high", 1)})


def shown_claims(found: Study) -> pd.DataFrame:
    """Return the claims by verdict."""
    table = found.claims.sort_values("verdict", key=lambda v: v.map(VERDICTS.index), kind="stable")
    return pd.DataFrame({
        "claim": table["claim"], "paper": table["published"], "verdict": table["verdict"],
        "evidence": table["evidence"], "n": table["n"].map("{:.0f}".format).replace("nan", "–"),
        "p": table["p"].map("{:.3f}".format).replace({"nan": "–", "0.000": "< 0.001"}),
        "held against": table["data"]})
