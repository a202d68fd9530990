"""What the chapter *From how many rows on?* shows, of all databases, and its facts."""

from dataclasses import dataclass
from functools import cache, cached_property

import pandas as pd

from analysis.databases.chosen import database_title
from analysis.databases.naming import learner_title
from analysis.published.computed import DATE, compute_or_recall, recall
from analysis.statistics.summary import interval_texts
from chapters.facts import Facts
from chapters.how_many_rows import decision, one_database
from chapters.how_many_rows.foretold import LEAD, SETS, foretell, small_features
from chapters.how_many_rows.overtaking import COMPLEX, SIZES
from chapters.how_many_rows.shares import (
    GOOD,
    NOW,
    STAYS,
    behind_again,
    order_holds,
    three_shares,
)


@cache
def _lcdb11() -> one_database.OvertakingStudy:
    return one_database.study_overtaking("lcdb11-summary")


def _lcdb11_again() -> pd.DataFrame:
    study = _lcdb11()
    return behind_again(study.mean.sel(learner=study.complex), study.family, study.database)


OF_LCDB11 = {"overtaking_lcdb11_shares": lambda: one_database.all_shares(_lcdb11()),
             "overtaking_lcdb11_common": lambda: one_database.common_shares(_lcdb11()),
             "overtaking_lcdb11_again": _lcdb11_again}
KEPT = {**OF_LCDB11, **decision.KEPT}
FOREST, BOOSTING, NETWORK = "ens.RandomForest", "ens.GradientBoosting", "MLP"
FIXED = 1000  # rows that every problem of the fixed set reaches


@dataclass(frozen=True, eq=False)
class Tables:
    """What the chapter shows.

    Attributes
    ----------
    shares, common, sizes, three, again, order, foretold, choices : pandas.DataFrame
        From `all_shares`, `common_shares`, `sizes_by_dataset`, `three_shares`, `behind_again`,
        `order_holds`, `foretell`, `by_choice` and `by_scaling`; of one database or more.
    tried : pandas.DataFrame
        From `chapters.how_many_rows.decision.try_tables`, as it is kept.
    computed_on : str
        When what needs LCDB 1.1 was computed.
    """

    shares: pd.DataFrame
    common: pd.DataFrame
    sizes: pd.DataFrame
    three: pd.DataFrame
    again: pd.DataFrame
    order: pd.DataFrame
    foretold: pd.DataFrame
    choices: pd.DataFrame
    tried: pd.DataFrame
    computed_on: str

    @cached_property
    def regrets(self) -> pd.DataFrame:
        """What each way to decide costs, from `chapters.how_many_rows.decision.regrets`."""
        return decision.regrets(self.tried)


def study() -> Tables:
    """Return what the chapter shows; what needs LCDB 1.1's means is kept."""
    lcdb10, mini = one_database.study_overtaking("lcdb10"), one_database.study_overtaking("mini")
    kept = {name: compute_or_recall(name, compute) for name, compute in OF_LCDB11.items()}
    date = str(kept["overtaking_lcdb11_shares"][DATE].iloc[0])
    kept = {name: table.drop(columns=DATE) for name, table in kept.items()}
    few = lcdb10.mean.sel(learner=lcdb10.complex)
    valid = one_database.study_overtaking("lcdb10", split="valid", learners=COMPLEX)
    scalings = one_database.by_scaling()
    scalings = scalings.assign(choice="mini, scaling: " + scalings["scaling"])
    cases = lcdb10.cases.sel(learner=lcdb10.complex)
    return Tables(
        pd.concat([one_database.all_shares(lcdb10), one_database.all_shares(mini),
                   kept["overtaking_lcdb11_shares"]],
                  ignore_index=True),
        pd.concat([one_database.common_shares(lcdb10), kept["overtaking_lcdb11_common"]],
                  ignore_index=True),
        pd.concat([one_database.sizes_by_dataset(lcdb10), one_database.sizes_by_dataset(mini)],
                  ignore_index=True),
        pd.concat([three_shares(few, cases, lcdb10.family, "lcdb10"),
                   three_shares(few, cases, lcdb10.family, "lcdb10",
                                [n for n in SIZES if n <= FIXED], FIXED)], ignore_index=True),
        pd.concat([behind_again(few, lcdb10.family, "lcdb10"), kept["overtaking_lcdb11_again"]],
                  ignore_index=True),
        order_holds(few, lcdb10.family, "lcdb10"),
        foretell(lcdb10.mean, lcdb10.cases, lcdb10.family, small_features(lcdb10.errors),
                 lcdb10.complex),
        pd.concat([one_database.by_choice(lcdb10, valid), scalings], ignore_index=True),
        recall("small_data_decision").drop(columns=DATE), date)


def facts(tables: Tables) -> pd.DataFrame:
    """Return the chapter's numbers: of LCDB 1.0, where nothing else is said."""
    rows = Facts()
    rows.add("date", tables.computed_on)
    main = tables.shares[tables.shares["database"] == "lcdb10"].set_index(["learner", "rows"])
    order = tables.order.set_index(["learner", "rows", "now"])
    for name, learner in (("forest", FOREST), ("boosting", BOOSTING), ("network", NETWORK)):
        for size in (100, 1000, 5000):
            _add_share(rows, f"{name}_{size}", main.loc[(learner, size)])
        for now in ("ahead", "not ahead"):
            _add_share(rows, f"{name}_{now.replace(' ', '_')}", order.loc[(learner, 100, now)])
    three = tables.three.set_index(["problems", "learner", "rows", "who"])
    for key, who in (("now", NOW), ("good", GOOD), ("stays", STAYS)):
        for size in (100, 1000):
            _add_share(rows, f"fixed_{key}_{size}", three.loc[("fixed", FOREST, size, who)])
        _add_share(rows, f"all_{key}_100", three.loc[("all", FOREST, 100, who)])
    _add_apart(rows, tables.shares)
    _add_sureness(rows, tables.sizes[tables.sizes["database"] == "lcdb10"])
    for database, again in tables.again.groupby("database"):
        again = again.set_index("learner")
        key = "again_10" if database == "lcdb10" else "again_11"
        _add_share(rows, f"{key}_forest", again.loc[FOREST])
        _add_share(rows, f"{key}_network", again.loc[NETWORK])
    _add_choices(rows, tables.choices)
    _add_foretold(rows, tables.foretold)
    _add_decision(rows, tables)
    return rows.table()


def _add_share(rows: Facts, key: str, row: pd.Series) -> None:
    """Add a share in percent with its interval, and the number of its problems."""
    rows.add(key, *(100 * row[c] for c in ("share", "low", "high")), unit="%",
             n=int(row["n_datasets"]))
    rows.add(f"{key}_n", int(row["n_datasets"]), note="problems")


def _add_apart(rows: Facts, shares: pd.DataFrame) -> None:
    """Add how far apart the shares of LCDB 1.0 and LCDB 1.1 are, of learners that both have."""
    some = shares[shares["rows"].isin(SIZES) & shares["learner"].isin(COMPLEX)]
    wide = some.pivot(index=["learner", "rows"], columns="database", values="share")
    apart = 100 * (wide["lcdb10"] - wide["lcdb11-summary"]).abs()
    early = apart.index.get_level_values("rows") <= 500
    rows.update({"apart_early": apart[early].max(), "apart_late": apart[~early].max()},
                unit="points", digits=1)


def _add_sureness(rows: Facts, sizes: pd.DataFrame) -> None:
    """Add on how many datasets other splits would not change whether there is a size."""
    by = 100 * _agreed(sizes).groupby(sizes["learner"], sort=False).mean()
    rows.add("sure_least", by.min())
    rows.add("sure_most", by.max(), unit="%")
    forest = sizes[sizes["learner"] == FOREST]
    known = forest["rows"].notna() & forest["high"].notna()
    wide = forest["high"] >= 2 * forest["low"]
    rows.update({"forest_datasets": len(forest),
                 "forest_from_first": int((forest["rows"] == forest["first"]).sum()),
                 "forest_never": int(forest["rows"].isna().sum()),
                 "forest_known": int(known.sum()), "forest_wide": int((known & wide).sum())})


def _add_choices(rows: Facts, choices: pd.DataFrame) -> None:
    choices = choices[choices["database"] == "lcdb10"]
    at = choices[choices["rows"] == 100].set_index(["choice", "learner"])
    wide = choices.pivot(index=["learner", "rows"], columns="choice", values="share")
    moved = (wide["on the validation rows"] - wide["as above"]).abs().max()
    _add_share(rows, "choice_point", at.loc[("ahead by a point", FOREST)])
    _add_share(rows, "choice_linear", at.loc[("best of four linear", FOREST)])
    _add_share(rows, "choice_linear_boosting", at.loc[("best of four linear", BOOSTING)])
    rows.add("choice_valid", 100 * moved, unit="points")


def _add_foretold(rows: Facts, table: pd.DataFrame) -> None:
    by = table.set_index(["known", "learner"])
    lead, looks = by.loc[LEAD], by.loc["table"]
    more = by.drop(index=LEAD, level="known")
    width = (more["beyond_high"] - more["beyond_low"]) / 2
    for key, values, digits in (("lead_auc", lead["auc"], 2), ("table_auc", looks["auc"], 2),
                                ("beyond_width", width, 2),
                                ("foretold_n", table["n_datasets"], 0)):
        rows.add(f"{key}_least", values.min(), digits=digits)
        rows.add(f"{key}_most", values.max(), digits=digits)
    rows.update({"lead_told": (lead["p_adjusted"] < 0.05).sum(),
                 "table_told": (looks["p_adjusted"] < 0.05).sum(),
                 "table_below": (looks["beyond_high"] < 0).sum()}, n=len(lead))
    rows.add("foretold_learners", len(lead))
    rows.add("beyond", int((more["beyond_low"] > 0).sum()), n=len(more))
    rows.add("combinations", len(more), note="of a learner and a set of features")
    for key in ("usual", "right"):
        rows.add(f"{key}_boosting", 100 * by.loc[("all", BOOSTING), key], unit="%")


def _add_decision(rows: Facts, tables: Tables) -> None:
    """Add what each way to decide costs, and what trying costs less than the other two."""
    by = tables.regrets.set_index(["tables", "rows", "rule"])
    rows.add("decided_draws", tables.tried["draw"].nunique())
    means = tables.tried.groupby(["rows", "dataset"])[["logistic", "forest"]].mean()
    better = (means["forest"] < means["logistic"]).groupby("rows").sum()
    rows.update({f"forest_better_{size}": int(better[size]) for size in decision.SIZES},
                note="tables on which the forest errs less, in the mean over draws")
    for name, rule in (("logistic", decision.LOGISTIC_RULE), ("forest", decision.FOREST_RULE),
                       ("trial", decision.TRIAL)):
        for size in decision.SIZES:
            row, n = by.loc[("all", size, rule)], int(by.loc[("all", size, rule), "n_tables"])
            rows.add(f"regret_{name}_{size}", row["regret"], row["low"], row["high"],
                     unit="points", digits=1, n=n)
            if name != "trial":
                rows.add(f"less_{name}_{size}", row["less"], row["less_low"], row["less_high"],
                         unit="points", digits=1, n=n, note="of trying, less the rule, paired")
                rows.add(f"p_{name}_{size}", row["p"], digits=3, n=n,
                         note="of that difference, exact sign flips of families")
            else:
                rows.add(f"rightly_{size}", 100 * row["rightly"], unit="%", n=n)
                rows.add(f"decided_tables_{size}", n)


def regrets_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return `regrets` for a page: a row per number of rows, a column per rule.

    Parameters
    ----------
    table : pandas.DataFrame
        From `chapters.how_many_rows.decision.regrets`.
    """
    table = table.assign(text=interval_texts(table, "regret"))
    wide = table.pivot(index=["tables", "rows", "n_tables"], columns="rule", values="text")
    right = table[table["rule"] == decision.TRIAL].set_index(["tables", "rows", "n_tables"])
    wide = wide[list(decision.RULES)].assign(**{
        "names the better (% of draws)": (100 * right["rightly"]).round()})
    return wide.reset_index().replace({"tables": {
        "all": "all that are large enough", "fixed": "those that have every size"}}).rename(
            columns={"n_tables": "number of tables"})


def size_summary(sizes: pd.DataFrame) -> pd.DataFrame:
    """Count the datasets by whether and when a learner is ahead for good.

    Parameters
    ----------
    sizes : pandas.DataFrame
        From `sizes_by_dataset`, of one database.

    Returns
    -------
    pandas.DataFrame
        A row per learner, with counts of datasets, the median size of those overtaken later than
        at the first anchor, and the datasets on which the resamples agree, in percent.
    """
    rows = []
    for learner, part in sizes.groupby("learner", sort=False):
        later = part["rows"] > part["first"]
        rows.append({
            "learner": learner_title(learner), "datasets": len(part),
            "from the first anchor on": int((part["rows"] == part["first"]).sum()),
            "later": int(later.sum()), "median size of these": part.loc[later, "rows"].median(),
            "not by the end": int(part["rows"].isna().sum()),
            "agreed (%)": 100 * _agreed(part).mean()})
    return pd.DataFrame(rows)


def _agreed(sizes: pd.DataFrame) -> pd.Series:
    """Tell where 95 % of the resamples agree on whether the learner overtakes."""
    return (sizes["certain"] <= 0.05) | (sizes["certain"] >= 0.95)


def chart_table(shares: pd.DataFrame) -> pd.DataFrame:
    """Return shares for a page: a row per database and learner, a column per number of rows.

    Parameters
    ----------
    shares : pandas.DataFrame
        Columns ``database, learner, rows, share, n_datasets``.

    Returns
    -------
    pandas.DataFrame
        ``database`` and ``learner`` in words; percent, and the number of problems in brackets. The
        learners are sorted by their share at 100 rows.
    """
    text = [f"{100 * r.share:.0f} ({r.n_datasets})" if pd.notna(r.share) else "–"
            for r in shares.itertuples()]
    index = ["database", "learner"]
    wide = shares.assign(text=text).pivot(index=index, columns="rows", values="text")
    at_hundred = shares[shares["rows"] == 100].set_index(index)["share"]
    order = at_hundred.reset_index().sort_values(["database", "share"], ascending=[True, False])
    wide = wide.loc[pd.MultiIndex.from_frame(order[index])].reset_index()
    return in_words(wide).rename(columns={r: f"{r:,} rows" for r in shares["rows"].unique()})


def in_words(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with its databases and learners, where it has such columns, in words.

    Parameters
    ----------
    table : pandas.DataFrame
        With a column ``database``, ``learner``, or both.
    """
    titles = {"database": database_title, "learner": learner_title}
    return table.assign(**{c: table[c].map(t) for c, t in titles.items() if c in table})


def in_percent(table: pd.DataFrame) -> pd.DataFrame:
    """Return `in_words` with ``share``, ``low`` and ``high`` in percent."""
    return in_words(table.assign(**{c: 100 * table[c] for c in ("share", "low", "high")}))


def choices_table(choices: pd.DataFrame) -> pd.DataFrame:
    """Return `chart_table` of each choice, at the smaller sizes and at 1,000 rows."""
    tables = [chart_table(part).drop(columns="database").assign(choice=name)
              for name, part in choices.groupby("choice", sort=False)]
    return pd.concat(tables)[["choice", "learner", "50 rows", "100 rows", "1,000 rows"]].fillna("–")


def sets_table() -> pd.DataFrame:
    """Return what each prediction may use, for a page."""
    return pd.DataFrame(SETS.items(), columns=["set", "what is known"])
