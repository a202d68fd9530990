"""The extrapolators by name."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from analysis.extrapolation import formulas, learned
from analysis.extrapolation.seen import Forecast, Seen
from analysis.fitting.registry import MODELS


class Extrapolator(NamedTuple):
    """A way to extrapolate curves.

    Attributes
    ----------
    source : str
        Where it was proposed; of one that learnt from the curves of other datasets, what it is.
    forecast : callable
        ``forecast(seen, targets)``: a `Forecast` of every curve of a `Seen` at training-set sizes
        `targets`, shape (n_curves, n_targets).
    """

    source: str
    forecast: Callable[[Seen, np.ndarray], Forecast]


# A new extrapolator is a function and a line here; `make extrapolators` calibrates it.
EXTRAPOLATORS = {
    **{name: Extrapolator(model.source, partial(formulas.forecast_by, model=name))
       for name, model in MODELS.items()},
    "usual": Extrapolator("the median curve of other datasets", learned.usual),
    "gaussian": Extrapolator("a Gaussian over all learners' curves", learned.gaussian),
    "boosted": Extrapolator("boosted trees on the curve, the formulas and the Gaussian",
                            learned.boosted),
}
