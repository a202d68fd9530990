"""What gathering the curves took (Appendix J)."""

import numpy as np
import pandas as pd
import xarray as xr

HOUR = 3600  # seconds
#: The paper's Appendix J, of LCDB 1.1: hours of CPU and of GPU.
PAPER = {"CPU": 800_000, "GPU": 3_000}


def computing_by_learner(curves: xr.Dataset) -> pd.DataFrame:
    """Return the time that each learner's fits took.

    Parameters
    ----------
    curves : xarray.Dataset
        A database with ``train_time``, in seconds.

    Returns
    -------
    pandas.DataFrame
        ``learner, fits`` (that have a time), ``hours`` to fit them all, ``share`` of all learners'
        hours (percent), ``longest`` fit (seconds); the most hours first.
    """
    time = curves["train_time"].load()
    over = [d for d in time.dims if d != "learner"]
    table = pd.DataFrame({
        "learner": time["learner"].values, "fits": time.count(over).values,
        "hours": time.sum(over).values / HOUR, "longest": time.max(over).values})
    table.insert(3, "share", 100 * table["hours"] / table["hours"].sum())
    return table.sort_values("hours", ascending=False, ignore_index=True)


def computing_in_all(curves: xr.Dataset, datasets: pd.DataFrame,
                     study: pd.DataFrame) -> pd.DataFrame:
    """Return what gathering took here, beside what the paper reports of LCDB 1.1.

    Parameters
    ----------
    curves : xarray.Dataset
        The shipped database.
    datasets : pandas.DataFrame
        Its table of datasets, with the ``seconds`` and the ``fits`` of each.
    study : pandas.DataFrame
        The shipped evaluations, a row per fold, with their ``train_time`` in seconds.

    Returns
    -------
    pandas.DataFrame
        ``what``, ``fits``, ``hours`` of CPU; NaN where the paper does not say.
    """
    rows = [("mini: all that was done on its datasets", int(datasets["fits"].sum()),
             datasets["seconds"].sum() / HOUR),
            ("of which fitting, without preparing, predicting and measuring",
             int(curves["train_time"].count()), float(curves["train_time"].sum()) / HOUR),
            ("evaluations of the shipped suite: fitting", int(study["train_time"].count()),
             study["train_time"].sum() / HOUR),
            ("LCDB 1.1, as the paper states it (and 3,000 hours of GPU)", np.nan, PAPER["CPU"])]
    return pd.DataFrame(rows, columns=["what", "fits", "hours"]).astype({"fits": "Int64"})
