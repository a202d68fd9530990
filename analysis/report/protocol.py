"""Rows that a prediction model needs by the published criteria, for development and evaluation.

Riley et al., Statistics in Medicine 2019, 38:1262 (numbers) and 38:1276 (two classes), BMJ 2020,
368:m441; for evaluation Statistics in Medicine 2021, 40:4230. The R packages pmsampsize and
pmvalsampsize compute the same; their published examples are in ``book/published/sample_sizes.csv``.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy.integrate import trapezoid
from scipy.optimize import brentq
from scipy.stats import norm

SHRINKAGE = 0.9  # that predictions should need at most, to be no more extreme than they may
OPTIMISM = 0.05  # of the explained share, apparent beside true
MARGIN = 0.05  # of the overall risk, either way, with 95 %
SPREAD = 234  # rows beside the parameters that know a residual deviation to 10 %
WIDTHS = {"o_e": 0.2, "c": 0.1}  # of 95 % intervals of observed over expected, of the C-statistic
Z = 1.96


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
    """Return the same of a model of numbers: ``shrinkage``, ``optimism``, ``spread``.

    Parameters
    ----------
    parameters : int
    r2 : float
        Expected share of the variance explained on new rows.

    Raises
    ------
    ValueError
        Where that is not between 0 and 1.
    """
    if not (0 < r2 < 1 and parameters > 0):
        raise ValueError(f"{r2:g} is no share of the variance that {parameters} parameters "
                         "explain.")

    def kept(n: int) -> bool:
        left = (1 - r2) * (n - parameters - 1) / (n - 1)  # apparently unexplained
        return 1 + (parameters - 2) / (n * math.log(left)) >= SHRINKAGE
    return {"shrinkage": _least(kept, parameters + 2),
            "optimism": math.ceil(1 + parameters * (1 - r2) / OPTIMISM - 1e-9),
            "spread": SPREAD + parameters}


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
    error = next(s / 1000 for s in range(1, 5000)
                 if math.exp(Z * s / 1000) - math.exp(-Z * s / 1000) >= WIDTHS["o_e"])

    def narrow(n: int) -> bool:
        c = c_statistic
        variance = c * (1 - c) * (1 + (n / 2 - 1) * ((1 - c) / (2 - c) + c / (1 + c))) / (
            n**2 * prevalence * (1 - prevalence))
        return 2 * Z * math.sqrt(variance) <= WIDTHS["c"]
    return {"o_e": math.ceil((1 - prevalence) / (prevalence * error**2)), "c": _least(narrow, 2)}


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


def _least(holds: Callable[[int], bool], low: int) -> int:
    """Return the least number from `low` on for which something holds, once it holds for good."""
    high = low
    while not holds(high):
        high *= 2
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return high
