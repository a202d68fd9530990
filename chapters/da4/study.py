"""What the chapter on crossing curves shows: its tables and its facts."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from analysis.databases.chosen import database_title
from analysis.databases.naming import learner_title, learner_titles
from analysis.published.printed import published_table
from analysis.selection import COSTS, cheapest_near_full, cost_measure, real_strategies
from analysis.selection.crossing import crossing_frame
from analysis.statistics.summary import interval_texts, with_interval
from chapters.da4 import crossings
from chapters.da4.figures import setting_label
from chapters.da4.races import Races, race
from chapters.facts import Facts
from chapters.sufficient import lacks_races, sufficient_database

DRAWN = 0.03  # share of the pairs that a doubling needs to be drawn
AS_PAPER = 75  # percent of races without the best two, of the 80 that the paper reports


@dataclass(frozen=True)
class Da4:
    """Everything that the chapter shows.

    Attributes
    ----------
    note : str
        Why another database is looked at than was asked for, if so.
    studies : list of CrossingStudy
        The database asked for, and mini.
    races : Races
    """

    note: str
    studies: list[crossings.CrossingStudy]
    races: Races

    @property
    def main(self) -> crossings.CrossingStudy:
        """The study that the text is about."""
        return self.studies[0]

    @cached_property
    def crossing(self) -> pd.DataFrame:
        """Every ordered pair's crossing probability, both rules, all databases."""
        return pd.concat([crossing_frame(c, s.database) for s in self.studies
                          for c in s.cases.values()], ignore_index=True)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """Crossings by the rule that sees them."""
        return self._of_all(lambda s: crossings.disagreements(s.valid))

    @cached_property
    def subsets(self) -> pd.DataFrame:
        """The extreme sets of five."""
        return pd.concat([s.subsets for s in self.studies], ignore_index=True)

    @cached_property
    def paper_sets(self) -> pd.DataFrame:
        """The paper's two sets of five, here."""
        paper = published_table("notebooks").query(
            "property == 'crossing_probability' and unit == '1'")
        return pd.DataFrame([
            {"set": item.learner, "paper": item.value, "database": s.database, "rule": rule}
            | crossings.crossing_within(found, item.learner.split("; "))
            for item in paper.itertuples() for s in self.studies
            for rule, found in s.cases.items()])

    @cached_property
    def by_size(self) -> pd.DataFrame:
        """Changes of order per doubling that any pair reaches."""
        table = self._of_all(lambda s: crossings.crossings_by_size(s.changes))
        return table[table["exposed"] > 0]

    @cached_property
    def by_position(self) -> pd.DataFrame:
        """Changes of order by tenths of the way."""
        return self._of_all(lambda s: crossings.crossings_by_position(s.changes))

    def _of_all(self, table_of) -> pd.DataFrame:
        return pd.concat([table_of(s).assign(database=s.database) for s in self.studies],
                         ignore_index=True)


def study(database: str = "lcdb10") -> Da4:
    """Find the crossings of a database and of mini, and run the races."""
    database, note = sufficient_database(database, lacks_races)
    studies = [crossings.study_crossings(d) for d in dict.fromkeys([database, "mini"])]
    return Da4(note, studies, race(studies))


def results(found: Da4) -> dict[str, pd.DataFrame]:
    """Return the tables that go to ``results/da4``, by name."""
    races = found.races
    return {"crossing": found.crossing, "disagreements": found.differences,
            "subsets": found.subsets, "paper_sets": found.paper_sets,
            "times_by_size": found.by_size, "times_by_position": found.by_position,
            "halving": races.halving, "strategies": races.strategies,
            "strategies_extra_regret": races.extra, "random_fives": races.fives,
            "regret_on_crossing": races.slopes, "conclusions": conclusions(found)}


def example_pairs(found: Da4) -> pd.DataFrame:
    """Return the clearest crossing that both rules see, and the clearest that one misses."""
    names = dict(zip(found.main.curves["dataset"].values.tolist(),
                     found.main.curves["name"].values.tolist(), strict=True))
    clearest = crossings.clearest_crossings(found.main.valid)
    rows = pd.concat([clearest[clearest["published"]].head(1),
                      clearest[~clearest["published"]].head(1)])
    seen = np.where(rows["published"], "both rules see it", "the published rule misses it")
    return rows.assign(title=rows["dataset"].map(names) + ": " + seen)


def extreme_sets(found: Da4) -> pd.DataFrame:
    """Return the sets of five that cross least and most, with and without QDA."""
    without = crossings.learner_subsets(found.main.cases["corrected"].drop_sel(
        {d: "QDA" for d in ("learner_a", "learner_b")}, errors="ignore"),
        found.main.database, top=1).assign(rule="corrected, without quadratic discriminants")
    shown = pd.concat([found.subsets[found.subsets["place"] == 1], without]).sort_values(
        ["database", "kind"], kind="stable")
    shown["crossing, %"] = interval_texts(shown, "probability", scale=100)
    shown["learners"] = shown["learners"].map(learner_titles)
    return shown[["database", "kind", "rule", "learners", "crossing, %"]]


def paper_sets(found: Da4) -> pd.DataFrame:
    """Return the paper's two sets, there and here."""
    theirs = found.paper_sets
    shown = theirs[["set", "database", "rule", "learners"]].assign(**{
        "LCDB 1.1, %": 100 * theirs["paper"],
        "here, %": interval_texts(theirs, "probability", scale=100)})
    return shown.rename(columns={"set": "the paper's set", "learners": "of its five"})


def times_drawn(found: Da4) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return changes of order by size (doublings that enough pairs reach) and by position."""
    table = found.by_size
    enough = table["exposed"] >= DRAWN * table.groupby("database")["exposed"].transform("max")
    return tuple(t.assign(database=t["database"].map(database_title))
                 for t in (table[enough], found.by_position))


def halving_grid(found: Da4) -> pd.DataFrame:
    """Return halving on the main database by the corrected procedure, one learner per round."""
    return found.races.halving.query(
        "database == @found.main.database and procedure == 'corrected' and dropout == 1")


def halving_overview(found: Da4) -> pd.DataFrame:
    """Return what halving chooses, doubling and dropping one learner per round."""
    table = found.races.halving
    top = table[(table["increase"] == 1.0) & (table["dropout"] == 1)
                & table["start"].isin([16, 59])]
    one, two = (top[top["k"] == k].reset_index(drop=True) for k in (1, 2))
    return one[["database", "procedure", "group", "start"]].assign(**{
        "best, %": interval_texts(one, "top_k_rate", "top_k_low", "top_k_high", scale=100),
        "best two, %": interval_texts(two, "top_k_rate", "top_k_low", "top_k_high", scale=100),
        "mean regret, points": interval_texts(one, "regret", "regret_low", "regret_high", 2, 100)})


def strategy_table(found: Da4) -> pd.DataFrame:
    """Return every setting's regret by group, the difference of the groups, and its cost."""
    races, keys = found.races, ["database", "strategy", "params"]
    spent = cost_measure(races.strategies)
    regret = races.strategies.pivot(index=keys, columns="group", values="regret") * 100
    cost = races.strategies.pivot(index=keys, columns="group", values=spent)["most"]
    extra = races.extra.set_index(keys)
    more = pd.Series(interval_texts(extra, "extra_regret", "extra_regret_low", "extra_regret_high",
                                    2, 100), extra.index, name="most − least")
    table = regret[["least", "most", "all"]].add_prefix("regret, ").join(
        cost.rename(f"{COSTS[spent]}, most")).join(more)
    table = table.reindex(races.strategies.set_index(keys).index.unique()).reset_index()
    labels = [setting_label(*r) for r in table[["strategy", "params"]].to_numpy()]
    table.insert(1, "way of choosing", labels)
    return table.drop(columns=["strategy", "params"])


def slope_table(found: Da4) -> pd.DataFrame:
    """Return what ten points more of crossing go with, over random sets of five."""
    slopes = found.races.slopes
    return pd.DataFrame({
        "way of choosing": slopes["way"],
        "points of regret for ten points more of crossing": interval_texts(slopes, "slope",
                                                                           digits=2),
        "explained, %": slopes["explained"]})


def conclusions(found: Da4) -> pd.DataFrame:
    """Return the paper's conclusions beside this chapter's."""
    numbers = published_table("notebooks").query(
        "property == 'crossing_probability' and learner == 'all'")
    at = halving_grid(found).query("increase == 1.0").set_index(["group", "start", "k"])
    here = _whole(found)
    gap = _gap(found)
    fails = _fails(found)
    each = [f"{with_interval(*row, 0, '%')} on {database_title(d)}"
            for d, row in fails.iterrows()]
    rows = [
        ("Learning curves cross", f"{numbers['value'].iloc[0]:.2f} % of ordered pairs, those with "
         "itself included (CC-18, no scaling)",
         ", ".join(f"{v:.1f} % {rule}" for rule, v in here.items()),
         "the rules differ in what a missing start means; other datasets and learners"),
        ("Rarely crossing: best or runner-up is chosen", "almost always (Figure 6)",
         f"{100 * at.loc[('least', 16, 2), 'top_k_rate']:.0f} % from 16 rows, doubling",
         "judged on test errors, with a different group of five"),
        ("Often crossing: neither best nor second from 16 rows", "about 80 % (Appendix G)",
         "; ".join(each), "unexplained; see above"
         if fails.loc["lcdb11-summary", "high"] < AS_PAPER else "other datasets and groups"),
        ("A later start narrows the gap", "yes (Figure 20)",
         f"gap in the best-two rate: {gap[16]:.0f} points from 16 rows, {gap[59]:.0f} from 59",
         "the same finding" if gap[59] < gap[16] else "not found here")]
    return pd.DataFrame(rows, columns=["claim", "paper", "here", "why they differ"])


def facts(found: Da4) -> pd.DataFrame:
    """Return the chapter's numbers (`chapters.facts`)."""
    rows, main = Facts(), found.main
    rows.update({"title": database_title(main.database), "note": found.note})
    rows.add("scope", "; ".join(
        f"{database_title(s.database)}: {s.curves.sizes['dataset']} datasets, "
        f"{s.curves.sizes['learner']} learners, scaling {s.curves.attrs['scaling']}"
        for s in found.studies))
    _crossing_facts(rows, found)
    _time_facts(rows, found)
    _halving_facts(rows, found)
    _strategy_facts(rows, found)
    slopes = found.races.slopes.set_index("way")
    for key, start in (("halving", 16), ("later", 64)):
        row = slopes.loc[f"successive halving from {start} rows"]
        rows.add(f"slope_{key}", row["slope"], row["low"], row["high"], digits=2, unit="points",
                 note="regret for ten points more of crossing, over random sets of five")
    rows.add("explained", slopes.loc["successive halving from 16 rows", "explained"], unit="%")
    rows.add("n_sets", len(found.races.fives))
    return rows.table()


def _crossing_facts(rows: Facts, found: Da4) -> None:
    database = found.main.database
    means = found.crossing.groupby(["database", "rule"])["probability"].mean()
    for rule in ("published", "corrected"):
        rows.add(f"{rule}_pairs", 200 * means[database, rule], unit="%",
                 note="of pairs of learners and datasets, either way")
    rows.add("by_database", "; ".join(
        f"{100 * means[d, 'published']:.1f} % published, {100 * means[d, 'corrected']:.1f} % "
        f"corrected on {database_title(d)}" for d in means.index.unique("database")))
    gone = found.differences.query("database == @database and seen_by == 'corrected'")
    start = gone[gone["reason"].isin([crossings.NO_START, crossings.GAPS])]["crossings"].sum()
    rows.add("missed", gone["share"].sum(), digits=1, unit="%")
    rows.add("missed_start", 100 * start / max(gone["crossings"].sum(), 1), digits=1, unit="%")
    own = found.crossing.query("database == @database and rule == 'corrected'")
    top = own.loc[own["probability"].idxmax()]
    rows.update({f"top_{side}": learner_title(top[f"learner_{side}"]) for side in "ab"})
    rows.add("top_rate", *(100 * top[["probability", "low", "high"]]), unit="%")
    whole = _whole(found)
    rows.add("rule_moves", "more" if whole["corrected"] > whole["published"] else "less")


def _time_facts(rows: Facts, found: Da4) -> None:
    mine, along = (t[t["database"] == found.main.database]
                   for t in (found.by_size, found.by_position))
    late = mine[mine["low"] >= 1024][["changes", "exposed"]].sum()
    early = mine.loc[mine["high"] <= 128, "changes"].sum()
    rows.add("first_rate", 100 * mine["rate"].iloc[0], unit="%")
    rows.add("late_rate", 100 * late["changes"] / max(late["exposed"], 1), unit="%")
    rows.add("early_share", 100 * early / max(mine["changes"].sum(), 1), unit="%")
    for key, begin in (("start", 0.0), ("half", 0.5), ("late", 0.9)):
        open_ = along.loc[along["low"] >= begin, "settles"].sum() / along["exposed"].iloc[0]
        rows.add(f"settled_{key}", 100 * (1 - open_), unit="%")


def _halving_facts(rows: Facts, found: Da4) -> None:
    grid, races = halving_grid(found), found.races
    first = grid[grid["k"] == 1].set_index(["group", "start", "increase"])
    columns = ["regret", "regret_low", "regret_high"]
    for group in ("least", "most"):
        for key, start in (("", 16), ("_59", 59)):
            rows.add(f"regret_{group}{key}", *(100 * first.loc[(group, start, 1.0), columns]),
                     digits=2, unit="points")
        rows.add(f"no_curve_{group}", 100 * races.without_curve[group], digits=1, unit="%")
    rows.add("regret_most_small", 100 * first.loc[("most", 16, 0.125), "regret"], digits=2,
             unit="points")
    fails = _fails(found)
    rows.add("not_two", "; ".join(
        f"{with_interval(*row, 0, '%')} on {database_title(d)}" for d, row in fails.iterrows()
        if d != "lcdb11-summary"))
    rows.add("not_two_lcdb11", *fails.loc["lcdb11-summary"], unit="%")
    rows.add("computed_on", races.published_means["computed_on"].iloc[0])


def _strategy_facts(rows: Facts, found: Da4) -> None:
    races, database = found.races, found.main.database
    spent = cost_measure(races.strategies)
    mine = races.strategies[races.strategies["database"] == database].set_index(
        ["group", "strategy"]).sort_index()
    extra = real_strategies(races.extra[races.extra["database"] == database])
    columns = ["extra_regret", "extra_regret_low", "extra_regret_high"]
    halving = extra.query("params == 'start=16, increase=1.0, dropout=1'").iloc[0]
    rows.add("extra_halving", *(100 * halving[columns]), digits=2, unit="points")
    others = 100 * extra.query("strategy != 'halving'")["extra_regret"]
    rows.add("extra_others", f"{others.min():.2f} to {others.max():.2f} points")
    at_64 = extra.query("params == 'start=59, increase=1.0, dropout=1'").iloc[0]
    rows.add("extra_later", *(100 * at_64[columns]), digits=2, unit="points")
    rows.add("later", "smaller" if at_64[columns[0]] < halving[columns[0]] else "no smaller")
    near = cheapest_near_full(mine.loc["most"].reset_index(), spent)
    rows.add("cheapest", "none" if near is None else
             setting_label(near["strategy"], near["params"]))
    rows.add("cheapest_cost", np.nan if near is None else near[spent], digits=2)
    rows.add("cost_word", COSTS[spent])
    look = mine.loc[("all", "early")].query("params == 'doublings=1'").iloc[0]
    regret = ["regret", "regret_low", "regret_high"]
    rows.add("look", *(100 * look[regret]), digits=2, unit="points")
    rows.add("look_cost", look[spent], digits=2)
    rows.add("everyone", *(100 * mine.loc[("all", "full")].iloc[0][regret]), digits=2,
             unit="points")
    formulas = 100 * mine.loc[("all", "extrapolate"), "regret"]
    rows.add("extrapolated", f"{formulas.min():.2f} to {formulas.max():.2f} points")
    own = mine.loc[("most", "halving")].query("params == 'start=16, increase=1.0, dropout=1'")
    rows.add("halving_fits", own["fits_share"].iloc[0], digits=1)
    rows.add("halving_cost", own[spent].iloc[0], digits=2)


def _whole(found: Da4) -> dict[str, float]:
    """Return the crossing probability of all ordered pairs, by rule, in percent."""
    return {rule: 100 * float(p["crosses"].mean())
            for rule, p in found.main.probabilities.items()}


def _gap(found: Da4) -> dict[int, float]:
    """Return how much more often halving finds one of the best two where curves cross least."""
    rate = halving_grid(found).query("increase == 1.0 and k == 2").set_index(
        ["group", "start"])["top_k_rate"]
    return {start: 100 * (rate["least", start] - rate["most", start]) for start in (16, 59)}


def _fails(found: Da4) -> pd.DataFrame:
    """Return how often halving in the smallest steps ends with neither of the best two."""
    own = found.races.halving.query("procedure == 'corrected'")
    means = found.races.published_means.query("procedure == 'published'")
    smallest = "group == 'most' and start == 16 and increase == 0.125 and dropout == 1 and k == 2"
    rows = pd.concat([own.query(smallest), means.query(smallest)]).set_index("database")
    return 100 - 100 * rows[["top_k_rate", "top_k_high", "top_k_low"]].set_axis(
        ["value", "low", "high"], axis=1)
