"""Before any data: with how many rows curves of datasets like those planned reach an error.

The R package pmsims gives such an assurance (80 % of data sets of a size reach what is wanted)
from simulations that its user invents; here it comes from curves of LCDB 1.0's datasets. What is
planned is looked for among them by a Gaussian kernel in its features, classes and the error of
always naming the most frequent class, in whose unit errors are.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.published.computed import recall
from analysis.statistics.families import families
from collection.own_table.learners import LEARNERS, check_learners

CURVES, JUDGED = "planned_curves", "planned_judged"  # kept results
ALL = "the best learner at each size"
TRAITS = ["features", "classes", "guess"]
WIDTH = 1.0  # of the kernel, in standard deviations of each trait over datasets
FEWEST = 10  # families that have to be measured at a size, in effect: (sum of w)² / sum of w²


@dataclass(frozen=True, eq=False)
class LookAlikes:
    """Curves that what is planned may be like.

    Attributes
    ----------
    family : ndarray of str, shape (n_datasets,)
    traits : ndarray, shape (n_datasets, 3)
        Logarithms of features and classes, log-odds of the error of guessing; from `traits_of`.
    sizes : ndarray of int, shape (n_sizes,)
    lasting : ndarray, shape (n_datasets, n_sizes)
        The highest error from a size on, as a share of that of guessing; NaN beyond the last size.
    """

    family: np.ndarray
    traits: np.ndarray
    sizes: np.ndarray
    lasting: np.ndarray

    def chances(self, traits: np.ndarray, share: float, without: str = "") -> np.ndarray:
        """Return how likely an error is reached, and stays so, by each size.

        Parameters
        ----------
        traits : ndarray, shape (3,)
        share : float
            The error, as a share of that of guessing.
        without : str
            A family that is left out.

        Returns
        -------
        ndarray, shape (n_sizes,)
            The weighted share of curves measured at a size that have reached it: those that end
            before are unknown there, and do not count. Every family weighs the same where it is
            equally near. NaN where fewer than `FEWEST` families were measured.
        """
        apart = (self.traits - traits) / self.traits.std(0) / WIDTH
        member = self.family[:, None] == np.unique(self.family)
        weight = np.exp(-(apart**2).sum(1) / 2) * (self.family != without) / (
            member @ member.sum(0))
        there = weight[:, None] * np.isfinite(self.lasting)
        total, square = there.sum(0), ((member.T @ there) ** 2).sum(0)
        enough = total**2 >= FEWEST * np.maximum(square, 1e-300)
        return np.divide((there * (self.lasting <= share)).sum(0), total, where=enough,
                         out=np.full(len(self.sizes), np.nan))


def traits_of(features: float, classes: float, guess: float) -> np.ndarray:
    """Return the logarithms of features and classes and the log-odds of guessing, as last axis."""
    return np.stack([np.log(features), np.log(classes), np.log(guess) - np.log1p(-guess)], axis=-1)


def look_alikes(curves: pd.DataFrame, learners: Sequence[str] = ()) -> LookAlikes:
    """Return the curves of the learner that errs least at each size.

    Parameters
    ----------
    curves : pandas.DataFrame
        By ``dataset, features, classes, guess, learner``: mean errors, a column a size.
    learners : sequence of str
        LCDB 1.0's names; none for all that are there.
    """
    own = curves[curves["learner"].isin(learners)] if learners else curves
    best = own.groupby(["dataset", *TRAITS])[[c for c in curves if c.isdigit()]].min()
    about = best.index.to_frame()
    errors = best.to_numpy() / about[["guess"]].to_numpy()
    return LookAlikes(families(about["dataset"]), traits_of(*about[TRAITS].to_numpy(float).T),
                      best.columns.astype(int).to_numpy(),
                      np.fmax.accumulate(errors[:, ::-1], axis=1)[:, ::-1])


@dataclass(frozen=True)
class Plan:
    """What is planned: so many features and classes, an error wanted, the most frequent class.

    Attributes
    ----------
    features, classes : int
    wanted : float
        An error rate, below ``1 - majority``.
    majority : float
        Share of the most frequent class.
    learners : tuple of str
        Of the report; none for the best of all.
    """

    features: int
    classes: int
    wanted: float
    majority: float
    learners: tuple[str, ...] = ()
    how, notes = "", ()

    @property
    def title(self) -> str:
        """What is planned, in words."""
        return (f"Before any data: {self.features:,} features, {self.classes} classes, "
                f"{self.majority:.0%} in the most frequent one")

    def assured(self) -> tuple[float, pd.Series, pd.Series]:
        """Return the rows that suffice with 80 %, chances by rows, and how such answers did.

        Returns
        -------
        rows : float
            NaN where look-alikes do not reach it that often at the sizes measured.
        chances : pandas.Series, index size
            Of `LookAlikes.chances`, where they are known.
        judged : pandas.Series
            The row of ``planned_judged``: the chance asked for (``level``), the share of datasets
            set aside on which the rows sufficed (``share, low, high``), ``n`` families.
        """
        names = list(dict.fromkeys(LEARNERS[name].like
                                   for name in check_learners(self.learners, regression=False)))
        found = look_alikes(recall(CURVES), names)
        guess = 1 - self.majority
        chances = pd.Series(found.chances(traits_of(self.features, self.classes, guess),
                                          self.wanted / guess), found.sizes).dropna()
        own = recall(JUDGED).set_index("learner").loc[names[0] if len(names) == 1 else ALL]
        reached = chances.index[chances >= own["level"]]
        return float(reached[0]) if len(reached) else np.nan, chances, own
