"""What an extrapolator returns, before its intervals are calibrated."""

from typing import NamedTuple

import numpy as np


class Forecast(NamedTuple):
    """Where an extrapolator expects curves to be, before its intervals are calibrated.

    Attributes
    ----------
    centre, scale : ndarray, shape (n_curves, n_targets)
        In error rate: the expected value, and how far off it may be, up to a factor that the
        calibration finds; NaN where there is no forecast.
    """

    centre: np.ndarray
    scale: np.ndarray
