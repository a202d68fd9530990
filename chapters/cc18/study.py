"""CC-18's criteria, mistakes and near-duplicates together, and the chapter's facts."""

from dataclasses import dataclass

import pandas as pd

from analysis.databases.lcdb10 import meta_features_table
from analysis.databases.naming import learner_title
from analysis.databases.scores import lcdb10_scores
from analysis.published.printed import published_table
from analysis.statistics.families import families
from chapters.cc18.criteria import (
    KEPT,
    MANUAL,
    UNKNOWN,
    cc18_criteria,
    edges,
    generator_against_suite,
    manual_verdicts,
)
from chapters.cc18.mistakes import FOUND, NOT_TESTED, REBUILT, admitted_mistakes
from chapters.cc18.published import DIFFERENT, published_numbers
from chapters.cc18.twins import near_duplicate_effect, quality_twins
from chapters.facts import Facts
from collection.curation.qualities import qualities_from_openml


@dataclass(frozen=True, eq=False)
class Study:
    """What the chapter shows; each table is what the function of its name returns.

    Attributes
    ----------
    criteria, edges, numbers, verdicts, differs, mistakes, twins, effect : pandas.DataFrame
        From `cc18_criteria`, `edges`, `published_numbers`, `manual_verdicts`,
        `generator_against_suite`, `admitted_mistakes`, `quality_twins`, `near_duplicate_effect`.
    qualities : pandas.DataFrame
        Of the datasets of `criteria`, in its order.
    groups : pandas.Series
        The family of each member of CC-18 (`analysis.statistics.families`).
    """

    criteria: pd.DataFrame
    qualities: pd.DataFrame
    edges: pd.DataFrame
    numbers: pd.DataFrame
    verdicts: pd.DataFrame
    differs: pd.DataFrame
    mistakes: pd.DataFrame
    twins: pd.DataFrame
    groups: pd.Series
    effect: pd.DataFrame

    @property
    def touching(self) -> pd.DataFrame:
        """Return the pairs of twins with a member of CC-18."""
        inside = self.twins[["dataset_id", "twin_id"]].isin(self.groups.index).any(axis=1)
        return self.twins[inside]


def study() -> Study:
    """Return what the chapter shows."""
    table = meta_features_table()
    listing = table.reset_index(names="did").rename(columns={"Name": "name"})
    criteria, twins = cc18_criteria(table), quality_twins(table)
    members = pd.Index(sorted(published_table("cc18_table1")["dataset_id"]))
    groups = pd.Series(families(members), members)
    return Study(criteria, qualities_from_openml(listing), edges(), published_numbers(table),
                 manual_verdicts(criteria), generator_against_suite(), admitted_mistakes(twins),
                 twins, groups, near_duplicate_effect(lcdb10_scores(), groups))


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows, criteria = Facts(), study.criteria
    counts = criteria["decided_by"].value_counts()
    inside = criteria[criteria["in_cc18"]]
    rows.add("datasets", len(criteria), note="whose qualities come with LCDB 1.0")
    rows.add("judged", int(len(criteria) - counts.get(UNKNOWN, 0)))
    rows.add("pass", int(counts[KEPT] + counts[MANUAL]), note="pass (a) to (d)")
    rows.add("kept", int(counts[KEPT]), note="of these in CC-18")
    rows.add("manual", int(counts[MANUAL]), note="of these not in CC-18")
    rows.add("members", len(inside), note="datasets of CC-18 with qualities")
    rows.add("members_failing", int((inside["decided_by"] != KEPT).sum()))
    _add_print(rows, study)
    _add_mistakes(rows, study.mistakes)
    _add_twins(rows, study)
    return rows.table()


def _add_print(rows: Facts, study: Study) -> None:
    """Add where Table 1 and the qualities differ, and the suite and its authors' notebook."""
    other = study.numbers[(study.numbers["place"] == "Table 1")
                          & (study.numbers["verdict"] == DIFFERENT)]
    rows.add("table1_different", len(other), note="numbers of Table 1")
    rows.add("table1_which", "; ".join(
        f"{r.item}, {r.quantity.replace('_', ' ')}: {r.published:g} in print, {r.ours:g} on OpenML"
        for r in other.itertuples()) or "none")
    names = published_table("cc18_table1").set_index("dataset_id")["name"]
    absent = study.differs[study.differs["in_cc18"]]
    selected = study.differs[~study.differs["in_cc18"]]
    rows.add("unselected", len(absent), note="in CC-18, not selected by the notebook")
    rows.add("unselected_names", ", ".join(names[i] for i in absent["dataset_id"]))
    rows.add("left_out", len(selected), note="selected by the notebook, not in CC-18")
    rows.add("left_out_ids", ", ".join(str(i) for i in selected["dataset_id"]))


def _add_mistakes(rows: Facts, mistakes: pd.DataFrame) -> None:
    by = mistakes.groupby("outcome")["name"].agg(", ".join)
    rows.add("mistakes", len(mistakes))
    rows.update({"mistakes_found": by.get(FOUND, "none"),
                 "mistakes_rebuilt": by.get(REBUILT, "none"),
                 "mistakes_untested": by.get(NOT_TESTED, "none")})


def _add_twins(rows: Facts, study: Study) -> None:
    """Add near-duplicates, and how far they move mean ranks."""
    kinds, effect = study.twins["kind"].value_counts(), study.effect
    rows.add("twins", len(study.twins), note="pairs")
    for kind in ("other target", "same labels", "same"):
        rows.add("twins_" + kind.replace(" ", "_"), int(kinds.get(kind, 0)))
    names = published_table("cc18_table1").set_index("dataset_id")["name"]
    several = study.groups[study.groups.duplicated(keep=False)]
    rows.add("families", "; ".join(", ".join(names[i] for i in of.index)
                                   for _, of in several.groupby(several)))
    rows.add("ranked", effect.attrs["tasks"], note="members with curves in LCDB 1.0")
    rows.add("ranked_groups", effect.attrs["groups"])
    rows.add("learners", len(effect))
    rows.add("moved", int((effect["place"] != effect["place_grouped"]).sum()),
             note="learners that change their place")
    top = effect.loc[effect["shift"].abs().nlargest(2).index]
    for row, name in zip(top.itertuples(), ("first", "second"), strict=True):
        rows.add(f"{name}_shift", abs(row.shift), digits=2, note="of the mean rank")
        rows.add(f"{name}_shift_of", learner_title(row.method))
