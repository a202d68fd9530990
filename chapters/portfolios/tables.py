"""The study's tables as the page shows them: in words, with intervals."""

import pandas as pd

from analysis.portfolios.matrix import AVERAGE, RANDOM
from analysis.statistics.summary import interval_texts
from chapters.portfolios.how_many import RIVALS
from chapters.portfolios.study import SHOWN, Study

METHODS = {"published": "portfolio, by ranks (as published)", "paper": "portfolio, by errors "
           "(as the paper's equation)", "normalized": "portfolio, by normalised errors",
           "cost_aware": "portfolio, by gain per second", AVERAGE: "best on average",
           RANDOM: "random configs", "default": "the default alone"}


def _triple(name: str) -> tuple[str, str, str]:
    return name, f"{name}_low", f"{name}_high"


def shown_sizes(found: Study) -> pd.DataFrame:
    """Return normalised errors by method (rows) and configs (columns)."""
    table = found.sizes[found.sizes["size"].isin(SHOWN)]
    table = table.assign(text=table["normalized_error"].map("{:.2f}".format))
    wide = table.pivot(index="method", columns="size", values="text").loc[
        [m for m in METHODS if m != "default"]]
    return wide.rename(index=METHODS).rename_axis("configs:").reset_index().rename(columns=str)


def shown_rivals(found: Study) -> pd.DataFrame:
    """Return portfolios of ten beside their rivals."""
    table = found.rivals
    return pd.DataFrame({
        "ten configs": table["rival"].map(METHODS),
        "normalised error": interval_texts(table, "normalized_error", "low", "high", 2),
        "the published portfolio less this": interval_texts(table, *_triple("difference"), 2),
        "p": table["p"]})


def shown_next(found: Study) -> pd.DataFrame:
    """Return what the next configs save and take."""
    table = found.next_configs
    return pd.DataFrame({
        "configs": [f"{a} → {b}" for a, b in table[["after", "to"]].to_numpy()],
        "error saved [points]": interval_texts(table, *_triple("saved"), 2),
        "training [s]": table["seconds"],
        "saved per hour [points]": interval_texts(table, *_triple("per_hour"), 0)})


def shown_decided(found: Study) -> pd.DataFrame:
    """Return the share of studies that tell, by rival (rows) and datasets (columns)."""
    table = found.decided[found.decided["studies"] > 1]
    wide = (100 * table.pivot(index="rival", columns="number", values="right")).loc[list(RIVALS)]
    effect = table.drop_duplicates("rival").set_index("rival").loc[list(RIVALS)]
    wide.insert(0, "difference on all", interval_texts(effect, "difference", "low", "high", 2))
    return wide.rename(index=RIVALS).rename_axis("rival").reset_index().rename(
        columns=lambda c: f"{c} datasets [%]" if isinstance(c, int) else c)


def shown_across(found: Study) -> pd.DataFrame:
    """Return portfolios learned on one half of the tables and judged on either."""
    table = found.across_sizes
    return pd.DataFrame({
        "judged on the half of": table["judged_on"] + " tables",
        "learned on the half of": table["learned_on"] + " tables",
        "normalised error": interval_texts(table, "normalized_error", "low", "high", 2)})


def shown_strategies(found: Study) -> pd.DataFrame:
    """Return ways to run Auto-sklearn's strategies on a new dataset."""
    table = found.strategies
    return pd.DataFrame({
        "way": table["way"], "runs": table["runs"],
        "balanced error [%]": interval_texts(table, "error", "low", "high", 1),
        "less always the best [points]": interval_texts(table, *_triple("difference"), 2),
        "p": table["p"]})
