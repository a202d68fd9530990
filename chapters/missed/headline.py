"""The headline, the share of ill-behaved curves, put together again from the printed tables."""

import pandas as pd
import xarray as xr

from analysis.published.printed import published_table
from chapters.ledger.published import CC18, FULL, load_published

DUMMY = "DummyClassifier"
PER_LEARNER = ("table6", "table7", "table8")


def printed_shares(database: str = FULL, verdict: str = "ill_behaved") -> pd.Series:
    """Return each learner's share of curves with a verdict as Tables 6 to 8 print it.

    Parameters
    ----------
    database : str
        As the paper calls it.
    verdict : str
        One of the properties of these tables.

    Returns
    -------
    Series
        Percent by learner, without feature scaling: 24 classic learners and 4 modern ones.
    """
    rows = pd.concat([published_table(name) for name in PER_LEARNER])
    rows = rows[(rows["database"] == database) & (rows["scaling"] == "none")
                & (rows["property"] == verdict)]
    return rows.set_index("learner")["value"].astype(float)


def headline(shares: pd.Series, without: tuple[str, ...] = ()) -> float:
    """Return the mean share over all learners but the Dummy and those left out, in percent."""
    return float(shares.drop([DUMMY, *without]).mean())


def headline_versions() -> pd.DataFrame:
    """Return the headline by which learners are counted.

    Returns
    -------
    DataFrame
        ``counted`` in words, ``learners`` (how many), then a column per selection of datasets and
        the change in points against Table 4's learners.
    """
    versions = {"all but the Dummy, as Table 4 counts": (), "without QDA, as Section 5.1 says":
                ("QDA",), "without TabNet": ("TabNet",), "without QDA and TabNet":
                ("QDA", "TabNet")}
    shares = {name: printed_shares(name) for name in (FULL, CC18)}
    rows = []
    for words, without in versions.items():
        row = {"counted": words, "learners": len(shares[FULL]) - 1 - len(without)}
        for name, values in shares.items():
            row[name] = headline(values, without)
            row[f"change, {name}"] = row[name] - headline(values)
        rows.append(row)
    return pd.DataFrame(rows)


def contributions(database: str = FULL, verdict: str = "ill_behaved") -> pd.DataFrame:
    """Return how many points of the headline each learner is.

    Returns
    -------
    DataFrame
        ``learner``, ``share`` (percent of its curves), ``points`` (they sum to the headline); the
        largest first.
    """
    shares = printed_shares(database, verdict).drop(DUMMY)
    table = pd.DataFrame({"share": shares, "points": shares / len(shares)})
    return table.sort_values("points", ascending=False, kind="stable").reset_index()


def printed_twice() -> pd.DataFrame:
    """Return the learners whose ill-behaved share differs between Table 3 and Tables 6 to 8.

    Returns
    -------
    DataFrame
        ``learner``, ``Table 3``, ``Tables 6 to 8`` (percent, FULL, no scaling), ``curves`` apart,
        of 265. What is a matter of printing fewer decimals is left out.
    """
    published = load_published()
    table3 = published[published["source"] == "Table 3"].set_index("learner")["value"]
    both = pd.DataFrame({"Table 3": table3, "Tables 6 to 8": printed_shares()}).dropna()
    decimals = both["Table 3"].str.partition(".")[2].str.len()
    both["Table 3"] = both["Table 3"].astype(float)
    apart = (both["Tables 6 to 8"] - both["Table 3"]).abs()
    both["curves"] = (apart / 100 * 265).round().astype(int)
    return both[apart > 0.6 * 10.0 ** -decimals].reset_index()


def both_sides(old: dict[str, xr.DataArray], there: xr.DataArray) -> pd.DataFrame:
    """Return the shares of both databases, each row measured alike in all its columns.

    Parameters
    ----------
    old : dict of str to DataArray of bool, dims (dataset, learner)
        LCDB 1.0's ill-behaved curves, by how they were judged.
    there : DataArray of bool, dims (dataset, learner)
        Which of its curves are not missing.

    Returns
    -------
    DataFrame
        ``counted`` in words, a column for each of `old` and ``LCDB 1.1 FULL`` (printed values, with
        QDA as Table 4 has it): percent.
    """
    new, missing = printed_shares(), printed_shares(verdict="missing")
    kept = new.index.drop(DUMMY)
    rows = []
    for words, without, of_present in (("all curves, as Table 4", [], False),
                                       ("without QDA", ["QDA"], False),
                                       ("curves that are not missing", [], True),
                                       ("both", ["QDA"], True)):
        row = {"counted": words}
        for name, ill in old.items():
            own, present = (x.drop_sel(learner=without) for x in (ill, there))
            row[name] = 100 * float(own.sum() / (present.sum() if of_present else own.size))
        learners = kept.drop(without)
        present = 100 - missing[learners] if of_present else pd.Series(100.0, learners)
        row[FULL] = float(100 * new[learners].sum() / present.sum())
        rows.append(row)
    return pd.DataFrame(rows)
