"""The paper's claims on tuning, ensembles and portfolios, held against another repository.

A claim that compares two methods is judged by their paired difference over datasets: it holds
where the 95 % interval lies on the claimed side of 0, does not where it lies on the other, and is
undecided where it reaches across.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis.portfolios.families import ENSEMBLED, KINDS, PORTFOLIO, paired_difference

HOLDS, FAILS, OPEN, UNTESTABLE = "holds", "does not hold", "undecided", "not testable here"
NAMES = {"NeuralNetTorch": "MLP"}
BELOW = "95 % interval of the paired difference in normalised error below 0"
ENOUGH = 0.01  # of the normalised error: a difference that is as good as none
ROUTE = ("CatBoost", "NeuralNetTorch", "LightGBM")  # the paper's first three picks


class Claim(NamedTuple):
    """A claim, what the paper and we found, and by which rule it is judged."""

    claim: str
    published: str
    computed: str
    rule: str
    verdict: str


def judge(found: Mapping[str, float]) -> str:
    """Return the verdict on "the first has the lower value" of a paired difference."""
    if np.isnan(found["low"]):
        return OPEN
    return HOLDS if found["high"] < 0 else FAILS if found["low"] > 0 else OPEN


def told(found: Mapping[str, float]) -> str:
    """Return a paired difference in words."""
    return (f"{found['difference']:+.3f} [{found['low']:+.3f}, {found['high']:+.3f}], "
            f"{found['datasets']:.0f} datasets")


def family_claims(results: pd.DataFrame) -> list[Claim]:
    """Judge what the paper says of families (Section 4, Figure 2, Table 1).

    Parameters
    ----------
    results : pandas.DataFrame
        From `with_places`: families and portfolios.
    """
    families = [f for f in dict.fromkeys(results["family"]) if f]
    claims = []
    for better, worse, words in ((KINDS[1], KINDS[0], "Tuning improves every family"),
                                 (KINDS[2], KINDS[1], "Ensembling improves every tuned family")):
        found = {f: paired_difference(results, f"{f} ({better})", f"{f} ({worse})")
                 for f in families}
        verdicts = [judge(difference) for difference in found.values()]
        lower = sum(difference["difference"] < 0 for difference in found.values())
        claims.append(Claim(
            words, "8 of 8 families", f"lower in {lower} of {len(families)}, "
            f"surely in {verdicts.count(HOLDS)}, surely not in {verdicts.count(FAILS)}",
            "holds if lower in every family, does not if surely higher in one",
            HOLDS if lower == len(families) else FAILS if FAILS in verdicts else OPEN))
    means = _means(results, KINDS[0], families)
    claims += [_leader(means, "CatBoost", "CatBoost is the best default", "0.586 against 0.714",
                       results, lowest=True),
               _leader(means, "KNeighbors", "Nearest neighbours are the worst default",
                       "0.973 against 0.899", results, lowest=False)]
    return claims


def portfolio_claims(results: pd.DataFrame) -> list[Claim]:
    """Judge what the paper says of portfolios against families (Section 5, Table 1)."""
    families = [f for f in dict.fromkeys(results["family"]) if f]
    best = _means(results, KINDS[2], families).idxmin()
    rivals = {f"CatBoost ({KINDS[2]})": "0.365 against 0.524",
              f"{best} ({KINDS[2]})": "0.365 against 0.524 (CatBoost)",
              PORTFOLIO: "0.365 against 0.434"}
    claims = []
    for rival, published in rivals.items():
        if rival in set(results["method"]):
            found = paired_difference(results, ENSEMBLED, rival)
            hindsight = " (best of ours, in hindsight)" if rival.startswith(best) else ""
            claims.append(Claim(f"The ensembled portfolio beats {_plain(rival)}{hindsight}",
                                published, told(found), BELOW, judge(found)))
    claims.append(Claim("The ensembled portfolio beats AutoML systems", "win rate 57 % (AutoGluon)",
                        "AutoML systems were not run here", "–", UNTESTABLE))
    return claims


def size_claims(sizes: pd.DataFrame, members: pd.DataFrame, rival: pd.DataFrame) -> list[Claim]:
    """Judge how many configs and members suffice (Figure 5 c and d).

    Parameters
    ----------
    sizes, members : pandas.DataFrame
        Variations with places: ``value, dataset, fold, normalized_error``.
    rival : pandas.DataFrame
        The strongest family, tuned and ensembled: ``dataset, fold, normalized_error``.
    """
    three = sizes[sizes["value"] == 3].assign(method="three")
    both = pd.concat([three, rival.assign(method="rival")])
    found = paired_difference(both, "three", "rival")
    claims = [Claim("A portfolio of 3, ensembled, beats CatBoost tuned and ensembled",
                    "and all AutoML but AutoGluon", told(found), BELOW, judge(found))]
    for table, words, published in (
            (members, "15 members suffice", "no measurable improvement beyond 15"),
            (sizes, "More than 15 configs bring more", "consistent benefit with size")):
        most = table["value"].max()
        found = paired_difference(table.assign(method=table["value"].astype(str)), str(most), "15")
        if words.startswith("15"):
            verdict = (FAILS if found["high"] < -ENOUGH else
                       HOLDS if found["low"] > -ENOUGH else OPEN)
            rule = f"holds if {most} are better by less than {ENOUGH} at the interval's end"
        else:
            verdict, rule = judge(found), BELOW
        claims.append(Claim(words, published, f"{most} less 15: {told(found)}", rule, verdict))
    return claims


def data_claims(configs: pd.DataFrame, datasets: pd.DataFrame) -> list[Claim]:
    """Judge whether more configs per family and more datasets help (Figure 5 a and b)."""
    claims = []
    for table, what in ((configs, "configs per family"), (datasets, "training datasets")):
        least, most = table["value"].min(), table["value"].max()
        found = paired_difference(table.assign(method=table["value"].astype(str)), str(most),
                                  str(least))
        claims.append(Claim(f"More {what} lower the error", "up to some 150",
                            f"{most} less {least}: {told(found)}", BELOW, judge(found)))
    return claims


def composition_claims(orders: Mapping[str, Sequence[int]], families: Sequence[str]
                       ) -> list[Claim]:
    """Judge which families portfolios pick first (Appendix G).

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
    as_published = int((heads == ROUTE).sum())
    places = [f.index("KNeighbors") + 1 for f in firsts if "KNeighbors" in f]
    at_four = sum(place == 4 for place in places)
    before = sum("XGBoost" not in f[:f.index("KNeighbors")] for f in firsts if "KNeighbors" in f)
    return [
        Claim("The first picks are CatBoost, MLP, LightGBM, whichever dataset is left out",
              "200 of 200", f"{as_published} of {len(heads)}; most often "
              f"{', '.join(NAMES.get(f, f) for f in common.index[0])} ({common.iloc[0]})",
              "holds if in all portfolios", HOLDS if as_published == len(heads) else FAILS),
        Claim("Nearest neighbours are the fourth family picked", "4th, before XGBoost",
              f"4th in {at_four} of {len(orders)}; picked in {len(places)}"
              + (f", median place {np.median(places):g}, before XGBoost in {before}" if places
                 else ""),
              "holds if in more than half", HOLDS if 2 * at_four > len(orders) else FAILS)]


def cost_claims(shares: pd.DataFrame, cut: pd.DataFrame) -> list[Claim]:
    """Judge what the paper says of costs and the time limit (Appendix H).

    Parameters
    ----------
    shares : pandas.DataFrame
        From `analysis.repositories.cost_shares`.
    cut : pandas.DataFrame
        From `analysis.repositories.cut_short`, by family.
    """
    table = shares.set_index("family")
    top = table.drop(index="all").iloc[0]
    boosted = cut["family"].isin(["CatBoost", "XGBoost", "LightGBM"])
    hit = cut["cut_short"].sum()
    share = cut.loc[boosted, "cut_short"].sum() / hit if hit else np.nan
    return [
        Claim("CatBoost costs more than all other families together", "more than half",
              f"{NAMES.get(top.name, top.name)} most, {100 * top['of_all']:.0f} %; CatBoost "
              f"{100 * table['of_all'].get('CatBoost', 0):.0f} %", "holds if above half",
              HOLDS if table["of_all"].get("CatBoost", 0) > 0.5 else FAILS),
        Claim("The 10 % most expensive models cost 90 %", "90 %",
              f"{100 * table.loc['all', 'top_10']:.0f} %", "holds if 85 to 95 %",
              HOLDS if 0.85 <= table.loc["all", "top_10"] <= 0.95 else FAILS),
        Claim("The time limit ends boosting almost alone", "99 % of those that it ends",
              f"{100 * share:.0f} % of {hit}" if hit else "the limit ended none",
              "holds if above 95 %", UNTESTABLE if not hit else HOLDS if share > 0.95 else FAILS)]


def importance_claims(table: pd.DataFrame) -> list[Claim]:
    """Judge which hyperparameter matters most (Section 4, Figure 3).

    Parameters
    ----------
    table : pandas.DataFrame
        From `analysis.hyperparameters.importances`: the largest first per family.
    """
    claims = []
    for family, expected in (("KNeighbors", "n_neighbors"), ("LinearModel", "C"),
                             ("CatBoost", "depth"), ("NeuralNetTorch", "use_batchnorm")):
        part = table[table["family"] == family].reset_index(drop=True)
        words = f"{expected} matters most for {NAMES.get(family, family)}"
        if part.empty:
            claims.append(Claim(words, "first", "fewer than eight configs", "–", UNTESTABLE))
            continue
        first, others = part.iloc[0], part["high"].iloc[1:]
        verdict = (OPEN if (first["low"] < others).any() else
                   HOLDS if first["hyperparameter"] == expected else FAILS)
        claims.append(Claim(words, "first", f"{first['hyperparameter']} first, "
                            f"{first['importance']:.2f} [{first['low']:.2f}, {first['high']:.2f}]",
                            "the first's interval above all others'", verdict))
    return claims


def as_table(claims: Sequence[Claim]) -> pd.DataFrame:
    """Return claims as a table, columns ``claim, published, computed, rule, verdict``."""
    return pd.DataFrame(claims, columns=Claim._fields)


def _means(results: pd.DataFrame, kind: str, families: Sequence[str]) -> pd.Series:
    part = results[results["kind"] == kind]
    return part.groupby("family")["normalized_error"].mean().loc[list(families)]


def _leader(means: pd.Series, expected: str, words: str, published: str, results: pd.DataFrame,
            lowest: bool) -> Claim:
    """Judge whether a family is first or last among defaults, by its nearest rival."""
    if expected not in means:
        return Claim(words, published, "it is not in the repository", BELOW, UNTESTABLE)
    others = means.drop(expected)
    rival = others.idxmin() if lowest else others.idxmax()
    pair = (expected, rival) if lowest else (rival, expected)
    found = paired_difference(results, *(f"{name} ({KINDS[0]})" for name in pair))
    return Claim(words, published, f"{means[expected]:.3f} against {others[rival]:.3f} "
                 f"({NAMES.get(rival, rival)}): {told(found)}", BELOW, judge(found))


def _plain(method: str) -> str:
    for name, plain in NAMES.items():
        method = method.replace(name, plain)
    return {PORTFOLIO: "its best config alone"}.get(method, method)
