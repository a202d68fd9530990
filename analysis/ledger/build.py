"""Build the ledger: a row per published number and way of computing it."""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.load import load_curves
from analysis.ledger import numbers
from analysis.ledger.checks import CHECKS, OFFICIAL, OLD, SUMMARY, Check
from analysis.published import printed
from analysis.published.computed import NotAtHandError, recall

KEYS = ["source", "database", "scaling", "learner", "property"]
PRINTED = [*KEYS, "value", "unit", "qualifier"]
TABLES = tuple(f"table{n}" for n in range(2, 10))  # of the paper
COLUMNS = ["source", "item", "published", "computed", "low", "high", "procedure", "database",
           "difference", "verdict", "basis", "reason"]
VERDICTS = (printed.EQUAL, printed.CLOSE, printed.WITHIN, printed.DIFFERENT, printed.OUTSIDE,
            printed.NEEDS)  # from best to worst
LIVE, KEPT_ROW, ESTIMATE = "live", "kept", "from means"
RACES = "the paper's races are of single repeats; whether that explains it cannot be told"


def load_published() -> pd.DataFrame:
    """Return every published number that is not a property of one dataset (Table 10).

    Returns
    -------
    DataFrame
        All text: ``source`` (Table 4, Section 5.2, …), ``database`` (as the paper calls it),
        ``scaling``, ``learner``, ``property``, ``value`` (as printed), ``unit``, ``qualifier``
        (about, almost, more than, at most,
        fewer than, or empty).
    """
    parts = [as_printed(name).rename(columns={"table": "source"}) for name in TABLES]
    text = as_printed("text")
    named = text["section"].str.startswith("Table")
    parts.append(text.assign(source=text["section"].where(named, "Section " + text["section"])))
    parts += [as_printed(name) for name in ("figure7", "notebooks")]
    return pd.concat([p.reindex(columns=PRINTED, fill_value="") for p in parts], ignore_index=True)


def as_printed(name: str) -> pd.DataFrame:
    """Return a file of ``book/published``, all text."""
    return pd.read_csv(printed.FOLDER / f"{name}.csv", dtype=str, keep_default_na=False)


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
        Rows that are kept from when ``lcdb11-summary`` was at hand, as this returns them.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`: ``item`` (database as the paper calls it, scaling, learner: property),
        ``published`` as printed, ``computed`` printed likewise, of an estimate ``low`` and ``high``
        (95 %), ``difference`` computed minus published (NaN where nothing was computed),
        ``database`` that it was computed from, ``verdict``, and ``basis``: `LIVE`, `KEPT_ROW` or
        `ESTIMATE`. A number that there is nothing of is there once, as `NEEDS`; one that no check
        covers is not there.
    """
    rows, waiting = [] if recalled is None else [recalled], []
    for check in checks:
        printed_rows = covered(published, check)
        for name in check.databases:
            if name in databases:
                computed = pd.DataFrame(check.compute(databases[name]), columns=numbers.COLUMNS)
                rows.append(rows_of(printed_rows, check, name, computed))
        waiting.append(printed_rows.assign(procedure=check.procedure))
    done = _joined(rows)
    return _joined([done, _needed(pd.concat(waiting), done)])


def best_known(ledger: pd.DataFrame) -> pd.Series:
    """Return each number's best verdict among the ways of computing it.

    Returns
    -------
    Series
        One of `VERDICTS`; index ``source, item``.
    """
    ranks = ledger["verdict"].map(VERDICTS.index)
    best = ranks.groupby([ledger["source"], ledger["item"]]).min()
    return best.map(VERDICTS.__getitem__)


def count_known(ledger: pd.DataFrame) -> pd.DataFrame:
    """Count each published number once, by the best verdict that it has.

    Parameters
    ----------
    ledger : DataFrame
        From `build_ledger`.

    Returns
    -------
    DataFrame
        ``verdict`` (of `VERDICTS`), ``numbers``, and ``kept``, how many of them are known only from
        when the summary was at hand.
    """
    kept = ledger.groupby(["source", "item"])["basis"].agg(lambda basis: (basis == KEPT_ROW).all())
    best = best_known(ledger)
    numbers, kept = (verdicts.value_counts().reindex(VERDICTS, fill_value=0).to_numpy()
                     for verdicts in (best, best[kept]))
    return pd.DataFrame({"verdict": VERDICTS, "numbers": numbers, "kept": kept})


def covered(published: pd.DataFrame, check: Check) -> pd.DataFrame:
    """Return the published numbers that a check stands for, with their ``item``."""
    kept = published
    for column, allowed in check.covers.items():
        kept = kept[kept[column].isin(allowed)]
    return kept.assign(item=_items(kept))


def _items(rows: pd.DataFrame) -> pd.Series:
    where = rows[KEYS[1:4]].apply(lambda r: ", ".join(v for v in r if v), axis=1)
    return where + ": " + rows["property"] if len(rows) else pd.Series(dtype=str)


def rows_of(published: pd.DataFrame, check: Check, name: str,
            computed: pd.DataFrame) -> pd.DataFrame:
    """Return rows of the ledger: numbers of `covered` beside those computed from a database.

    With columns ``low`` and ``high`` they are estimates from means.
    """
    both = published.merge(computed.reindex(columns=[*KEYS[1:], "computed", "low", "high"]),
                           on=KEYS[1:], how="inner")
    records = []
    for row in both.dropna(subset="computed").itertuples():
        live = pd.isna(row.low)
        found = (printed.compare(row.value, row.computed, row.qualifier) if live else
                 printed.estimate(row.value, row.computed, row.low, row.high, row.qualifier))
        reason = ("" if found.verdict in (printed.EQUAL, printed.WITHIN)
                  else check.reason or "not explained")
        records.append((row.source, row.item, row.value, found.printed, row.low, row.high,
                        check.procedure, name, found.difference, found.verdict,
                        LIVE if live else ESTIMATE, reason))
    return pd.DataFrame(records, columns=COLUMNS)


def _joined(parts: list[pd.DataFrame]) -> pd.DataFrame:
    filled = [p for p in parts if len(p)]
    return pd.concat(filled, ignore_index=True) if filled else pd.DataFrame(columns=COLUMNS)


def _needed(waiting: pd.DataFrame, ledger: pd.DataFrame) -> pd.DataFrame:
    """Return the covered numbers that there is nothing of, each once."""
    done = set(zip(ledger["source"], ledger["item"], strict=True))
    keys = zip(waiting["source"], waiting["item"], strict=True)
    open_rows = waiting[[key not in done for key in keys]].drop_duplicates(["source", "item"])
    return open_rows.rename(columns={"value": "published"}).assign(
        computed="", database=OFFICIAL, verdict=printed.NEEDS, basis="",
        reason="fetch them with `make lcdb11`").reindex(columns=COLUMNS)


NAME, ESTIMATES = "ledger", "ledger_from_means"  # of what is kept


def ledger_at_hand() -> tuple[pd.DataFrame, dict[str, str]]:
    """Build the ledger from the databases that are here.

    Returns
    -------
    ledger : DataFrame
        As `build_ledger` returns it. What needs the summary is kept where that is not at hand; the
        estimates from means always are.
    lacking : dict
        The databases that are not at hand, with the reason.
    """
    databases, lacking = databases_at_hand()
    kept = [recall(ESTIMATES, text=("published", "computed"))]
    if SUMMARY not in databases:
        kept.append(recall(NAME, text=("published", "computed")).assign(basis=KEPT_ROW))
    ledger = build_ledger(databases, load_published(), recalled=_joined(kept)[COLUMNS])
    return _joined([ledger, races_lost()]), lacking


def races_lost() -> pd.DataFrame:
    """Return the row of Appendix G: races that end with neither of the two best, as kept by DA4."""
    said = load_published().query("property == 'not_best_or_second'").iloc[0]
    kept = recall("da4_halving_lcdb11").query(
        "procedure == 'published' and group == 'most' and start == 16 and increase == 0.125 "
        "and dropout == 1 and k == 2").iloc[0]
    found = printed.compare(said["value"], 100 * (1 - kept["top_k_rate"]), said["qualifier"])
    return pd.DataFrame([(
        said["source"], _items(said.to_frame().T).item(), said["value"], found.printed, np.nan,
        np.nan, "published, on means without scaling", SUMMARY, found.difference, found.verdict,
        KEPT_ROW, RACES)], columns=COLUMNS)


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
