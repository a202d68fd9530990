"""The strategies by name."""

from collections.abc import Callable
from dataclasses import dataclass

from analysis.selection.contest import Outcome
from analysis.selection.extrapolate import extrapolate
from analysis.selection.forecast import drop_by_forecast
from analysis.selection.halving import hyperband, successive_halving
from analysis.selection.lccv import lccv
from analysis.selection.oracle import early_look, full_evaluation, oracle, random_choice


@dataclass(frozen=True)
class Strategy:
    """A way to select a learner.

    Attributes
    ----------
    name, title, source : str
        Key in `STRATEGIES`, name in words, where it was proposed.
    run : callable
        ``run(contest, **params)`` returns an `Outcome`.
    """

    name: str
    title: str
    source: str
    run: Callable[..., Outcome]


# A new strategy is a function of its own module and a line here.
STRATEGIES = {s.name: s for s in (
    Strategy("oracle", "oracle", "the best that a choice within the group can be", oracle),
    Strategy("full", "full evaluation", "cross-validation without racing", full_evaluation),
    Strategy("early", "one early look",
             "LAST1, the baseline of LCDB 1.0's extrapolation", early_look),
    Strategy("random", "random choice", "the worst that a strategy may be", random_choice),
    Strategy("halving", "successive halving",
             "Jamieson and Talwalkar 2016; the paper's Section 5.5", successive_halving),
    Strategy("hyperband", "Hyperband", "Li et al. 2018, Algorithm 1", hyperband),
    Strategy("lccv", "learning-curve-based cross-validation", "Mohr and van Rijn 2022", lccv),
    Strategy("extrapolate", "extrapolate, then select",
             "Domhan et al. 2015; LCDB 1.0, Section 5", extrapolate),
    Strategy("forecast", "drop by forecast", "Domhan et al. 2015; Swersky et al. 2014",
             drop_by_forecast),
)}
