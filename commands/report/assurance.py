"""Before any data: with how many rows curves of datasets like those planned reach an error.

The R package pmsims gives such an assurance (80 % of data sets of a size reach what is wanted)
from simulations that its user invents; here it comes from curves of LCDB 1.0's datasets. What is
planned is looked for among them by a Gaussian kernel in its features, classes and the error of
always naming the most frequent class, in whose unit errors are (one minus AUC in that of 0.5).

Beside it stand the published criteria for models of two classes and of numbers, and one
recommendation: Riley et al., Statistics in Medicine 2019, 38:1276 and 38:1262, BMJ 2020, 368:m441;
for evaluation Statistics in Medicine 2021, 40:4230, of numbers Archer et al. 2021, 40:133. The R
packages pmsampsize and pmvalsampsize compute the same but for the evaluation of numbers; their
published examples are in ``book/published/sample_sizes.csv``. Left out are criteria for the mean of
numbers, which need the target's mean and deviation. For numbers there are no look-alikes: by their
number of features, the 24 tables of ``data/regression`` name rows that sufficed on 73 % [56, 89] of
families, where four of five were wanted, and where more have to agree they name none.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.integrate import trapezoid
from scipy.optimize import brentq
from scipy.stats import norm

from analysis.drawing.document import render
from analysis.published.computed import recall
from analysis.report.sentences import title_of
from analysis.statistics.families import families
from analysis.statistics.summary import with_interval
from collection.own_table.learners import LEARNERS
from commands.report.settings import PLANNED, ReportSettings

CURVES, JUDGED = "planned_curves", "planned_judged"  # kept results
ALL = "the best learner at each size"
TRAITS = ["features", "classes", "guess"]
WIDTH = 1.0  # of the kernel, in standard deviations of each trait over datasets
FEWEST = 10  # families that have to be measured at a size, in effect: (sum of w)² / sum of w²
EITHER_WAY = 0.1  # of the error, that a 90 % range from the evaluation may reach
NORMAL = 1.645
SHRINKAGE = 0.9  # that predictions should need at most, to be no more extreme than they may
OPTIMISM = 0.05  # of the explained share, apparent beside true
MARGIN = 0.05  # of the overall risk, either way, with 95 %
WIDTHS = {"o_e": 0.2, "c": 0.1, "r2": 0.1, "slope": 0.2}  # of 95 % intervals
SPREAD = 234  # degrees of freedom with which a deviation is known within 10 %, with 95 %
Z = 1.96
WORDS = {
    "shrinkage": "against overfitting: predictions are to be no more than a tenth too extreme",
    "optimism": "against promises: the apparent explained share is to be at most 0.05 too high",
    "risk": "against risks all too high or low: the overall one is to be within 0.05, with 95 %",
    "o_e": "against risks all off unseen: the 95 % interval of observed over expected is to be 0.2 "
           "wide",
    "c": "against a ranking that luck made: the 95 % interval of the C-statistic is to be 0.1 wide",
    "spread": "against ranges all too narrow: what is left is to be known within 10 %, with 95 %",
    "r2": "against an R² that luck made: its 95 % interval is to be 0.1 wide",
    "slope": "against predictions too extreme unseen: the 95 % interval of the calibration slope "
             "is to be 0.2 wide",
}


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
    always : ndarray, shape (n_datasets,)
        The error of guessing.
    """

    family: np.ndarray
    traits: np.ndarray
    sizes: np.ndarray
    lasting: np.ndarray
    always: np.ndarray

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


def look_alikes(curves: pd.DataFrame, learners: Sequence[str] = (),
                metric: str = PLANNED[0]) -> LookAlikes:
    """Return the curves of the learner that errs least at each size.

    Parameters
    ----------
    curves : pandas.DataFrame
        By ``metric, dataset, features, classes, guess, learner``: mean errors, a column a size.
    learners : sequence of str
        LCDB 1.0's names; none for all that are there.
    metric : str
        Of `commands.report.settings.PLANNED`.
    """
    own = curves[(curves["metric"] == metric) & (curves["learner"].isin(learners) | (not learners))]
    best = own.groupby(["dataset", *TRAITS])[[c for c in curves if c.isdigit()]].min()
    about = best.index.to_frame()
    always = np.full(len(about), 0.5) if metric == "auc" else about["guess"].to_numpy()
    errors = best.to_numpy() / always[:, None]
    return LookAlikes(families(about["dataset"]), traits_of(*about[TRAITS].to_numpy(float).T),
                      best.columns.astype(int).to_numpy(),
                      np.fmax.accumulate(errors[:, ::-1], axis=1)[:, ::-1], always)


def plan_rows(plan: ReportSettings) -> pd.DataFrame:
    """Return the rows that development and evaluation take, of settings that are for a plan.

    Returns
    -------
    pandas.DataFrame
        ``purpose`` ("development", "evaluation"), ``by`` ("look-alikes", "criteria"), ``rows``
        (NaN where there is no answer), ``aim``, ``assumed``.
    """
    found = _of_numbers(plan) if plan.metric == "r2" else (
        *_by_look_alikes(plan), *_by_criteria(plan))
    table = pd.DataFrame(found, columns=["purpose", "by", "rows", "aim", "assumed"])
    return table.sort_values("purpose", kind="stable").reset_index(drop=True)


def advice(table: pd.DataFrame) -> str:
    """Say in one sentence how many rows to plan, of `plan_rows`."""
    developed, evaluated = (own for _, own in table.groupby("purpose"))
    alike, most = (developed.loc[(developed["by"] == "look-alikes") == is_alike, "rows"].max()
                   for is_alike in (True, False))
    others = f"{evaluated['rows'].max():,.0f} others to evaluate it on."
    if np.isfinite(alike):
        both = "" if np.isnan(most) else (
            f": datasets like this reach what is wanted with {alike:,.0f}, the criteria for a "
            f"model that does not overfit ask for {most:,.0f}, and both have to hold")
        return f"Plan {np.fmax(alike, most):,.0f} rows to develop a model on{both}; {others}"
    begin = "Measure what there is" if np.isnan(most) else (
        f"Begin with {most:,.0f}, which the criteria for a model that does not overfit ask for,")
    return ("No number of rows is sure to reach what is wanted, as far as other datasets tell. "
            f"{begin} and let a curve of its own decide (make report CSV=…); plan {others}")


def plan_page(plan: ReportSettings, table: pd.DataFrame) -> str:
    """Return `plan_rows` as an HTML page that loads nothing."""
    target = "a number to predict" if plan.metric == "r2" else (
        f"{plan.classes} classes, {plan.majority:.0%} in the most frequent one")
    shown = table.assign(rows=["–" if np.isnan(n) else f"{n:,.0f}" for n in table["rows"]])
    parts = [(purpose, own.to_dict("records")) for purpose, own in shown.groupby("purpose")]
    return render(Path(__file__).with_name("plan.html"), parts=parts, advice=advice(table),
                  title=f"Before any data: {plan.features:,} features, {target}")


def _by_look_alikes(plan: ReportSettings) -> Iterator[tuple]:
    names = sorted({LEARNERS[name].like for name in plan.learners})
    found, guess = look_alikes(recall(CURVES), names, plan.metric), 1 - plan.majority
    share = 2 * (1 - plan.wanted) if plan.metric == "auc" else plan.wanted / guess
    chances = pd.Series(found.chances(traits_of(plan.features, plan.classes, guess), share),
                        found.sizes).dropna()
    judged = recall(JUDGED).set_index(["metric", "learner"]).loc[
        plan.metric, names[0] if len(names) == 1 else ALL]
    rows = chances.index[chances >= judged["level"]].min()
    if np.isfinite(rows):
        held = with_interval(*(100 * judged[c] for c in ("share", "low", "high")), 0, "%")
        about = (f"{chances[rows]:.0%} of look-alikes have reached it there; so named, rows "
                 f"sufficed on {held} of families set aside")
    elif len(chances):
        about = (f"at most {chances.max():.0%} of look-alikes have reached it, at "
                 f"{chances.idxmax():,} rows; beyond {chances.index[-1]:,} too few were measured")
    else:
        about = f"fewer than {FEWEST} families of datasets are like this"
    what = "an AUC" if plan.metric == "auc" else "an error"
    aim = f"against erring more than is wanted: {what} of {plan.wanted:.3g} is reached with 80 %"
    yield "development", "look-alikes", rows, aim, f"{title_of(judged.name[1])}: {about}"
    if plan.metric != "auc":
        tested = np.ceil((1 - plan.wanted) / plan.wanted * (NORMAL / EITHER_WAY) ** 2)
        yield ("evaluation", "look-alikes", tested, "against an error that luck made: its 90 % "
               "range is to reach a tenth of it either way", f"an error rate of {plan.wanted:.3f}")


def _of_numbers(plan: ReportSettings) -> Iterator[tuple]:
    yield ("development", "look-alikes", np.nan, "against erring more than is wanted: an R² of "
           f"{plan.wanted:.3g} is reached with 80 %", "24 tables of numbers tell too little")
    about = f"R² {plan.wanted:.2f}, {plan.features} parameters"
    for purpose, found in (("development", rows_for_numbers(plan.features, plan.wanted)),
                           ("evaluation", rows_to_evaluate_numbers(plan.wanted))):
        for name, rows in found.items():
            yield purpose, "criteria", rows, WORDS[name], about


def _by_criteria(plan: ReportSettings) -> Iterator[tuple]:
    if plan.classes > 2:
        yield "development", "criteria", np.nan, "they are for two classes or for numbers", "–"
        return
    rare = 1 - plan.majority
    c, why = (plan.wanted, "") if plan.metric == "auc" else (
        c_statistic_of(plan.wanted, rare), f", as an error of {plan.wanted:.3g} has with normal "
        "scores")
    about = (f"C-statistic {c:.2f}{why}, {rare:.0%} in the rarer class, "
             f"{plan.features} parameters")
    for purpose, found in (
            ("development", rows_for_classes(plan.features, rare, explained_by(c, rare))),
            ("evaluation", rows_to_evaluate(rare, c))):
        for name, rows in found.items():
            yield purpose, "criteria", rows, WORDS[name], about


def rows_for_classes(parameters: int, prevalence: float, r2: float) -> dict[str, int]:
    """Return the rows that a model of two classes is to be developed on.

    Parameters
    ----------
    parameters : int
        That are estimated, those dropped later too.
    prevalence : float
        Share of the rarer class.
    r2 : float
        Expected share explained, after Cox and Snell, on new rows.

    Returns
    -------
    dict of str to int
        ``shrinkage``, ``optimism``, ``risk``: rows by each criterion.

    Raises
    ------
    ValueError
        Where no model can explain that much, or a share is none.
    """
    most = 1 - math.exp(-2 * _entropy(prevalence)) if 0 < prevalence < 1 else 0.0
    if not (0 < r2 < min(most, SHRINKAGE) and parameters > 0):
        raise ValueError(f"With {parameters} parameters and a prevalence of {prevalence:g}, an "
                         f"explained share of {r2:g} is not between 0 and {most:.3g}.")

    def rows(shrinkage: float) -> int:
        return math.ceil(parameters / ((shrinkage - 1) * math.log(1 - r2 / shrinkage)))
    return {"shrinkage": rows(SHRINKAGE), "optimism": rows(r2 / (r2 + OPTIMISM * most)),
            "risk": math.ceil((Z / MARGIN) ** 2 * prevalence * (1 - prevalence))}


def rows_for_numbers(parameters: int, r2: float) -> dict[str, int]:
    """Return the rows that a linear model of a number is to be developed on.

    Parameters
    ----------
    parameters : int
        That are estimated, those dropped later too.
    r2 : float
        Expected share of the variance explained on new rows, between 0 and 1.

    Returns
    -------
    dict of str to int
        ``shrinkage``, ``optimism``, ``spread``: rows by each criterion.
    """
    def enough(n: int) -> bool:
        apparent = (r2 * (n - parameters - 1) + parameters) / (n - 1)
        return 1 + (parameters - 2) / (n * math.log1p(-apparent)) >= SHRINKAGE
    return {"shrinkage": next(filter(enough, count(parameters + 2))),
            "optimism": math.ceil(1 + round(parameters * (1 - r2) / OPTIMISM, 9)),
            "spread": SPREAD + parameters}


def rows_to_evaluate_numbers(r2: float) -> dict[str, int]:
    """Return the rows that a model of a number is to be evaluated on.

    Parameters
    ----------
    r2 : float
        Expected share of the variance explained; predictions are taken to be calibrated.

    Returns
    -------
    dict of str to int
        ``r2``, ``slope``: so that the 95 % intervals of R² and of the calibration slope are
        `WIDTHS` wide; ``spread``: so that the residuals' deviation is known.
    """
    errors = {name: WIDTHS[name] / 2 / Z for name in ("r2", "slope")}
    return {"r2": math.ceil(4 * r2 * (1 - r2)**2 / errors["r2"]**2),
            "slope": math.ceil((1 - r2) / (r2 * errors["slope"]**2) + 1), "spread": SPREAD + 1}


def rows_to_evaluate(prevalence: float, c_statistic: float) -> dict[str, int]:
    """Return the rows that a model of two classes is to be evaluated on.

    Parameters
    ----------
    prevalence : float
    c_statistic : float
        Expected area under the ROC curve.

    Returns
    -------
    dict of str to int
        ``o_e``: so that the 95 % interval of observed over expected events is `WIDTHS` wide;
        ``c``: likewise the C-statistic's (its standard error after Newcombe).
    """
    error = math.ceil(1000 * math.asinh(WIDTHS["o_e"] / 2) / Z) / 1000

    def narrow(n: int) -> bool:
        c = c_statistic
        variance = c * (1 - c) * (1 + (n / 2 - 1) * ((1 - c) / (2 - c) + c / (1 + c))) / (
            n**2 * prevalence * (1 - prevalence))
        return 2 * Z * math.sqrt(variance) <= WIDTHS["c"]
    return {"o_e": math.ceil((1 - prevalence) / (prevalence * error**2)),
            "c": next(filter(narrow, count(2)))}


def explained_by(c_statistic: float, prevalence: float) -> float:
    """Return the share explained (Cox and Snell) where a score is normal in either class.

    Its distance between the classes follows from the C-statistic (Riley et al., Statistics in
    Medicine 2021, 40:859); by integration, where they simulate.
    """
    apart = math.sqrt(2) * norm.ppf(c_statistic)
    x = np.linspace(-9, 9 + apart, 20_001)
    no, yes = (1 - prevalence) * norm.pdf(x), prevalence * norm.pdf(x - apart)
    risk = np.minimum(yes / (no + yes), 1 - 1e-15)
    gained = trapezoid(no * np.log1p(-risk) + yes * np.log(risk), x)
    return 1 - math.exp(-2 * (float(gained) + _entropy(prevalence)))


def c_statistic_of(error: float, prevalence: float) -> float:
    """Return the C-statistic of a score, normal in either class, whose best cut errs so much.

    Parameters
    ----------
    error : float
        Above 0 and below `prevalence`, the error of never predicting the class.
    prevalence : float
        Of the rarer class.
    """
    def left(apart: float) -> float:
        cut = apart / 2 + math.log(1 / prevalence - 1) / apart
        return prevalence * norm.cdf(cut - apart) + (1 - prevalence) * norm.sf(cut) - error
    return float(norm.cdf(brentq(left, 1e-3, 20) / math.sqrt(2)))


def _entropy(share: float) -> float:
    return -share * math.log(share) - (1 - share) * math.log(1 - share)

