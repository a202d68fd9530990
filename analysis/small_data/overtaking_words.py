"""What the chapter *From how many rows on?* says in words, from its tables."""

import pandas as pd

from analysis.databases.chosen import database_title
from analysis.intervals.headlines import how_many
from analysis.small_data.overtaking import COMPLEX, SIZES
from analysis.small_data.overtaking_figures import title_of

FOREST, BOOSTING, NETWORK = "ens.RandomForest", "ens.GradientBoosting", "MLP"


def overtaking_words(shares: pd.DataFrame, sizes: pd.DataFrame, holds: pd.DataFrame,
                     again: pd.DataFrame, choices: pd.DataFrame,
                     foretold: pd.DataFrame) -> dict[str, str]:
    """Return the chapter's numbers as text, by the names under which it glues them.

    Parameters
    ----------
    shares : pandas.DataFrame
        From `all_shares`, of LCDB 1.0 and others.
    sizes, holds, choices, foretold : pandas.DataFrame
        From `sizes_by_dataset`, `order_holds`, `by_choice` and `foretell`, of LCDB 1.0.
    again : pandas.DataFrame
        From `behind_again`, of LCDB 1.0 and others.
    """
    main = shares[shares["database"] == "lcdb10"].set_index(["learner", "rows"])
    order = holds.set_index(["learner", "rows", "now"])
    words = {}
    for name, learner in (("forest", FOREST), ("boosting", BOOSTING), ("network", NETWORK)):
        for rows in (50, 100, 1000, 5000):
            words[f"{name}_{rows}"] = _interval(main.loc[(learner, rows)])
            words[f"{name}_{rows}_n"] = str(int(main.loc[(learner, rows), "n_datasets"]))
        for now in ("ahead", "not ahead"):
            row = order.loc[(learner, 100, now)]
            words[f"{name}_{now.replace(' ', '_')}"] = _interval(row)
            words[f"{name}_{now.replace(' ', '_')}_n"] = str(int(row["n_datasets"]))
    return (words | _apart(shares) | _sureness(sizes) | _again(again) | _choices(choices)
            | _foretold(foretold))


def _interval(row: pd.Series) -> str:
    return f"{100 * row['share']:.0f} % [{100 * row['low']:.0f}, {100 * row['high']:.0f}]"


def _apart(shares: pd.DataFrame) -> dict[str, str]:
    """Say how far apart the shares of LCDB 1.0 and LCDB 1.1 are, of learners that both have."""
    some = shares[shares["rows"].isin(SIZES) & shares["learner"].isin(COMPLEX)]
    wide = some.pivot(index=["learner", "rows"], columns="database", values="share")
    apart = 100 * (wide["lcdb10"] - wide["lcdb11-summary"]).abs()
    early = apart.index.get_level_values("rows") <= 500
    return {"apart_early": f"{apart[early].max():.1f} points",
            "apart_late": f"{apart[~early].max():.1f} points"}


def _sureness(sizes: pd.DataFrame) -> dict[str, str]:
    """Say on how many datasets other splits would not change whether there is a size."""
    by = _agreed(sizes).groupby(sizes["learner"], sort=False).mean()
    forest = sizes[sizes["learner"] == FOREST]
    from_first = (forest["rows"] == forest["first"]).sum()
    known = forest["rows"].notna() & forest["high"].notna()
    wide = forest["high"] >= 2 * forest["low"]
    return {
        "sure_range": f"{100 * by.min():.0f} to {100 * by.max():.0f} %",
        "forest_datasets": str(len(forest)), "forest_from_first": str(from_first),
        "forest_never": str(int(forest["rows"].isna().sum())),
        "forest_known": str(int(known.sum())), "forest_wide": str(int((known & wide).sum()))}


def _again(again: pd.DataFrame) -> dict[str, str]:
    said = {}
    for database, rows in again.groupby("database"):
        rows = rows.set_index("learner")
        key = "again_10" if database == "lcdb10" else "again_11"
        said |= {f"{key}_forest": _interval(rows.loc[FOREST]),
                 f"{key}_network": _interval(rows.loc[NETWORK])}
    return said


def _choices(choices: pd.DataFrame) -> dict[str, str]:
    at = choices[choices["rows"] == 100].set_index(["choice", "learner"])
    rows = choices.pivot(index=["learner", "rows"], columns="choice", values="share")
    moved = (rows["on the validation rows"] - rows["as above"]).abs().max()
    return {"choice_point": _interval(at.loc[("ahead by a point", FOREST)]),
            "choice_linear": _interval(at.loc[("best of four linear", FOREST)]),
            "choice_linear_boosting": _interval(at.loc[("best of four linear", BOOSTING)]),
            "choice_valid": f"{100 * moved:.0f} points"}


def _foretold(table: pd.DataFrame) -> dict[str, str]:
    by = table.set_index(["known", "learner"])
    lead, looks = by.loc["lead"], by.loc["table"]
    more = by.drop(index="lead", level="known")
    width = (more["beyond_high"] - more["beyond_low"]) / 2
    return {
        "lead_auc": f"{lead['auc'].min():.2f} to {lead['auc'].max():.2f}",
        "lead_told": how_many(lead["p_adjusted"] < 0.05, "learners"),
        "table_auc": f"{looks['auc'].min():.2f} to {looks['auc'].max():.2f}",
        "table_below": how_many(looks["beyond_high"] < 0, "learners"),
        "table_told": how_many(looks["p_adjusted"] < 0.05, "learners"),
        "beyond": how_many(more["beyond_low"] > 0, "combinations of a learner and a set"),
        "beyond_width": f"{width.min():.2f} to {width.max():.2f}",
        "foretold_n": f"{table['n_datasets'].min()} to {table['n_datasets'].max()}",
        "usual_boosting": f"{100 * by.loc[('all', BOOSTING), 'usual']:.0f} %",
        "right_boosting": f"{100 * by.loc[('all', BOOSTING), 'right']:.0f} %"}


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
            "learner": title_of(learner), "datasets": len(part),
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
    titles = {"database": database_title, "learner": title_of}
    return table.assign(**{c: table[c].map(t) for c, t in titles.items() if c in table})
