"""The ledger of the databases that are at hand here."""

import pandas as pd
import xarray as xr

from analysis.computed import keep, recall
from analysis.ledger.build import build_ledger
from analysis.ledger.checks import OFFICIAL, OLD, SUMMARY
from analysis.ledger.published import load_published
from analysis.load import load_curves

KEPT = "ledger"


def ledger_at_hand() -> tuple[pd.DataFrame, dict[str, str]]:
    """Build the ledger from the databases that are here; keep what only the summary yields.

    Returns
    -------
    ledger : DataFrame
        As `build_ledger` returns it. Where the summary is not at hand, its rows say what came out
        when it last was.
    lacking : dict
        The databases that are not at hand, with the reason.
    """
    databases, lacking = databases_at_hand()
    if SUMMARY in databases:
        ledger = build_ledger(databases, load_published())
        keep(KEPT, ledger[ledger["database"] == SUMMARY])
    else:
        recalled = recall(KEPT, text=("published", "computed"))
        ledger = build_ledger(databases, load_published(), recalled=recalled)
    return ledger, lacking


def databases_at_hand() -> tuple[dict[str, xr.Dataset], dict[str, str]]:
    """Open those of the ledger's databases that are here; of the others, return why not.

    The validation error rates, which is all that the ledger looks at, are in memory: read once,
    not once per check.
    """
    found, lacking = {}, {}
    for name in (OLD, SUMMARY, OFFICIAL):
        try:
            curves = load_curves(name, "paper" if name == OLD else "all")
        except FileNotFoundError as error:
            lacking[name] = str(error)
            continue
        found[name] = curves[["error_rate"]].sel(split=["valid"]).compute()
    return found, lacking
