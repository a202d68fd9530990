"""Entries to the trial: a file of forecasts, checked line by line and given its place.

What ``make trial ENTRY=my.csv`` runs.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.trial import scoring
from analysis.trial.tasks import FOLDER, Trial, open_trial
from collection.commands.command import Command
from collection.project.naming import UnknownNameError
from collection.project.opening import open_file
from collection.project.parameters import Parameter, SettingsError

ABOUT = f"""\
Score forecasts of learning curves on the frozen tasks of the trial, and say where they stand.

  make trial ENTRY=my.csv

ENTRY has a row for every task and size asked for, with columns task, times (2, 4, 8 or last) and
either value, or quantiles of the error under the names {', '.join(map(str, scoring.LEVELS))}. A
source of tasks may be left out, but whole. What is seen of each task, and what is asked, is in
points*.csv.gz beside tasks*.csv. Parameters (defaults in brackets):
"""
LARGEST = 5_000_000  # bytes of an entry that is shipped
PARAMETERS = {p.name: p for p in (
    Parameter("ENTRY", str, None, "your forecasts, CSV"),
    Parameter("NAME", str, "your entry", "what it is called in the answer"))}


class EntryError(SettingsError):
    """A file of forecasts that is not as the trial asks for it; names the line."""


def trial_work() -> Command:
    """Return the command that scores an entry."""
    return Command("trial", ABOUT, PARAMETERS, _judge, stopped="Nothing was written.")


def _judge(settings: Mapping[str, object], _: Mapping[str, str]) -> int:
    if settings["entry"] is None:
        print(f"The tasks are {FOLDER / 'tasks*.csv'}, what is seen and asked of them "
              f"{FOLDER / 'points*.csv.gz'}.\nEnter with make trial ENTRY=my.csv")
        return 0
    for line in place(read_entry(Path(str(settings["entry"])), open_trial()),
                      str(settings["name"])):
        print(line)
    return 0


def read_entry(path: Path, trial: Trial) -> pd.DataFrame:
    """Read forecasts and check them against the tasks.

    Parameters
    ----------
    path : Path
        CSV: ``task, times`` and ``value`` or all of `LEVELS`.
    trial : Trial

    Returns
    -------
    DataFrame
        ``task, times`` and a column a level; where one value was given, that is every quantile.

    Raises
    ------
    EntryError
        Naming the line: unknown or doubled tasks, sizes not asked for, no number, errors below 0
        (or above 1, of error rates), quantiles that fall; or what a source lacks.
    """
    try:
        with open_file(path, EntryError) as file:
            table = pd.read_csv(file, dtype=str, keep_default_na=False)
    except (UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise EntryError(f"{path} cannot be read as CSV: {error}") from error
    levels = [str(level) for level in scoring.LEVELS]
    given = ["value"] if "value" in table else levels
    if lacks := [name for name in ("task", "times", *given) if name not in table]:
        raise EntryError(f"{path} lacks the column {lacks[0]!r}; it needs task, times and either "
                         f"value or {', '.join(levels)}.")

    if table.empty:
        raise EntryError(f"{path} has no forecast below its line of names.")

    def refuse(wrong: pd.Series | np.ndarray, say: Callable[[str, str], object]) -> None:
        if np.any(wrong):
            row = int(np.flatnonzero(wrong)[0])
            raise EntryError(f"{path}, line {row + 2}: {say(*table[['task', 'times']].iloc[row])}")

    known = trial.tasks.set_index("task")
    refuse(~table["task"].isin(known.index),
           lambda task, _: UnknownNameError("task", task, known.index))
    keys = pd.MultiIndex.from_frame(table[["task", "times"]])
    asked = pd.MultiIndex.from_frame(trial.asked[["task", "times"]])
    refuse(~keys.isin(asked), "{} is not asked for at {!r}.".format)
    refuse(keys.duplicated(), "{} at {} is there a second time.".format)
    values = table[given].apply(pd.to_numeric, errors="coerce").to_numpy(float)
    refuse(~np.isfinite(values).all(1), "{} at {} has no number.".format)
    refuse((values < 0).any(1), "{} at {}: errors are not below 0.".format)
    share = known.loc[table["task"], "metric"].isin(["error_rate", "auc", "relative_rmse"])
    refuse(share.to_numpy() & (values > 1).any(1),
           "{} at {}: this error is a share, at most 1.".format)
    refuse((np.diff(values, axis=1) < 0).any(1), "{} at {}: quantiles do not ascend.".format)
    begun = set(known.loc[table["task"], "source"])
    missing = [key for key in asked.difference(keys) if known.at[key[0], "source"] in begun]
    if missing:
        raise EntryError(f"{path} lacks {len(missing)} forecasts of sources that it has begun, "
                         f"first {missing[0][0]} at {missing[0][1]}.")
    found = np.repeat(values, len(scoring.LEVELS), axis=1) if len(given) == 1 else values
    return table[["task", "times"]].assign(**dict(zip(levels, found.T, strict=True)))


def shipped_entries() -> pd.DataFrame:
    """Return who has entered: ``entry, file, date, code, trained_on``, a row each."""
    return pd.read_csv(FOLDER / "entries.csv", keep_default_na=False)


def all_forecasts() -> pd.DataFrame:
    """Return the forecasts of rivals and entries: ``task, times, rival`` and a column a level."""
    trial, parts = open_trial(), [scoring.open_forecasts().astype({"rival": object})]
    parts += [read_entry(FOLDER / "entries" / row.file, trial).assign(rival=row.entry)
              for row in shipped_entries().itertuples()]
    return pd.concat(parts, ignore_index=True)


def place(entry: pd.DataFrame, name: str) -> list[str]:
    """Say where an entry stands, a line per scope that it covers whole."""
    trial = open_trial()
    kept = all_forecasts()
    if name in set(kept["rival"]):
        raise EntryError(f"{name} is the name of a rival; give the entry another by NAME=.")
    every = pd.concat([kept, entry.assign(rival=name)], ignore_index=True)
    scores = scoring.score(every[every["times"] == "last"], trial)
    table, lines = scoring.summarise(scores).set_index(["scope", "rival"]), []
    for scope, inside in scoring.scopes(scores).items():
        if (scope, name) not in table.index:
            continue
        own = table.loc[(scope, name)]
        told = (f"{scope}: error {100 * own['error']:.2f} hundredths, {own['ratio']:.2f} times "
                f"that of nothing changes, {own['n_families']:.0f} families")
        lines.append(told + (standing(scores[inside], name) if own["n_families"] >= 6 else
                             "; too few to order."))
    ranges = entry[str(scoring.LEVELS[0])] < entry[str(scoring.LEVELS[-1])]
    if ranges.any() and scoring.UNSEEN in table.index.get_level_values(0):
        held = scores.loc[scores["rival"] == name, "inside"].mean()
        lines.append(f"Its 90 % ranges hold {100 * held:.0f} % of the last errors.")
    if sealed := len(entry.merge(trial.asked[trial.asked["truth"].isna()], on=["task", "times"])):
        lines.append(f"sealed: {sealed} forecasts, to be scored once their curves are gathered.")
    return lines


def standing(scores: pd.DataFrame, name: str) -> str:
    """Return an entry's place among the rivals, and from whom it does not differ significantly."""
    found = scoring.order_rivals(scores)
    ranks = found.ranks.set_index("method")
    if name not in ranks.index:
        return "; it lacks families of this scope."
    pairs = found.pairs[(found.pairs["one"] == name) | (found.pairs["other"] == name)]
    same = pairs[pairs["p_adjusted"] > 1 - found.level]
    others = [o if a == name else a for a, o in zip(same["one"], same["other"], strict=True)]
    told = "; ".join(others[:6]) + (f" and {len(others) - 6} more" if len(others) > 6 else "")
    return (f"; place {ranks.loc[name, 'rank']:.0f} of {len(ranks)} (from "
            f"{ranks.loc[name, 'low']:.0f} to {ranks.loc[name, 'high']:.0f}), "
            + (f"not significantly different from {told}." if others else
               "significantly different from all."))
