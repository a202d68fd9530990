"""Do a small table's properties tell which method wins? PMLBmini's meta-features, by name."""

import pandas as pd

from analysis.drawing.chart import Chart
from analysis.published.computed import DATE, compute_or_recall
from analysis.published.printed import published_table
from analysis.statistics.bootstrap import holm
from analysis.statistics.families import count_families
from chapters.chapter import Chapter, Study
from chapters.facts import Facts
from chapters.when_methods_differ.correlations import (
    all_tests,
    detection,
    one_test,
    problems_needed,
)
from chapters.when_methods_differ.search import KEPT, OWN

WORDS = {"position": "as published: rows paired by position", "name": "rows paired by name"}


def compute() -> Study:
    """Return what the chapter shows; computed where the data are at hand, else as kept.

    Returns
    -------
    Study
        ``methods, meta_features_leaders, positions``: from the functions of `KEPT`. ``first,
        largest``: from `leaders_twice` and `largest_and_chance`. ``computed_on`` (str): when what
        is kept was computed.
    """
    methods, leaders, positions = (
        compute_or_recall(name, compute) for name, compute in KEPT.items())
    date = str(methods[DATE].iloc[0])
    methods, leaders, positions = (t.drop(columns=DATE) for t in (methods, leaders, positions))
    return Study({
        "methods": methods, "meta_features_leaders": leaders, "first": leaders_twice(leaders),
        "largest": largest_and_chance(paired_by_name(methods)), "positions": positions},
        computed_on=date)


def paired_by_name(methods: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of methods that are paired by name."""
    return methods[methods["pairing"] == "name"]


def leaders_twice(leaders: pd.DataFrame) -> pd.DataFrame:
    """Return the published pairing's leaders by place, and what is left of them by name."""
    top = leaders.query("pairing == 'position' and place <= 3")
    name = top["method"] + ": " + top["meta_feature"]
    kept = top[["method", "place", "meta_feature"]].assign(name=name)
    unknown = top["by_name"].isna()  # too few problems have a value
    return pd.concat([
        kept.assign(paired=WORDS["position"], rho=top["rho"], low=float("nan"), high=float("nan")),
        kept.assign(paired=WORDS["name"], rho=top["by_name"], low=top["low"].mask(unknown),
                    high=top["high"].mask(unknown))], ignore_index=True)


def largest_and_chance(methods: pd.DataFrame) -> pd.DataFrame:
    """Return the largest |rho| of methods, and what chance gives, its median to 95th percentile.

    Returns
    -------
    pandas.DataFrame
        ``method, what, value, low, high``; the method's ``p_largest``.
    """
    kept, middle = methods[["method", "p_largest"]], methods["chance_median"]
    return pd.concat([
        kept.assign(what="found", value=methods["rho"].abs(), low=float("nan"), high=float("nan")),
        kept.assign(what="by chance: median to 95th percentile", value=middle, low=middle,
                    high=methods["chance_95"])], ignore_index=True)


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows, made = Facts(), study.tables
    same = made["positions"]["gain_of"] == made["positions"]["meta_features_of"]
    by_name = paired_by_name(made["methods"])
    here = by_name["method"].isin(OWN)
    paper, own = by_name[~here], by_name.loc[here, "p_largest"]
    n = int(paper["n_datasets"].iloc[0])
    rows.add("date", study.computed_on)
    rows.add("same_rows", int(same.sum()), n=len(same))
    rows.update({"problems": n, "features": int(paper["n_features"].min()),
                 "families": count_families(f"pmlb:{d}" for d in made["positions"]["gain_of"]),
                 "holm": int(paper["holm_05"].sum()), "bh": int(paper["bh_05"].sum())})
    rows.add("p_least", paper["p_largest"].min(), digits=2)
    rows.update({"own": len(own), "own_holm": int((holm(own) <= 0.05).sum())},
                note="methods run here; those whose largest is beyond chance, by Holm")
    search = all_tests(paper["chance_95"].mean(), n)
    for key, least in (("search", search), ("single", one_test())):
        rows.add(f"power_{key}", float(100 * detection(0.5, n, least)), unit="%",
                 note="of studies find a true correlation of 0.5")
    rows.add("needed", problems_needed(0.5, search), note="problems for 80 %, correlation 0.5")
    first = made["meta_features_leaders"].query(
        "pairing == 'position' and place == 1").set_index("method")
    said = published_table("pmlbmini_leaders").set_index("method")["meta_feature"]
    comes_out = first["meta_feature"].str.split(".").str[0] == said.reindex(first.index)
    rows.add("leaders_come_out", int(comes_out.sum()), n=len(first))
    rows.add("leaders_by_name", first["by_name"].abs().max(), digits=2)
    rows.add("leaders_span", int((first["low"] * first["high"] <= 0).sum()), n=len(first))
    return rows.table()


chapter = Chapter(
    "when_methods_differ", compute, facts,
    charts={
        "first": Chart(
            "first", "dots", "rho", "name", "rank correlation with the gain", by="paired",
            reference=0, height=4.0, title="What leads on mismatched rows is not clear by name"),
        "largest": Chart(
            "largest", "dots", "value", "method", "largest |rank correlation| of all properties",
            by="what", height=3.1, title="By name, nothing goes beyond chance")},
    shown={"moved": lambda study: study.tables["positions"].head(6).rename(columns={
        "gain_of": "the gain is of", "meta_features_of": "the properties are of"})})
