"""What training configs costs, and which were cut short (TabRepo, Figure 7, Tables 9 and 10)."""

import numpy as np
import pandas as pd
import xarray as xr

from collection.container import Status

LIMIT = "ended at the limit"  # in the message of an evaluation that kept its best step
SHARES = (0.1, 0.4)  # of the configs, of which the paper says what they cost


def training_times(evaluations: xr.Dataset) -> pd.DataFrame:
    """Return the training time of every evaluation, all bags together.

    Returns
    -------
    pandas.DataFrame
        Columns ``family, config, dataset, fold, train_time`` (s), ``share`` (of the total).
    """
    table = evaluations["train_time"].rename("train_time").to_dataframe().reset_index()
    table = table.rename(columns={"learner": "config", "task": "dataset"})
    table = table.dropna(subset="train_time")[["family", "config", "dataset", "fold",
                                               "train_time"]]
    return table.assign(share=table["train_time"] / table["train_time"].sum())


def cost_shares(times: pd.DataFrame) -> pd.DataFrame:
    """Return how much of the cost the most expensive evaluations make up, per family and in all.

    Parameters
    ----------
    times : pandas.DataFrame
        From `training_times`.

    Returns
    -------
    pandas.DataFrame
        Columns ``family`` (and "all"), ``evaluations``, ``total`` (s), ``of_all`` (share of the
        total), ``median`` (s), ``top_10``, ``top_40`` (share of the family's cost that its most
        expensive 10 and 40 % make up).
    """
    total = times["train_time"].sum()
    rows = []
    for family, part in [*times.groupby("family"), ("all", times)]:
        seconds = np.sort(part["train_time"].to_numpy())[::-1]
        top = [seconds[:int(np.ceil(share * len(seconds)))].sum() / seconds.sum()
               for share in SHARES]
        rows.append((family, len(seconds), seconds.sum(), seconds.sum() / total,
                     float(np.median(seconds)), *top))
    columns = ["family", "evaluations", "total", "of_all", "median", "top_10", "top_40"]
    return pd.DataFrame(rows, columns=columns).sort_values("total", ascending=False,
                                                           ignore_index=True, kind="stable")


def cut_short(evaluations: xr.Dataset, by: str) -> pd.DataFrame:
    """Return how many evaluations were ended by the time limit of their config.

    Parameters
    ----------
    evaluations : xarray.Dataset
        A repository that does not say (TabRepo's messages are empty) has none.
    by : {"family", "task"}

    Returns
    -------
    pandas.DataFrame
        Columns `by`, ``cut_short``, ``evaluations``, ``share``; the most first.
    """
    if "message_text" in evaluations:
        hit = np.array([LIMIT in str(text) for text in evaluations["message_text"].values])
        flags = evaluations["message"].copy(data=hit[evaluations["message"].values])
    else:
        flags = xr.zeros_like(evaluations["train_time"], bool)
    table = xr.Dataset({"cut": flags, "status": evaluations["status"]}).to_dataframe().reset_index()
    table = table[table["status"] != Status.not_run]
    found = table.groupby(by)["cut"].agg(["sum", "size"]).reset_index()
    found.columns = [by, "cut_short", "evaluations"]
    found["share"] = found["cut_short"] / found["evaluations"]
    return found.sort_values("cut_short", ascending=False, ignore_index=True, kind="stable")
