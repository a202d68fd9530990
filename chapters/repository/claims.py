"""TabRepo's claims on tuning, ensembles and portfolios, held against other data by one rule.

A claim is one comparison of paired values over datasets, or several: its parts. A part is *clear*
where the 95 % interval over families of near-duplicates lies on one side of 0 and the exact test by
sign flips, adjusted by Holm's procedure over all parts of all claims, is below 5 %. The claim

* holds where all parts are clear as claimed,
* holds in part where some are and none is clear against it,
* does not hold where a part is clear against it,
* is undecided where none is clear, and
* is not testable where the data are not such that they could tell.

A statement on what portfolios picked is no sample: it holds, in part or not at all, as counted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from analysis.statistics.bootstrap import holm
from analysis.statistics.families import families as near_duplicates
from analysis.statistics.sign_flips import adjusted_p
from analysis.statistics.summary import Summary, summarise
from chapters.repository import automl
from chapters.repository.families import ENSEMBLED, FAMILY_TITLES, KINDS, PORTFOLIO, tuned_families

HOLDS, IN_PART, FAILS = "holds", "holds in part", "does not hold"
OPEN, UNTESTABLE = "undecided", "not testable"
VERDICTS = (HOLDS, IN_PART, OPEN, FAILS, UNTESTABLE)
ALPHA = 0.05
ENOUGH = 0.01  # of the normalised error: a difference that is as good as none
ROUTE = ("CatBoost", "NeuralNetTorch", "LightGBM")  # the paper's first three picks
FIRST = {"KNeighbors": "n_neighbors", "LinearModel": "C", "CatBoost": "depth",
         "NeuralNetTorch": "use_batchnorm"}  # hyperparameters that matter most in the paper
OWN, MATRIX = "own repository", "93 × 104 LightGBM"
TUNING, ENSEMBLING = "Tuning improves every family", "Ensembling improves every tuned family"
AHEAD = "The ensembled portfolio beats every family, tuned and ensembled"
THREE = "A portfolio of 3, ensembled, beats all AutoML but AutoGluon"
ITSELF = "The ensembled portfolio beats its best config alone"


@dataclass(frozen=True)
class Claim:
    """A claim of the paper, and what there is to judge it by.

    Attributes
    ----------
    claim, published : str
        What the paper says, and its number.
    parts : mapping of str to pandas.Series
        Paired values by dataset, below 0 where the claim is right.
    counted : str
        Where the claim is a count: what was counted.
    verdict : str
        Of a count, or "not testable"; empty where the rule decides.
    why : str
        Why it is not testable.
    data : str
        What it was held against.
    """

    claim: str
    published: str
    parts: Mapping[str, pd.Series] = field(default_factory=dict)
    counted: str = ""
    verdict: str = ""
    why: str = ""
    data: str = OWN


def paired(results: pd.DataFrame, one: str, other: str) -> pd.Series:
    """Return one method's normalised error less another's by dataset, mean over folds."""
    wide = results.pivot(index=["dataset", "fold"], columns="method", values="normalized_error")
    return (wide[one] - wide[other]).dropna().groupby("dataset", sort=False).mean()



def judge(claims: Sequence[Claim]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judge claims by the rule.

    Returns
    -------
    claims : pandas.DataFrame
        Columns ``claim, published, data, evidence, n`` (families), ``value, low, high, p`` (of the
        part that is least clear, below 0 as claimed; NaN of counts), ``parts, clear, against``
        (how many of them), ``verdict``.
    parts : pandas.DataFrame
        Columns ``claim, part, value, low, high, n, p, p_adjusted, verdict``.
    """
    rows = [{"claim": claim.claim, "part": name, **tested(values)}
            for claim in claims for name, values in claim.parts.items()]
    parts = pd.DataFrame(rows)
    parts["p_adjusted"] = holm(parts["p"].fillna(1))
    sure = parts["p_adjusted"] < ALPHA
    parts["verdict"] = np.select([sure & (parts["high"] < 0), sure & (parts["low"] > 0)],
                                 ["clear", "against"], "open")
    return pd.DataFrame([_row(claim, parts[parts["claim"] == claim.claim])
                         for claim in claims]), parts


def tested(values: pd.Series) -> dict[str, float]:
    """Return a mean of paired values over families, its interval and sign-flip test.

    Parameters
    ----------
    values : pandas.Series
        By dataset.

    Returns
    -------
    dict
        ``value, low, high, n`` (families) and ``p``, not adjusted.
    """
    values = values.dropna()
    means = values.groupby(near_duplicates(values.index), sort=False).mean()
    found = summarise(means, means.index)
    p = float(adjusted_p(means.to_numpy()[:, None])[0])
    return {"value": found.value, "low": found.low, "high": found.high, "n": found.n, "p": p}


def _row(claim: Claim, parts: pd.DataFrame) -> dict[str, object]:
    """Return a claim's row of the table."""
    row = {"claim": claim.claim, "published": claim.published, "data": claim.data}
    clear, against = (int((parts["verdict"] == v).sum()) for v in ("clear", "against"))
    verdict = claim.verdict or (
        FAILS if against else HOLDS if clear == len(parts) else IN_PART if clear else OPEN)
    row["evidence"] = claim.counted
    least = {}
    if len(parts):
        worst = parts.sort_values(["p_adjusted", "value"]).iloc[-1]
        least = worst[["n", "value", "low", "high"]].to_dict() | {"p": worst["p_adjusted"]}
        found = Summary(worst["value"], worst["low"], worst["high"]).text(3)
        row["evidence"] = (found if len(parts) == 1 else
                           f"{clear} of {len(parts)} clear; least: {worst['part']}, {found}")
    if claim.why:
        row["evidence"] += f"{'; ' if row['evidence'] else ''}{claim.why}"
    return row | dict.fromkeys(("n", "value", "low", "high", "p"), np.nan) | least | {
        "parts": len(parts), "clear": clear, "against": against, "verdict": verdict}


def family_claims(results: pd.DataFrame) -> list[Claim]:
    """Return what the paper says of families (Section 4, Figure 2, Table 1).

    Parameters
    ----------
    results : pandas.DataFrame
        From `with_places`: families and portfolios.
    """
    names = tuned_families(results)
    claims = []
    for better, worse, words in ((KINDS[1], KINDS[0], TUNING), (KINDS[2], KINDS[1], ENSEMBLING)):
        claims.append(Claim(words, "8 of 8 families", {
            FAMILY_TITLES.get(f, f): paired(results, f"{f} ({better})", f"{f} ({worse})")
            for f in names}))
    for family, sign, words, published in (
            ("CatBoost", 1, "CatBoost is the best default", "0.586 against 0.714"),
            ("KNeighbors", -1, "Nearest neighbours are the worst default", "0.973 against 0.899")):
        if family not in names:
            claims.append(Claim(words, published, verdict=UNTESTABLE, why="it is not there"))
            continue
        claims.append(Claim(words, published, {
            f"against {FAMILY_TITLES.get(f, f)}": sign * paired(
                results, f"{family} ({KINDS[0]})", f"{f} ({KINDS[0]})")
            for f in names if f != family}))
    return claims


def portfolio_claims(results: pd.DataFrame, both: pd.DataFrame) -> list[Claim]:
    """Return what the paper says of portfolios against families (Section 5, Table 1).

    Parameters
    ----------
    results : pandas.DataFrame
        From `with_places`: families and portfolios.
    both : pandas.DataFrame
        AutoGluon and the portfolio that has the same time, likewise; may be empty.
    """
    names = tuned_families(results)
    versus = {f: paired(results, ENSEMBLED, f"{f} ({KINDS[2]})") for f in names}
    words = "The ensembled portfolio beats AutoML systems", "win rate 57 % (AutoGluon)"
    claims = []
    if "CatBoost" in names:
        claims.append(Claim("The ensembled portfolio beats CatBoost, tuned and ensembled",
                            "0.365 against 0.524", {"CatBoost": versus["CatBoost"]}))
    return [*claims,
            Claim(AHEAD, "0.365 against 0.524 to 0.928",
                  {f"against {FAMILY_TITLES.get(f, f)}": v for f, v in versus.items()}),
            Claim(ITSELF, "0.365 against 0.434",
                  {PORTFOLIO: paired(results, ENSEMBLED, PORTFOLIO)}),
            Claim(*words, verdict=UNTESTABLE, why="AutoML systems were not run here")
            if both.empty else
            Claim(*words, {f"{automl.SECONDS} s each": paired(
                both, automl.PORTFOLIO, automl.AUTOGLUON)}, why="AutoGluon alone")]


def need_claims(needs: Mapping[str, pd.DataFrame], rival: pd.DataFrame,
                more_datasets: pd.Series) -> list[Claim]:
    """Return how many configs, members and datasets suffice (Figure 5).

    Parameters
    ----------
    needs : mapping of str to pandas.DataFrame
        By what is varied: ``value, dataset, fold, normalized_error``.
    rival : pandas.DataFrame
        CatBoost, tuned and ensembled: ``dataset, fold, normalized_error``.
    more_datasets : pandas.Series
        By dataset of the LightGBM matrix: what all other training datasets change.
    """
    sizes, members = needs["configs of the portfolio"], needs["picks of the ensemble"]
    three = pd.concat([sizes[sizes["value"] == 3].assign(method="three"),
                       rival.assign(method="rival")])
    most = int(members["value"].max())
    return [
        Claim(THREE, "it does", {"CatBoost": paired(three, "three", "rival")}, verdict=UNTESTABLE,
              why="against CatBoost, tuned and ensembled, which is none; no AutoML ran with it"),
        Claim("15 members suffice", f"no improvement beyond 15 (ours: {most} better by less than "
              f"{ENOUGH})", {f"15 less {most}": -_most_less(members, 15) - ENOUGH}),
        Claim("More than 15 configs bring more", "consistent benefit with size",
              {"30 less 15": _most_less(sizes, 15)}),
        Claim("More configs per family lower the error", "up to some 150",
              {"most less least": _most_less(needs["configs per family"])}),
        Claim("More training datasets lower the error", "up to some 150",
              {"own": _most_less(needs["training datasets"]), "LightGBM, 92 less 5": more_datasets},
              data=f"{OWN}; {MATRIX}")]


def _most_less(table: pd.DataFrame, other: int | None = None) -> pd.Series:
    """Return the error at the most of what is varied less that at another (the least)."""
    value = table["value"]
    return paired(table.assign(method=value), value.max(), value.min() if other is None else other)


def composition_claims(orders: Mapping[str, Sequence[int]], families: Sequence[str]) -> list[Claim]:
    """Return which families portfolios pick first (Appendix G), counted.

    Parameters
    ----------
    orders : mapping of str to sequence of int
        A portfolio per dataset left out.
    families : sequence of str
        The family of each config.
    """
    firsts = [list(dict.fromkeys(families[k] for k in order)) for order in orders.values()]
    heads = pd.Series([tuple(families[k] for k in order[:3]) for order in orders.values()])
    common = heads.value_counts()
    n, as_published = len(heads), int((heads == ROUTE).sum())
    picked = [f for f in firsts if "KNeighbors" in f]
    fourth = sum(f.index("KNeighbors") == 3 for f in picked)
    before = sum("XGBoost" not in f[:f.index("KNeighbors")] for f in picked)
    halves = (2 * fourth > n) + (2 * before > n)
    return [
        Claim("The first picks are CatBoost, MLP, LightGBM, whichever dataset is left out",
              "200 of 200", counted=f"{as_published} of {n} portfolios; most often "
              f"{', '.join(FAMILY_TITLES.get(f, f) for f in common.index[0])} ({common.iloc[0]})",
              verdict=HOLDS if as_published == n else FAILS),
        Claim("Nearest neighbours are the fourth family picked, before XGBoost", "4th, before",
              counted=f"4th in {fourth} of {n} portfolios, before XGBoost in {before}",
              verdict=(FAILS, IN_PART, HOLDS)[halves])]


def cost_claims(times: pd.DataFrame, families: Sequence[str]) -> list[Claim]:
    """Return what the paper says of costs and the time limit (Appendix H).

    The paper has as many configs of each family; ours are fewer of the costly ones, so that a
    family's cost is that of its mean config. The rest needs the paper's rows and limit.

    Parameters
    ----------
    times : pandas.DataFrame
        ``family, dataset, train_time`` (s) of every evaluation.
    families : sequence of str
        Those that the paper has.
    """
    mean = times[times["family"].isin(families)].pivot_table(
        "train_time", "dataset", "family", "mean", sort=False)
    words = "CatBoost costs more than all other families together", "more than half"
    why = "tables and limit are not of the paper's size, and costly families have fewer configs"
    others = [Claim("The 10 % most expensive models cost 90 %", "90 %", verdict=UNTESTABLE,
                    why=why),
              Claim("The time limit ends boosting almost alone", "99 % of those that it ends",
                    verdict=UNTESTABLE, why=why)]
    if "CatBoost" not in mean:
        return [Claim(*words, verdict=UNTESTABLE, why="it is not there"), *others]
    rest = mean.drop(columns="CatBoost").sum(axis=1)
    return [Claim(*words, {"a config's": np.log10(rest / mean["CatBoost"])},
                  why="log10 of the others' mean cost over its own"), *others]


def importance_claims() -> list[Claim]:
    """Return which hyperparameter matters most (Section 4, Figure 3), which is not tested here."""
    why = "shares of variance need many more configs of a family than the repository has"
    return [Claim(f"{name} matters most for {FAMILY_TITLES.get(family, family)}", "first",
                  verdict=UNTESTABLE, why=why) for family, name in FIRST.items()]
