"""Corrections over many curves: of those called ill-behaved, how many may be false.

A p-value per curve, valid for that curve alone, calls one well-behaved curve in twenty. Over the
thousands of curves of a database the share of false calls among all calls can be held below 5 %
instead: by Benjamini and Hochberg (1995) where curves are independent or positively dependent, by
Benjamini and Yekutieli (2001) whatever their dependence, and by e-values (Wang and Ramdas 2022),
whatever their dependence as well.
"""

import numpy as np

KAPPA = 0.1  # of the calibrator p ↦ κ p^(κ − 1), which turns a p-value into an e-value


def adjust_among_curves(p: np.ndarray, method: str) -> np.ndarray:
    """Adjust p-values over all curves; those up to 0.05 are discoveries at a rate of 0.05.

    Parameters
    ----------
    p : ndarray, shape (n_curves,)
        One per curve that is not missing; NaN where nothing goes the wrong way, which counts as 1.
    method : {"bh", "by", "e_bh"}
        Benjamini and Hochberg, Benjamini and Yekutieli, or e-values with e-BH.

    Returns
    -------
    ndarray, shape (n_curves,)
        At most 1; NaN stays.
    """
    filled = np.where(np.isnan(p), 1.0, p)
    if method == "by":
        filled = filled * (1 / np.arange(1, len(p) + 1)).sum()
    elif method == "e_bh":  # e-BH is Benjamini and Hochberg's procedure on 1 / e
        filled = np.minimum(1, filled ** (1 - KAPPA) / KAPPA)
    return np.where(np.isnan(p), np.nan, _benjamini_hochberg(filled))


def _benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    order = np.argsort(p)
    ranked = p[order] * len(p) / np.arange(1, len(p) + 1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1, np.minimum.accumulate(ranked[::-1])[::-1])
    return adjusted
