"""The extrapolators by name."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from analysis.extrapolation import formulas, learned
from analysis.extrapolation.seen import Forecast, Seen
from analysis.fitting.registry import MODELS


@dataclass(frozen=True)
class Extrapolator:
    """A way to extrapolate curves.

    Attributes
    ----------
    name, title, source : str
        Key in `EXTRAPOLATORS`, name in words, where it was proposed.
    kind : {"formula", "learned"}
        Whether it sees the cut curve alone, or learnt from the curves of other datasets.
    forecast : callable
        ``forecast(seen, targets)``: a `Forecast` of every curve of a `Seen` at training-set sizes
        `targets`, shape (n_curves, n_targets).
    """

    name: str
    title: str
    source: str
    kind: str
    forecast: Callable[[Seen, np.ndarray], Forecast]


_FORMULAS = (Extrapolator(m.name, f"{m.name}, a curve model", m.source, "formula",
                          partial(formulas.forecast_by, model=m.name)) for m in MODELS.values())

# A new extrapolator is a function and a line here; `make extrapolators` calibrates it.
EXTRAPOLATORS = {e.name: e for e in (
    *_FORMULAS,
    Extrapolator("weighted", "formulas weighted by their evidence",
                 "Domhan et al. 2015, by a Laplace approximation instead of MCMC", "formula",
                 formulas.weighted),
    Extrapolator("median_formula", "the median of the formulas", "an ensemble without weights",
                 "formula", formulas.median_formula),
    Extrapolator("process", "a Gaussian process around POW2",
                 "Swersky et al. 2014, with a formula as mean", "formula", formulas.process),
    Extrapolator("nearest", "the nearest curves of other datasets", "nearest neighbours",
                 "learned", learned.nearest),
    Extrapolator("gaussian", "a Gaussian over all learners' curves",
                 "conditional Gaussian (mixture for unknown learners)", "learned",
                 learned.gaussian),
    Extrapolator("boosted", "boosted trees on the curve, the formulas and the Gaussian",
                 "gradient boosting, stacked on the Gaussian and five formulas", "learned",
                 learned.boosted),
    Extrapolator("network", "three small networks on all learners' curves",
                 "networks with quantiles, on the same inputs and the other curves", "learned",
                 learned.network),
    Extrapolator("combined", "boosted trees and the networks, averaged",
                 "the mean of both locations, the geometric mean of both scales", "learned",
                 learned.combined),
)}
