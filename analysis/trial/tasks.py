"""The tasks of the trial: where a learning curve was seen, and at what sizes it is asked for.

They were drawn once, by `draw_tasks` of revision 00a62da, and are never to change. Version 2 adds
to them curves gathered anew, of families that no forecast had learnt from; these were drawn by the
same rule (revision cfa309b7) before anything forecast them. Of each database, some learners (at
most ten of LCDB) were drawn of one dataset a family, of what the learnt forecasts had not learnt
from; a quarter, half or three quarters of a curve's sizes are seen, at least three. Curves that
others published are cut where they cut them. Version 3 is sealed (revision b9c2d8eb): of
families left to gather anew only sizes up to an eighth of the last, or 256 rows, were computed, so
that nobody could look up what is asked. Version 4 opens those whose curves were gathered since
(``opened.csv``) and scores what was forecast before.
"""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import pandas as pd

from analysis.extrapolation.seen import Seen
from collection.project.paths import DATA, shipped

FOLDER = DATA / "trial"
PARTS = ("", "2", "3")  # what each version added: the end of its files' names
OPENED = "opened.csv"  # what came of sealed tasks: task, times, error
TIMES = (2, 4, 8)  # what was seen
JUDGED = (0, 1)  # folds of LCDB 1.0 whose datasets are asked for


@dataclass(frozen=True)
class Trial:
    """The tasks with what is seen of them and what came.

    Attributes
    ----------
    tasks : DataFrame
        A row per task: ``task`` (its name), ``source``, ``dataset, learner``, ``family`` (of
        near-duplicates: one case), ``metric``, ``fold`` (whose models have not seen the dataset;
        -1: none has), ``known`` (whether the learner trained the learnt forecasts), ``seen``
        (sizes), ``last`` (the largest of these), ``tuned_by``.
    points : DataFrame
        ``task, size, error`` (lower is better), ``deviation`` (standard error; NaN where there
        are no repeats) of what is seen.
    asked : DataFrame
        ``task, times`` ("2", "4", "8", "last"), ``size``, ``truth`` (NaN while it is sealed).
    """

    tasks: pd.DataFrame
    points: pd.DataFrame
    asked: pd.DataFrame

    @cached_property
    def unit(self) -> pd.Series:
        """By task, what errors are divided by for forecasts that know errors from 0 to 1."""
        top = self.points.groupby("task")["error"].max()
        return top.where(top > 1, 1.0).reindex(self.tasks["task"])

    def seen(self) -> tuple[Seen, np.ndarray]:
        """Return what is seen of each task alone, and the sizes asked for.

        Returns
        -------
        seen : Seen
            In units of `unit`, learners without names, every curve by itself.
        sizes : ndarray, shape (n_tasks, 4)
            In the order of `TIMES`, then the last; NaN where none is asked.
        """
        names = self.tasks["task"]
        values, noise = (self.points.pivot(index="task", columns="size", values=what)
                         .reindex(names) for what in ("error", "deviation"))
        per = self.unit.to_numpy()[:, None]
        sizes = self.asked.pivot(index="task", columns="times", values="size").reindex(
            index=names, columns=[*map(str, TIMES), "last"])
        return Seen(values.columns.to_numpy(float), values.to_numpy() / per,
                    noise.to_numpy() / per, np.full(len(names), "", object),
                    np.arange(len(names)), self.tasks["fold"].to_numpy()), sizes.to_numpy()


@cache
def open_trial(parts: tuple[str, ...] = PARTS, opened: bool = True) -> Trial:
    """Open the shipped tasks, of all versions or some of `PARTS`; `opened`, or as sealed."""
    tasks, points = (pd.concat([pd.read_csv(shipped(FOLDER / name.format(part)), dtype={text: str},
                                            keep_default_na=text == "times") for part in parts],
                               ignore_index=True)
                     for name, text in (("tasks{}.csv", "dataset"), ("points{}.csv.gz", "times")))
    if opened:
        keys = ["task", "times"]
        came = pd.read_csv(shipped(FOLDER / OPENED), dtype={"times": str}).set_index(keys)["error"]
        points["error"] = points["error"].fillna(points.join(
            came.rename("came"), on=keys)["came"])
    seen = points["times"].isna()
    return Trial(tasks, points[seen].drop(columns="times").reset_index(drop=True),
                 points[~seen].rename(columns={"error": "truth"})[
                     ["task", "times", "size", "truth"]].reset_index(drop=True))
