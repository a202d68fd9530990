"""What the chapter *When do methods differ?* says in words, from its tables."""

import pandas as pd

from analysis.intervals.headlines import how_many
from analysis.small_data.meta_features import holm
from analysis.small_data.meta_features_power import all_tests, detection, one_test, problems_needed

AUTOML = ("AutoPrognosis", "AutoGluon")
SINGLE, SEARCH = "one meta-feature, named beforehand", "any of them, searched"


def distances(methods: pd.DataFrame) -> dict[str, float]:
    """Return the distance that counts (see `detection`) for a single test and for the search.

    Parameters
    ----------
    methods : pandas.DataFrame
        From `by_method`; the search by name counts, the mean over the methods.
    """
    by_name = methods[methods["pairing"] == "name"]
    n = int(by_name["n_datasets"].iloc[0])
    return {SINGLE: one_test(), SEARCH: all_tests(by_name["chance_95"].mean(), n)}


def meta_feature_words(methods: pd.DataFrame, leaders: pd.DataFrame, size: pd.DataFrame,
                       positions: pd.DataFrame, said: pd.DataFrame) -> dict[str, str]:
    """Return the chapter's numbers as text, by the names under which it glues them.

    Parameters
    ----------
    methods, leaders, size, positions : pandas.DataFrame
        From `analysis.small_data.meta_features_study`.
    said : pandas.DataFrame
        The paper's leaders: columns ``method, meta_feature``.
    """
    name, position = (methods[methods["pairing"] == p] for p in ("name", "position"))
    least = distances(methods)
    n = int(name["n_datasets"].iloc[0])
    same = positions["gain_of"] == positions["meta_features_of"]
    return {
        "same_rows": f"{same.sum()} of {len(same)}", "n_problems": str(n),
        "n_features": f"{name['n_features'].min():,}",
        "p_name": _range(name["p_largest"]), "p_position": _range(position["p_largest"]),
        "rho_name": _range(name["rho"].abs()), "rho_position": _range(position["rho"].abs()),
        "chance_median": _range(name["chance_median"]), "chance_95": _range(name["chance_95"]),
        "holm": _count(name["holm_05"]), "bh": _count(name["bh_05"]),
        "below": "; ".join(f"{r.method} {r.below_05 / r.n_features:.1%}".replace("%", " %")
                           for r in name.itertuples()),
        "power_half": f"{100 * detection(0.5, n, least[SEARCH]):.0f} %",
        "power_half_single": f"{100 * detection(0.5, n, least[SINGLE]):.0f} %",
        "needed_half": f"{problems_needed(0.5, least[SEARCH]):,}",
        "needed_third": f"{problems_needed(0.3, least[SEARCH]):,}",
        "rows_clear": how_many(size["low"] * size["high"] > 0, "methods", least=4),
        "rows_rho": _range(size["rho"]),
        "stand_for_rows": f"{100 * size['stand_for_rows'].mean():.0f} %",
        } | _leaders(leaders, said)


def own_words(methods: pd.DataFrame) -> dict[str, str]:
    """Return in words what came of methods that were run here.

    Parameters
    ----------
    methods : pandas.DataFrame
        Rows of `by_method`.
    """
    p = methods["p_largest"]
    adjusted = pd.Series(holm(p.to_numpy()), index=p.index)
    return {"own_p": _range(p), "own_told": how_many(p < 0.05, "methods", least=4),
            "own_holm": how_many(adjusted < 0.05, "methods", least=4)}


def _leaders(leaders: pd.DataFrame, said: pd.DataFrame) -> dict[str, str]:
    position = leaders[leaders["pairing"] == "position"]
    first = position[position["place"] == 1].set_index("method")
    stem = first["meta_feature"].str.split(".").str[0]
    comes_out = stem == said.set_index("method")["meta_feature"].reindex(stem.index)
    other = [_place_of(position, r.method, r.meta_feature) for r in said.itertuples()
             if not comes_out[r.method]]
    spans = first["low"] * first["high"] <= 0
    by_name = leaders[(leaders["pairing"] == "name") & (leaders["place"] == 1)]
    left = (by_name["given_rows"].abs() / by_name["by_name"].abs())
    both = leaders.groupby(["method", "pairing"])["meta_feature"].agg(set).unstack()
    automl = leaders[leaders["method"].isin(AUTOML)]
    complexity = (automl["group"] == "complexity").groupby(automl["pairing"]).sum()
    shared = sum(len(row["name"] & row["position"]) for _, row in both.iterrows())
    return {
        "leaders_come_out": how_many(comes_out, "methods", least=4),
        "leaders": ", ".join(f"{m}: {f}" for m, f in stem[comes_out].items()),
        "leaders_other": "; ".join(other) or "for no method does another",
        "leaders_by_name": _range(first["by_name"].abs()),
        "leaders_span": how_many(spans, "intervals", least=4),
        **{f"complexity_{p}": f"{n} of {len(automl) // 2}" for p, n in complexity.items()},
        "shared_top": str(shared),
        "left_given_rows": f"{100 * left.min():.0f} to {100 * left.max():.0f} %",
        "left_known": f"{left.notna().sum()} of {len(left)} leaders"}


def _place_of(position: pd.DataFrame, method: str, feature: str) -> str:
    here = position[(position["method"] == method)
                    & (position["meta_feature"].str.split(".").str[0] == feature)]
    if here.empty:
        return f"{method}'s {feature} is not among the first ten"
    best = here.sort_values("place").iloc[0]
    lead = position[(position["method"] == method) & (position["place"] == 1)].iloc[0]
    return (f"{method}'s {feature} is number {best['place']}, with {best['rho']:.3f} against "
            f"{abs(lead['rho']):.3f} for {lead['meta_feature']}")


def _range(values: pd.Series) -> str:
    low, high = f"{values.min():.2f}", f"{values.max():.2f}"
    return low if low == high else f"{low} to {high}"


def _count(values: pd.Series) -> str:
    return "none" if not values.any() else f"{int(values.sum())} in all"
