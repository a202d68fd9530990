"""What the explorer does differently where classes and where numbers are to be predicted."""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from analysis.shapes import detect_shapes
from analysis.shapes.curves import log_errors
from collection.containers.curves import main_metric


@dataclass(frozen=True)
class Kind:
    """How curves are drawn and judged.

    Attributes
    ----------
    first : tuple of str
        Learners of a first view, the foremost with a peak.
    least_drop : float
        From one anchor to the next, on the scale of `judged`, to be called sudden. No test, so no
        phase transition.
    largest : float
        Violation, on that scale, that is worth a look: beyond it, it is of arithmetic, as where
        least squares divides by what is zero but for rounding.
    procedures : tuple of str
        That judge shapes; names in `analysis.shapes.PROCEDURES`, the best first.
    logarithmic : bool
        Errors have no upper end and single repeats may explode: shapes are judged on the binary
        logarithm of errors; a line is the median over the repeats, not the mean; and nothing is
        called flat, which is told by the largest range of any learner.
    forecast : bool
        Whether the recommended forecast holds of these curves: it was learnt on error rates.
    """

    first: tuple[str, ...]
    least_drop: float
    largest: float = np.inf
    procedures: tuple[str, ...] = ("corrected",)
    logarithmic: bool = False
    forecast: bool = False

    def judged(self, errors: xr.DataArray) -> xr.DataArray:
        """Return what shapes are judged on: validation errors, or their binary logarithms."""
        return log_errors(errors) if self.logarithmic else errors.sel(split="valid", drop=True)

    def shapes(self, judged: xr.DataArray) -> dict[str, xr.Dataset]:
        """Return the verdicts of each procedure on what `judged` returned, of one leakage.

        Beside them ``repeats``, on how many they rest.
        """
        found = {name: detect_shapes(judged, name).load() for name in self.procedures}
        repeats = judged.notnull().any("anchor").sum(["outer", "inner"])
        return {name: (shapes.drop_vars("flat") if self.logarithmic else shapes).assign(
            repeats=repeats) for name, shapes in found.items()}


#: By the metric that curves are judged by.
KINDS = {
    "error_rate": Kind(("LDA", "ens.RandomForest", "KNN"), least_drop=0.2,
                       procedures=("corrected", "published"), forecast=True),
    "relative_rmse": Kind(("LeastSquares", "Ridge", "KNN"), least_drop=-np.log2(0.75),
                          largest=10.0, logarithmic=True),
}


def kind_of(curves: xr.Dataset) -> Kind:
    """Return the kind of a database's curves."""
    return KINDS[main_metric(curves)]
