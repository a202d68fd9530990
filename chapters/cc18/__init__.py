"""Can a program choose a benchmark suite? OpenML-CC18's criteria, applied again."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from analysis.databases.lcdb10 import meta_features_table
from analysis.databases.scores import lcdb10_scores
from analysis.drawing.chart import Chart
from analysis.leaderboards.measures import task_ranks
from analysis.published.printed import published_table
from analysis.statistics.families import families
from chapters.chapter import Chapter
from chapters.facts import Facts
from collection.suites import criteria as rules
from collection.suites.criteria import LEAST_RATIO, ROWS
from collection.suites.qualities import qualities_from_openml

# --- CC-18's criteria applied to all datasets whose qualities are at hand, and the paper's numbers.

LETTERS = {rules.CRITERIA[name].letter: name for name in rules.BY_QUALITIES if name != "dense"}
KEPT, MANUAL, UNKNOWN = "kept", "manual", "unknown"


def cc18_criteria(table: pd.DataFrame | None = None) -> pd.DataFrame:
    """Say by which automatic criterion each dataset is in CC-18 or not.

    Parameters
    ----------
    table : pandas.DataFrame, optional
        As `meta_features_table` returns it, which is the default.

    Returns
    -------
    pandas.DataFrame
        A row per dataset: ``dataset_id, name, in_cc18``; ``a, b, c, d`` (True: passes; None: a
        quality that it needs is not known); ``decided_by``: the first of a to d that fails;
        `UNKNOWN` where none fails and one is not known; else `KEPT` where it is in CC-18 and
        `MANUAL` where a person kept it out.
    """
    table = meta_features_table() if table is None else table
    listing = table.reset_index(names="did").rename(columns={"Name": "name"})
    passes = rules.check_qualities(qualities_from_openml(listing), LETTERS.values())
    found = pd.DataFrame({
        "dataset_id": listing["did"], "name": listing["name"],
        "in_cc18": listing["did"].isin(published_table("cc18_table1")["dataset_id"]),
        **{letter: passes[name] for letter, name in LETTERS.items()}})
    found["decided_by"] = [_decided(row) for row in found.to_dict("records")]
    return found


def _decided(row: dict) -> str:
    failed = [letter for letter in LETTERS if row[letter] is False]
    if failed:
        return failed[0]
    if any(row[letter] is None for letter in LETTERS):
        return UNKNOWN
    return KEPT if row["in_cc18"] else MANUAL


def manual_verdicts(criteria: pd.DataFrame) -> pd.DataFrame:
    """Count why datasets that pass (a) to (d) are not in CC-18, by the published generator.

    Parameters
    ----------
    criteria : pandas.DataFrame
        From `cc18_criteria`.

    Returns
    -------
    pandas.DataFrame
        A row per verdict of the authors' notebook, most frequent first: ``verdict``, ``datasets``
        and up to four of their names as ``examples``.
    """
    told = published_table("cc18_generator").set_index("dataset_id")["verdict"]
    kept_out = criteria[criteria["decided_by"] == MANUAL]
    verdict = kept_out["dataset_id"].map(told).fillna("not among its candidates")
    groups = kept_out.groupby(verdict.rename("verdict"))["name"]
    counts = groups.agg(datasets="size", examples=lambda names: ", ".join(names.unique()[:4]))
    return counts.reset_index().sort_values(["datasets", "verdict"], ascending=[False, True],
                                            ignore_index=True)


def generator_against_suite() -> pd.DataFrame:
    """Return the datasets on which the authors' notebook and the published suite differ.

    Returns
    -------
    pandas.DataFrame
        ``dataset_id``, ``verdict`` of the notebook, ``in_cc18``.
    """
    told = published_table("cc18_generator")
    inside = told["dataset_id"].isin(published_table("cc18_table1")["dataset_id"])
    differs = inside != (told["verdict"] == "selected")
    return told.assign(in_cc18=inside)[differs].reset_index(drop=True)


EQUAL, DIFFERENT, NOT_HERE = "equal as printed", "different", "not checkable here"
DIGITS = {"ratio": 2}  # as Table 1 prints; the others are whole numbers
REASONS = {(46, "features_with_target"): "splice has a column of names, which the paper counts and "
                                         "LCDB 1.0's qualities do not"}


def published_numbers(table: pd.DataFrame | None = None) -> pd.DataFrame:
    """Check Table 1, number by number, and that its rows keep the requirements of Section 6.1.

    Parameters
    ----------
    table : pandas.DataFrame, optional
        Qualities by OpenML id, as `meta_features_table` returns them, which is the default.

    Returns
    -------
    pandas.DataFrame
        ``place`` in the paper, ``item``, ``quantity``, ``published``, ``ours`` (NaN where nothing
        is at hand), ``verdict`` (`EQUAL`, `DIFFERENT` or `NOT_HERE`), ``reason``.
    """
    known = _as_printed(meta_features_table() if table is None else table)
    rows = [_check(printed, quantity, known)
            for printed in published_table("cc18_table1").to_dict("records")
            for quantity in known.columns]
    return pd.DataFrame([*rows, *_requirements()])


def _as_printed(table: pd.DataFrame) -> pd.DataFrame:
    """Return the qualities that Table 1 prints, under its names."""
    return pd.DataFrame({
        "classes": table["NumberOfClasses"], "features_with_target": table["NumberOfFeatures"],
        "observations": table["NumberOfInstances"],
        "ratio": table["MinorityClassSize"] / table["MajorityClassSize"]})


def _check(printed: dict, quantity: str, known: pd.DataFrame) -> dict:
    number, value = printed["dataset_id"], printed[quantity]
    ours = known[quantity].get(number, float("nan"))
    digits = DIGITS.get(quantity, 0)
    # To a unit of the last place: halves are rounded both ways.
    near = abs(round(ours, digits) - value) <= 0.51 * 10.0 ** -digits if ours == ours else False
    verdict = NOT_HERE if ours != ours else EQUAL if near else DIFFERENT
    reason = {NOT_HERE: "no qualities of this dataset are at hand", EQUAL: "",
              DIFFERENT: REASONS.get((number, quantity), "not explained")}[verdict]
    return {"place": "Table 1", "item": printed["name"], "quantity": quantity, "published": value,
            "ours": ours, "verdict": verdict, "reason": reason}


def _requirements() -> list[dict]:
    """Count the rows of Table 1 that keep what Section 6.1 requires of all."""
    table = published_table("cc18_table1")
    kept = {"(a) 500 to 100,000 observations": table["observations"].between(*ROWS),
            "(c) at least two classes": table["classes"] >= 2,
            "(d) ratio of classes above 0.05": table["ratio"] >= LEAST_RATIO}  # two digits printed
    return [{"place": "Section 6.1", "item": item, "quantity": "tasks", "published": len(table),
             "ours": int(holds.sum()), "verdict": EQUAL if holds.all() else DIFFERENT,
             "reason": "" if holds.all() else "by the numbers of Table 1"}
            for item, holds in kept.items()]


# --- Datasets that are the same by their qualities alone, where the rows are not at hand.

SAME_FEATURES = 0.8  # share of the qualities of features that agree
CLOSE = 1e-4  # relative difference of equal qualities
LEAST_QUALITIES = 15  # of features, that both datasets need
#: Qualities that depend on the target: what they are called begins with, or holds.
OF_TARGET = ("NaiveBayes", "MinorityClass", "MajorityClass", "ClassEntropy", "NumberOfClasses",
             "AutoCorrelation", "EquivalentNumberOfAtts", "MutualInformation", "NoiseToSignal")
OF_CLASSES = ["ClassEntropy", "AutoCorrelation", "MinorityClassSize"]


def quality_twins(table: pd.DataFrame) -> pd.DataFrame:
    """Find datasets with the same rows by OpenML's qualities.

    Two datasets with as many rows have the same features where `SAME_FEATURES` of the statistics
    of their features agree, and the same labels where the entropy of the classes, the size of the
    rarest and OpenML's ``AutoCorrelation`` (how often neighbouring rows have the same class, which
    depends on the order of rows) all do.

    Parameters
    ----------
    table : pandas.DataFrame
        Index the datasets' ids; columns OpenML's qualities, ``NumberOfInstances`` among them, and
        ``Name``.

    Returns
    -------
    pandas.DataFrame
        A row per pair: ``dataset_id``, ``name``, ``twin_id``, ``twin_name``, ``kind``,
        ``rows`` and ``agree`` (share of the features' statistics). The kinds: ``same`` features and
        classes; ``other target``, the same features with classes merged or others; ``same
        labels``, the same classes in the same order of rows, other features of the same objects.
    """
    numbers = table.drop(columns="Name").apply(pd.to_numeric, errors="coerce")
    of_target = [c for c in numbers if any(word in c for word in OF_TARGET)]
    features = numbers.drop(columns=of_target).to_numpy()
    classes = numbers[OF_CLASSES].to_numpy()
    rows = []
    for group in numbers.groupby("NumberOfInstances").indices.values():
        for i, j in combinations(group, 2):
            agree = _agreement(features[i], features[j])
            same_labels = np.isclose(classes[i], classes[j], rtol=CLOSE).all()
            if kind := _kind(agree >= SAME_FEATURES, same_labels):
                a, b = table.index[i], table.index[j]
                rows.append((a, table["Name"][a], b, table["Name"][b], kind,
                             int(numbers["NumberOfInstances"].iloc[i]), agree))
    found = pd.DataFrame(rows, columns=["dataset_id", "name", "twin_id", "twin_name", "kind",
                                        "rows", "agree"])
    return found.sort_values(["dataset_id", "twin_id"], ignore_index=True)


def _agreement(one: np.ndarray, two: np.ndarray) -> float:
    known = ~np.isnan(one) & ~np.isnan(two)
    if known.sum() < LEAST_QUALITIES:
        return 0.0
    return float(np.isclose(one[known], two[known], rtol=CLOSE).mean())


def _kind(same_features: bool, same_labels: bool) -> str:
    if same_features:
        return "same" if same_labels else "other target"
    return "same labels" if same_labels else ""


def near_duplicate_effect(scores: pd.DataFrame, groups: pd.Series, seed: int = 0,
                          draws: int = 2000) -> tuple[pd.DataFrame, np.ndarray]:
    """Return how mean ranks over a suite move when near-duplicates count as one.

    Parameters
    ----------
    scores : pandas.DataFrame
        Columns ``task, method, fold, error``.
    groups : pandas.Series
        Index tasks of the suite, values the group of each; tasks without scores are left out.
    seed, draws : int
        Of the null: tasks put at random into groups of the same sizes.

    Returns
    -------
    table : pandas.DataFrame
        A row per method, the best first: ``method``; ``each``, its mean rank over the tasks;
        ``grouped``, over the groups, each the mean over its tasks; ``shift``, the second minus the
        first; ``place`` and ``place_grouped`` in the order of methods.
        ``attrs`` hold the numbers of ``tasks`` and ``groups``.
    by_chance : ndarray of int, shape (draws,)
        How many methods change their place with groups drawn at random.
    """
    ranks = task_ranks(scores[scores["task"].isin(groups.index)])
    of = pd.factorize(groups.reindex(ranks.index))[0]
    means = pd.DataFrame({"each": ranks.mean(), "grouped": _grouped(ranks, of)})
    means["shift"] = means["grouped"] - means["each"]
    for column, place in (("each", "place"), ("grouped", "place_grouped")):
        means[place] = means[column].rank(method="min").astype(int)
    rng = np.random.default_rng(seed)
    drawn = np.array([rankdata(_grouped(ranks, rng.permutation(of)), method="min")
                      for _ in range(draws)])
    found = means.rename_axis("method").sort_values("each", kind="stable").reset_index()
    found.attrs = {"tasks": len(ranks), "groups": int(of.max()) + 1}
    return found, (drawn != means["place"].to_numpy()).sum(axis=1)


def _grouped(ranks: pd.DataFrame, of: np.ndarray) -> np.ndarray:
    """Return each method's mean over groups of its mean rank over the tasks of a group."""
    weight = 1 / np.bincount(of)[of]
    return (weight @ ranks.to_numpy() / weight.sum()).round(12)

INSIDE, OUTSIDE, FAILS = "in CC-18", "passes, not in CC-18", "fails a criterion"


@dataclass(frozen=True, eq=False)
class Study:
    """What the chapter shows; each table is what the function of its name returns.

    Attributes
    ----------
    criteria, numbers, verdicts, differs, twins, effect : pandas.DataFrame
        From `cc18_criteria`, `published_numbers`, `manual_verdicts`, `generator_against_suite`,
        `quality_twins`, `near_duplicate_effect`.
    by_chance : ndarray
        The null of `near_duplicate_effect`.
    qualities : pandas.DataFrame
        OpenML's, by the datasets' ids.
    """

    criteria: pd.DataFrame
    numbers: pd.DataFrame
    verdicts: pd.DataFrame
    differs: pd.DataFrame
    twins: pd.DataFrame
    effect: pd.DataFrame
    by_chance: np.ndarray
    qualities: pd.DataFrame

    @property
    def datasets(self) -> pd.DataFrame:
        """Return rows, features and what decided of each dataset, in the order of a legend."""
        known = self.qualities.reindex(self.criteria["dataset_id"]).reset_index(drop=True)
        decided = self.criteria["decided_by"].map({KEPT: INSIDE, MANUAL: OUTSIDE}).fillna(FAILS)
        table = self.criteria[["dataset_id", "name"]].assign(
            rows=known["NumberOfInstances"], features=known["NumberOfFeatures"] - 1,
            decided=decided.mask(self.criteria["decided_by"] == UNKNOWN))
        order = [FAILS, OUTSIDE, INSIDE]
        return table.dropna().sort_values("decided", key=lambda c: c.map(order.index),
                                          kind="stable", ignore_index=True)


def compute() -> Study:
    """Return what the chapter shows."""
    table = meta_features_table()
    criteria = cc18_criteria(table)
    members = pd.Index(sorted(published_table("cc18_table1")["dataset_id"]))
    effect, by_chance = near_duplicate_effect(lcdb10_scores(),
                                              pd.Series(families(members), members))
    return Study(criteria, published_numbers(table), manual_verdicts(criteria),
                 generator_against_suite(), quality_twins(table), effect, by_chance, table)


def tables(study: Study) -> Mapping[str, pd.DataFrame]:
    """Return the chapter's tables."""
    counted = study.numbers.groupby(["place", "verdict"], sort=False).size()
    return {"cc18_criteria": study.criteria, "datasets": study.datasets,
            "published": study.numbers, "counted": counted.reset_index(name="numbers"),
            "manual": study.verdicts, "generator": study.differs, "twins": study.twins,
            "near_duplicates": study.effect}


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows, criteria = Facts(), study.criteria
    counts = criteria["decided_by"].value_counts()
    rows.add("judged", int(len(criteria) - counts.get(UNKNOWN, 0)),
             note="datasets whose qualities are known")
    rows.add("pass", int(counts[KEPT] + counts[MANUAL]), note="pass (a) to (d)")
    rows.add("kept", int(counts[KEPT]), note="of these in CC-18")
    rows.add("manual", int(counts[MANUAL]), note="of these not in CC-18")
    inside = criteria[criteria["in_cc18"]]
    rows.add("members_failing", int((inside["decided_by"] != KEPT).sum()), n=len(inside))
    derived = study.verdicts["verdict"].str.contains("binarised|derived")
    rows.add("derived", int(study.verdicts.loc[derived, "datasets"].sum()), n=int(counts[MANUAL]))
    rows.add("unselected", int(study.differs["in_cc18"].sum()),
             note="in CC-18, not selected by the notebook")
    rows.add("left_out", int((~study.differs["in_cc18"]).sum()),
             note="selected by the notebook, not in CC-18")
    verdicts = study.numbers.loc[study.numbers["place"] == "Table 1", "verdict"].value_counts()
    for key, verdict in (("equal", EQUAL), ("not_here", NOT_HERE)):
        rows.add(key, int(verdicts.get(verdict, 0)), note=f"numbers of Table 1 {verdict}")
    rows.add("twins", len(study.twins), note="pairs of near-duplicates by qualities")
    moved = int((study.effect["place"] != study.effect["place_grouped"]).sum())
    rows.add("moved", moved, n=len(study.effect), note="learners that change their place")
    rows.add("moved_by_chance", study.by_chance.mean(), digits=1,
             note="with groups of the same sizes drawn at random, the mean")
    rows.add("p_moved", (1 + (study.by_chance >= moved).sum()) / (1 + len(study.by_chance)),
             digits=2)
    rows.update({"ranked": study.effect.attrs["tasks"], "learners": len(study.effect)})
    return rows.table()


chapter = Chapter(
    "cc18", compute, tables, facts,
    charts={"criteria": Chart(
        "datasets", "points", "rows", "features", "rows", "features", by="decided", log="xy",
        height=3.8, title="Numbers do not tell CC-18's datasets from those left out")},
    shown={"manual": lambda study: study.verdicts.head(8)})
