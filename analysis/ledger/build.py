"""Build the ledger: a row per published number and way of computing it."""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.load import load_curves
from analysis.ledger.checks import CHECKS, OFFICIAL, OLD, SUMMARY, Check
from analysis.ledger.published import KEYS, load_published
from analysis.published import printed
from analysis.published.computed import DATE, NotAtHandError, recall

COLUMNS = ["source", "item", "published", "computed", "procedure", "database", "difference",
           "verdict", "reason"]
IDENTITY = ["source", "item", "procedure", "database"]
VERDICTS = (printed.EQUAL, printed.CLOSE, printed.DIFFERENT, printed.NEEDS_SUMMARY, printed.NEEDS)
KNOWN = (printed.EQUAL, printed.CLOSE, printed.DIFFERENT, printed.NEEDS)
RACES = "the paper's races are of single repeats; whether that explains it cannot be told"
EXPECTED = printed.FOLDER / "reproduced.csv"  # what is known to be reproduced


def build_ledger(databases: Mapping[str, xr.Dataset], published: pd.DataFrame,
                 checks: Iterable[Check] = CHECKS,
                 recalled: pd.DataFrame | None = None) -> pd.DataFrame:
    """Set the published numbers beside those computed from the databases at hand.

    Parameters
    ----------
    databases : mapping of name to Dataset
        Containers under their names in `load_curves`: any of ``lcdb10`` (the paper's subset of
        196 datasets), ``lcdb11-summary``, ``lcdb11``.
    published : DataFrame
        From `load_published`.
    checks : iterable of Check
        What to compute.
    recalled : DataFrame, optional
        Rows that ``lcdb11-summary`` yielded when it was at hand, with the date as column
        ``computed_on``: the reasons of the numbers that need it tell what came out.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`: ``item`` (database as the paper calls it, scaling, learner: property),
        ``published`` as printed, ``computed`` printed likewise, ``difference`` computed minus
        published (NaN where nothing was computed), ``database`` that it was computed from, and
        ``verdict``. A number that no database at hand yields is there once, as `NEEDS` or, if it is
        among those recalled, `NEEDS_SUMMARY`; one that no check covers is not there.
    """
    rows, waiting = [], []
    for check in checks:
        covered = _covered(published, check)
        for name in check.databases:
            if name in databases:
                rows.append(_rows(covered, check, name, check.compute(databases[name])))
        waiting.append(covered.assign(procedure=check.procedure))
    done = _joined(rows)
    return _joined([done, _needed(pd.concat(waiting), done, _told(recalled))])


def best_known(ledger: pd.DataFrame) -> pd.Series:
    """Return each number's best verdict among the ways of computing it.

    Of what needs the summary it is that of when the summary was at hand.

    Returns
    -------
    Series
        One of `KNOWN`, which are from best to worst; index ``source, item``.
    """
    ranks = told_verdicts(ledger).map(KNOWN.index)
    return ranks.groupby([ledger["source"], ledger["item"]]).min().map(KNOWN.__getitem__)


def told_verdicts(ledger: pd.DataFrame) -> pd.Series:
    """Return each row's verdict; where the summary is needed, the best that the reason tells."""
    return pd.Series([
        next(known for known in KNOWN if known in reason)
        if verdict == printed.NEEDS_SUMMARY else verdict
        for verdict, reason in zip(ledger["verdict"], ledger["reason"], strict=True)],
        ledger.index, dtype=str)


def count_known(ledger: pd.DataFrame) -> pd.DataFrame:
    """Count each published number once, by the best verdict it has or had when it was last known.

    Parameters
    ----------
    ledger : DataFrame
        From `build_ledger`.

    Returns
    -------
    DataFrame
        ``verdict`` (of `KNOWN`), ``numbers``, and ``kept``, how many of them are kept from when the
        summary was at hand.
    """
    waiting = ledger[ledger["verdict"] == printed.NEEDS_SUMMARY]
    numbers, kept = (verdicts.value_counts().reindex(KNOWN, fill_value=0).to_numpy()
                     for verdicts in (best_known(ledger), told_verdicts(waiting)))
    return pd.DataFrame({"verdict": KNOWN, "numbers": numbers, "kept": kept})


def reproduced(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return what identifies the rows that are equal as printed: columns `IDENTITY`, sorted."""
    equal = ledger.loc[ledger["verdict"] == printed.EQUAL, IDENTITY]
    return equal.sort_values(IDENTITY, ignore_index=True, kind="stable")


def lost(ledger: pd.DataFrame, expected: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `expected` that the ledger's databases no longer reproduce.

    Parameters
    ----------
    ledger : DataFrame
        From `build_ledger`.
    expected : DataFrame
        What was reproduced before, as `reproduced` returns it.
    """
    at_hand = expected[expected["database"].isin(set(ledger["database"]))]
    both = at_hand.merge(reproduced(ledger), how="left", indicator=True)
    return both.loc[both["_merge"] == "left_only", IDENTITY]


def _covered(published: pd.DataFrame, check: Check) -> pd.DataFrame:
    kept = published
    for column, allowed in check.covers.items():
        kept = kept[kept[column].isin(allowed)]
    return kept.assign(item=_items(kept))


def _items(rows: pd.DataFrame) -> pd.Series:
    where = rows[KEYS[1:4]].apply(lambda r: ", ".join(v for v in r if v), axis=1)
    return where + ": " + rows["property"] if len(rows) else pd.Series(dtype=str)


def _rows(covered: pd.DataFrame, check: Check, name: str, computed: pd.DataFrame) -> pd.DataFrame:
    both = covered.merge(computed, on=KEYS[1:], how="inner")
    records = []
    for row in both.dropna(subset="computed").itertuples():
        found = printed.compare(row.value, row.computed, row.qualifier)
        reason = "" if found.verdict == printed.EQUAL else check.reason or "not explained"
        records.append((row.source, row.item, row.value, found.printed, check.procedure, name,
                        found.difference, found.verdict, reason))
    return pd.DataFrame(records, columns=COLUMNS)


def _joined(parts: list[pd.DataFrame]) -> pd.DataFrame:
    filled = [p for p in parts if len(p)]
    return pd.concat(filled, ignore_index=True) if filled else pd.DataFrame(columns=COLUMNS)


def _needed(waiting: pd.DataFrame, ledger: pd.DataFrame, told: pd.Series) -> pd.DataFrame:
    """Return the covered numbers that no database at hand yielded, each once."""
    done = set(zip(ledger["source"], ledger["item"], strict=True))
    keys = zip(waiting["source"], waiting["item"], strict=True)
    open_rows = waiting[[key not in done for key in keys]]
    open_rows = open_rows.drop_duplicates(["source", "item"]).join(told, on=["source", "item"])
    official = open_rows["reason"].isna()
    return open_rows.rename(columns={"value": "published"}).assign(
        computed="", difference=float("nan"),
        database=np.where(official, OFFICIAL, SUMMARY),
        verdict=np.where(official, printed.NEEDS, printed.NEEDS_SUMMARY),
        reason=open_rows["reason"].fillna("fetch them with `make lcdb11`")).reindex(columns=COLUMNS)


def _told(recalled: pd.DataFrame | None) -> pd.Series:
    """Return, by source and item, what came out when the summary was at hand."""
    if recalled is None:
        recalled = pd.DataFrame(columns=[*COLUMNS, DATE], dtype=str)
    telling = (recalled["computed"].astype(str) + " by " + recalled["procedure"] + ", "
               + recalled["verdict"] + ", on " + recalled[DATE])
    return telling.groupby([recalled["source"], recalled["item"]]).agg("; ".join).rename("reason")


NAME = "ledger"  # of what is kept


def ledger_at_hand() -> tuple[pd.DataFrame, dict[str, str]]:
    """Build the ledger from the databases that are here.

    Returns
    -------
    ledger : DataFrame
        As `build_ledger` returns it. Where the summary is not at hand, its rows say what came out
        when it last was.
    lacking : dict
        The databases that are not at hand, with the reason.
    """
    databases, lacking = databases_at_hand()
    recalled = None if SUMMARY in databases else recall(NAME, text=("published", "computed"))
    ledger = build_ledger(databases, load_published(), recalled=recalled)
    return _joined([ledger, races_lost()]), lacking


def races_lost() -> pd.DataFrame:
    """Return the row of Appendix G: races that end with neither of the two best, as kept by DA4."""
    said = load_published().query("property == 'not_best_or_second'").iloc[0]
    kept = recall("da4_halving_lcdb11").query(
        "procedure == 'published' and group == 'most' and start == 16 and increase == 0.125 "
        "and dropout == 1 and k == 2").iloc[0]
    found = printed.compare(said["value"], 100 * (1 - kept["top_k_rate"]), said["qualifier"])
    return pd.DataFrame([(
        said["source"], _items(said.to_frame().T).item(), said["value"], found.printed,
        "published, on means without scaling", SUMMARY, found.difference, found.verdict,
        RACES)], columns=COLUMNS)


def summary_rows() -> pd.DataFrame:
    """Return the rows of the ledger that only the summary yields.

    Raises
    ------
    NotAtHandError
        Where it is not at hand.
    """
    ledger = build_ledger({SUMMARY: _errors(SUMMARY)}, load_published())
    return ledger[ledger["database"] == SUMMARY]


def databases_at_hand() -> tuple[dict[str, xr.Dataset], dict[str, str]]:
    """Open those of the ledger's databases that are here; of the others, return why not.

    The validation error rates, which is all that the ledger looks at, are in memory: read once,
    not once per check.
    """
    found, lacking = {}, {}
    for name in (OLD, SUMMARY, OFFICIAL):
        try:
            found[name] = _errors(name)
        except NotAtHandError as error:
            lacking[name] = str(error)
    return found, lacking


def _errors(name: str) -> xr.Dataset:
    curves = load_curves(name, "paper" if name == OLD else "all")
    return curves[["error_rate"]].sel(split=["valid"]).compute()


#: What is kept for those who lack the summary.
KEPT = {NAME: summary_rows}
