"""The curve models of LCDB 1.0 and 1.1: formula, parameters, and how they are fitted."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from analysis.fitting import families as fam
from collection.project.naming import check_known

LCDB10 = "Mohr et al. 2022 (LCDB 1.0), after Viering and Loog 2023, Table 1"
LCDB11 = "LCDB 1.1, Section 2 and Appendix F; " + LCDB10


@dataclass(frozen=True)
class CurveModel:
    """A parametric learning curve, ``alpha + beta * shape(n)``.

    Attributes
    ----------
    name : str
        LCDB's name; it ends in the number of parameters.
    formula : str
        In LaTeX, n being the training-set size.
    parameters : str
        All of them in order, a letter each.
    curve : callable
        ``curve(n, *parameters)``, the formula.
    family : Family
        The shape.
    to_parameters : callable
        ``to_parameters(reference, alpha, beta, *natural)``: the parameters, in their order; the
        shape is 1 at the anchor `reference`.
    intercept : bool
        Whether `alpha` is free or 0.
    slope : {"free", "positive", "negative", "minus one"}
        What `beta` may be. A sign is fixed where the formula holds the logarithm of `beta`.
    source : str
        Where the formula stands.
    last_alone : bool
        Whether only the last value counts, as of the baseline.
    """

    name: str
    formula: str
    parameters: str
    curve: Callable[..., np.ndarray]
    family: fam.Family
    to_parameters: Callable[..., tuple[np.ndarray, ...]]
    intercept: bool = True
    slope: Literal["free", "positive", "negative", "minus one"] = "free"
    source: str = LCDB10
    last_alone: bool = False

    @property
    def n_parameters(self) -> int:
        """Number of parameters."""
        return len(self.parameters)


MODELS: dict[str, CurveModel] = {m.name: m for m in (
    CurveModel("LAST1", "a", "a", lambda n, a: a + 0 * n, fam.fixed(np.zeros_like),
               lambda r, al, be: (al,), last_alone=True),
    CurveModel("POW2", "-a n^{-b}", "ab",
               lambda n, a, b: -a * n**-b, fam.POWER,
               lambda r, al, be, b: (-be * r**b, b), intercept=False),
    CurveModel("POW3", "a - b n^{-c}", "abc",
               lambda n, a, b, c: a - b * n**-c, fam.POWER,
               lambda r, al, be, c: (al, -be * r**c, c)),
    CurveModel("POW4", "a - b (d + n)^{-c}", "abcd",
               lambda n, a, b, c, d: a - b * (d + n) ** -c, fam.SHIFTED_POWER,
               lambda r, al, be, c, d: (al, -be * (d + r) ** c, c, d), source=LCDB11),
    CurveModel("LOG2", r"-a \log n + b", "ab",
               lambda n, a, b: -a * np.log(n) + b, fam.fixed(np.log),
               lambda r, al, be: (-be, al)),
    CurveModel("LOGPOWER3", r"a / (1 + (n / e^b)^c)", "abc",
               lambda n, a, b, c: a / (1 + (n / np.exp(b)) ** c), fam.LOGISTIC_POWER,
               lambda r, al, be, b, c: (be * (1 + np.exp(c * (np.log(r) - b))), b, c),
               intercept=False),
    CurveModel("EXP2", r"a \exp(-b n)", "ab",
               lambda n, a, b: a * np.exp(-b * n), fam.EXPONENTIAL,
               lambda r, al, be, b: (be * np.exp(b * r), b), intercept=False),
    CurveModel("EXP3", r"a \exp(-b n) + c", "abc",
               lambda n, a, b, c: a * np.exp(-b * n) + c, fam.EXPONENTIAL,
               lambda r, al, be, b: (be * np.exp(b * r), b, al)),
    CurveModel("EXP4", r"c - \exp(-a n^d + b)", "abcd",
               lambda n, a, b, c, d: c - np.exp(-a * n**d + b), fam.SIGNED_STRETCHED_EXPONENTIAL,
               lambda r, al, be, a, d: (a, np.log(-be) + a * r**d, al, d), slope="negative"),
    CurveModel("EXPP3", r"c - \exp((n - b)^a)", "abc",
               lambda n, a, b, c: c - np.exp((n - b) ** a), fam.DOUBLE_EXPONENTIAL,
               lambda r, al, be, a, b: (a, b, al), slope="minus one"),
    CurveModel("EXPD3", r"c - (c - a) \exp(-b n)", "abc",
               lambda n, a, b, c: c - (c - a) * np.exp(-b * n), fam.GENTLE_EXPONENTIAL,
               lambda r, al, be, b: (al + be * np.exp(b * r), b, al)),
    CurveModel("LIN2", "a n + b", "ab",
               lambda n, a, b: a * n + b, fam.fixed(lambda n: n), lambda r, al, be: (be, al)),
    CurveModel("ILOG2", r"b - a / \log n", "ab",
               lambda n, a, b: b - a / np.log(n), fam.fixed(fam.inverse_log),
               lambda r, al, be: (-be, al)),
    CurveModel("VAP3", r"\exp(a + b / n + c \log n)", "abc",
               lambda n, a, b, c: np.exp(a + b / n + c * np.log(n)), fam.VAPOUR,
               lambda r, al, be, b, c: (np.log(be) - b / r - c * np.log(r), b, c),
               intercept=False, slope="positive"),
    CurveModel("MMF4", "(a b + c n^d) / (b + n^d)", "abcd",
               lambda n, a, b, c, d: (a * b + c * n**d) / (b + n**d), fam.SIGMOID,
               lambda r, al, be, b, d: (al + be * (1 + r**d / b), b, al, d), source=LCDB11),
    CurveModel("WBL4", r"-b \exp(-a n^d) + c", "abcd",
               lambda n, a, b, c, d: -b * np.exp(-a * n**d) + c, fam.STRETCHED_EXPONENTIAL,
               lambda r, al, be, a, d: (a, -be * np.exp(a * r**d), al, d), source=LCDB11),
    CurveModel("JANOSCHEK4", r"a - b \exp(-c n^d)", "abcd",
               lambda n, a, b, c, d: a - b * np.exp(-c * n**d), fam.STRETCHED_EXPONENTIAL,
               lambda r, al, be, c, d: (al, -be * np.exp(c * r**d), c, d)),
)}
PARAMETERS = ("a", "b", "c", "d")


def curve_models(names: Iterable[str]) -> list[CurveModel]:
    """Return the models of those names.

    Raises
    ------
    UnknownNameError
        Where a name is not in `MODELS`; the message lists close ones.
    """
    names = [names] if isinstance(names, str) else list(names)
    check_known("curve model", names, MODELS)
    return [MODELS[name] for name in names]
