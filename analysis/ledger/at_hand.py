"""The ledger of the databases that are at hand here."""

import pandas as pd
import xarray as xr

from analysis.databases.load import load_curves
from analysis.ledger.build import build_ledger
from analysis.ledger.checks import OFFICIAL, OLD, SUMMARY
from analysis.ledger.published import load_published
from analysis.records.at_hand import NotAtHandError
from analysis.records.computed import recall

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
    return build_ledger(databases, load_published(), recalled=recalled), lacking


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
