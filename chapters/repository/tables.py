"""The study's tables as the page shows them: in words, with intervals."""

from collections.abc import Sequence

import pandas as pd

from analysis.statistics.summary import with_interval
from chapters.repository.claims import VERDICTS
from chapters.repository.families import FAMILY_TITLES
from chapters.repository.study import Study

GROUPS = {"all": "all", "kept": "kept by the suite", "thrown out": "thrown out by the suite",
          "not judged": "not judged there"}


def _intervals(table: pd.DataFrame, columns: Sequence[str], digits: int) -> list[str]:
    return [with_interval(*row, digits) for row in table[list(columns)].to_numpy(dtype=float)]


def named(names: pd.Series) -> pd.Series:
    """Return families, or methods that begin with one, in words."""
    for family, title in FAMILY_TITLES.items():
        names = names.str.replace(family, title)
    return names


def shown_datasets(found: Study) -> pd.DataFrame:
    """Return the datasets, and what the suite decided on them."""
    return found.datasets.rename(columns={"task": "dataset", "why": "because"})


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
        "normalised error": _intervals(table, ("normalized_error", "low", "high"), 2),
        "rank": table["rank"], "training [s]": table["train_time"],
        "inference [s]": table["infer_time"], "normalised error, paper": table["paper"]})


def shown_steps(found: Study) -> pd.DataFrame:
    """Return what each step from default to ensemble is worth."""
    table = found.steps
    return pd.DataFrame({
        "family": named(table["family"]), "step": table["step"],
        "difference": _intervals(table, ("difference", "low", "high"), 3)})


def shown_curated(found: Study) -> pd.DataFrame:
    """Return the portfolio's lead over families, by what the suite says of the datasets."""
    table = found.curated.assign(
        text=_intervals(found.curated, ("difference", "low", "high"), 2),
        of=found.curated["datasets_of"].map(GROUPS) + " ("
        + found.curated["datasets"].astype(str) + ")")
    wide = table.pivot(index="rival", columns="of", values="text")[table["of"].unique()]
    return wide.reset_index().assign(rival=lambda t: named(t["rival"]))


def shown_repaired(found: Study) -> pd.DataFrame:
    """Return what each way to choose promises and keeps."""
    table = found.optimism_repaired
    return pd.DataFrame({
        "way": table["way"], "promised [%]": table["promised"],
        "kept [%]": _intervals(table, ("test", "test_low", "test_high"), 1),
        "optimism [points]": _intervals(table, ("optimism", "low", "high"), 1)})


def shown_claims(found: Study) -> pd.DataFrame:
    """Return the claims by verdict."""
    table = found.claims.sort_values("verdict", key=lambda v: v.map(VERDICTS.index), kind="stable")
    return pd.DataFrame({
        "claim": table["claim"], "paper": table["published"], "verdict": table["verdict"],
        "evidence": table["evidence"], "n": table["n"].map("{:.0f}".format).replace("nan", "–"),
        "p": table["p"].map("{:.3f}".format).replace("nan", "–"), "held against": table["data"]})
