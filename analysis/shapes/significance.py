"""One-sided tests over the repeats of many curves, what each assumes, and procedures made of them.

The paper's is the paired t-test (Section 4). The repeats of a curve share one dataset, and those
of an outer seed share what is not for testing. As draws from all splits of *this dataset*, repeats
with different outer seeds are independent. As draws from its *population* none are: training sets
overlap, and so do validation sets.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Real
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import stdtr

from analysis.shapes.curves import Curves, Seeds
from collection.project.naming import check_known

VALID_PER_TRAIN = 1 / 9  # by the protocol, 10 % of what is not for testing validate, 90 % train
#: What all repeats share, over what each has of its own, where real learners learn on noise: up to
#: about a twentieth of the variance of a difference (``make calibration``).
SHARED = 1 / 20
ALPHA = 0.05  # significance level throughout the paper, and unless another is given


class TTest(NamedTuple):
    """A one-sided t-test per curve, of whether the mean of its differences is above 0.

    Attributes
    ----------
    p : ndarray, shape (n_curves,)
        Uncorrected; NaN where undefined: fewer than two differences, or all of them exactly 0.
    mean : ndarray, shape (n_curves,)
        Mean difference over the repeats that have every anchor involved; NaN where none has.
    n : ndarray of int, shape (n_curves,)
        Number of those repeats.
    """

    p: np.ndarray
    mean: np.ndarray
    n: np.ndarray


def t_test(differences: np.ndarray) -> TTest:
    """Test each row of `differences` (n_curves, n_repeats), NaN left out, for a mean above 0.

    Identical differences other than 0 have p = 0: no variation casts doubt on them.
    """
    return _from_error(differences, plain_error(differences))


def repeats_at(curves: Curves, at: np.ndarray) -> np.ndarray:
    """Return the repeats of each curve at one of its anchors, shape (n_curves, n_repeats).

    Position -1 stands for no anchor and gives NaN.
    """
    values = np.take_along_axis(curves.values, np.maximum(at, 0)[:, None, None], axis=2)[:, :, 0]
    return np.where((at >= 0)[:, None], values, np.nan)


def bulge(curves: Curves, at: np.ndarray) -> np.ndarray:
    """Return each repeat's violation C(i) − interpolated C(i) at the triple `at` (Definition 2)."""
    h, i, j = (repeats_at(curves, k) for k in at.T)
    x_h, x_i, x_j = np.take_along_axis(curves.anchors, np.maximum(at, 0), axis=1).T[:, :, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        return i - (h * ((x_j - x_i) / (x_j - x_h)) + j * ((x_i - x_h) / (x_j - x_h)))


@dataclass(frozen=True)
class Test:
    """A test per curve, of whether the mean of its differences is above 0.

    Attributes
    ----------
    name, title : str
        Key in `TESTS`; in words.
    of : callable
        From differences (n_curves, n_repeats), NaN left out, and the seeds of each repeat, to a
        `TTest`.
    wider : callable, optional
        From the number of repeats to what t is divided by; by default 1.
    """

    name: str
    title: str
    of: Callable[[np.ndarray, Seeds], TTest]
    wider: Callable[[int | np.ndarray], float | np.ndarray] = lambda n: 1.0


def larger_error(differences: np.ndarray, seeds: Seeds) -> TTest:
    """Divide by the larger of the plain standard error and that clustered by outer seed."""
    plain, clustered = plain_error(differences), cluster_error(differences, seeds.outer)
    return _from_error(differences, np.fmax(plain, clustered))


def larger_error_inner(differences: np.ndarray, seeds: Seeds) -> TTest:
    """Divide by the larger of the plain standard error and that clustered by inner seed."""
    return larger_error(differences, Seeds(seeds.inner, seeds.outer))


def either_seed(differences: np.ndarray, seeds: Seeds) -> TTest:
    """Divide by the largest of the plain error and those clustered by outer and by inner seed.

    With one inner seed the protocol deals one sequence of classes, whatever the outer seed: 25
    repeats have five. Degrees of freedom are (n − 1) plain² / largest²: those of n repeats where
    seeds do not matter, those of the seeds, four of five, where all variation lies between them.
    """
    plain = plain_error(differences)
    largest = np.fmax.reduce([plain, *(cluster_error(differences, of) for of in seeds)])
    n = (~np.isnan(differences)).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(largest > plain, (plain / largest) ** 2, 1)
    return _from_error(differences, largest, (n - 1) * share)


def _wide(name: str, title: str, share: float) -> Test:
    """Return a test about a population: its repeats vary together, as they share a dataset.

    With J repeats the square of the standard error of their mean is (1/J + n_valid/n_train) s², not
    s²/J: overlapping training sets make the mean vary more (Nadeau and Bengio 2003). `share` stands
    in the place of n_valid/n_train, a ninth; with a twentieth, 25 repeats are 1.5 times as unsure.
    """
    def wider(n: int | np.ndarray) -> float | np.ndarray:
        return np.sqrt(1 + n * share)

    def test(differences: np.ndarray, seeds: Seeds) -> TTest:
        n = (~np.isnan(differences)).sum(axis=1)
        return _from_error(differences, wider(n) * plain_error(differences))

    return Test(name, title, test, wider)


TESTS = {t.name: t for t in (
    # All repeats as independent: Section 4 of the paper.
    Test("paired", "paired t", lambda differences, seeds: t_test(differences)),
    Test("larger_error", "larger of plain and cluster standard error", larger_error),
    Test("larger_error_inner", "larger of plain and cluster standard error by inner seed",
         larger_error_inner),
    Test("either_seed", "largest of plain and cluster standard errors by either seed",
         either_seed),
    _wide("shared", "a twentieth shared", SHARED),
    _wide("nadeau_bengio", "Nadeau and Bengio", VALID_PER_TRAIN),
)}


def cluster_error(differences: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the standard error of each row's mean where repeats of a seed are dependent.

    The square root of G/(G − 1) · Σ (sum of a seed's residuals)² / n², over the G seeds that
    `labels` tell apart; NaN for a single one.
    """
    there = ~np.isnan(differences)
    n = there.sum(axis=1)
    sums = np.where(there, differences - known_means(differences)[:, None], 0) @ _membership(labels)
    seeds = (there @ _membership(labels) > 0).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt(seeds / (seeds - 1) * (sums**2).sum(axis=1)) / n
    return np.where(seeds > 1, error, np.nan)


def _membership(labels: np.ndarray) -> np.ndarray:
    return (labels[:, None] == np.unique(labels)).astype(float)


def known_means(values: np.ndarray) -> np.ndarray:
    """Return means over the repeats, the second axis, that have a value; NaN where none has."""
    there = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(there, values, 0).sum(axis=1) / there.sum(axis=1)


def plain_error(differences: np.ndarray) -> np.ndarray:
    """Return the standard error of each row's mean where repeats are independent."""
    there = ~np.isnan(differences)
    n = there.sum(axis=1)
    squares = np.where(there, differences - known_means(differences)[:, None], 0) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.sqrt(squares.sum(axis=1) / (n - 1) / n)


def _from_error(differences: np.ndarray, error: np.ndarray,
                freedom: np.ndarray | None = None) -> TTest:
    """Test means against their standard errors, by default with n − 1 degrees of freedom."""
    n, mean = (~np.isnan(differences)).sum(axis=1), known_means(differences)
    freedom = n - 1 if freedom is None else freedom
    with np.errstate(invalid="ignore", divide="ignore"):
        t = mean / error
    return TTest(np.where(freedom > 0, stdtr(np.where(freedom > 0, freedom, 1), -t), np.nan),
                 mean, n)


JUDGE = "either_seed"  # the test of the procedure that is recommended


@dataclass(frozen=True)
class Procedure:
    """Choices that turn repeats into verdicts.

    Attributes
    ----------
    name, title : str
        Key in `PROCEDURES`; in words.
    test : str
        Which test over the repeats, a name in `analysis.shapes.significance.TESTS`.
    correction : {"bonferroni", "holm", "holm_published", "max_t"}
        For the many pairs and triples compared. "bonferroni" tests the largest violation alone and
        multiplies its p by their number (Section 4). "holm" tests all and steps down. The published
        Holm (Appendix I) lacks the running maximum over adjusted p-values, takes identical
        differences for no difference, and reports the violation with the smallest p, which is not
        the largest violation. "max_t" tests all and steps down against the maxima that sign flips
        of the repeats make (`analysis.shapes.max_t`).
    interpolate_lcdb10 : bool
        Whether curves on LCDB 1.0's anchors first go through `published_lcdb10_cube`, which drops
        anchors, interpolates the rest onto LCDB 1.1's grid, and moves them. Otherwise anchors count
        as recorded.
    beyond_rounding : bool
        Whether a violation must exceed what floating-point rounding can cause.
    undefined_counts : bool
        Whether an undefined p-value (differences all exactly 0) lets a violation stand.
    alpha : float
        Significance level of the verdicts.
    """

    name: str
    title: str
    correction: Literal["bonferroni", "holm", "holm_published", "max_t"]
    interpolate_lcdb10: bool
    beyond_rounding: bool
    undefined_counts: bool
    test: str = "paired"
    alpha: float = ALPHA


def _trusting(name: str, title: str, **choices: str) -> Procedure:
    """Return a procedure that does as "corrected_independent" but for the choices named."""
    return Procedure(name, title, **({"correction": "bonferroni"} | choices),
                     interpolate_lcdb10=False, beyond_rounding=True, undefined_counts=False)


PROCEDURES = {p.name: p for p in (
    Procedure("published", "as published", "bonferroni", True, False, True),
    _trusting("corrected", "corrected", test=JUDGE),
    _trusting("corrected_independent", "corrected, repeats as independent"),
    Procedure("holm_published", "Holm as published", "holm_published", True, False, True),
    _trusting("holm", "Holm", correction="holm"),
    *(_trusting(test.name, test.title, test=test.name)
      for test in TESTS.values() if test.name not in ("paired", JUDGE)),
    _trusting("max_t", "max-statistic, repeats flipped", correction="max_t"),
    _trusting("max_t_wide", "max-statistic, a twentieth shared", correction="max_t",
              test="shared"),
    _trusting("max_t_population", "max-statistic, Nadeau and Bengio", correction="max_t",
              test="nadeau_bengio"),
)}


#: How each correction goes about many comparisons, in words.
CORRECTIONS = {
    "bonferroni": "tests the largest violation, p times the number of pairs or triples",
    "holm": "tests all pairs and triples, and steps down (Holm)",
    "holm_published": "tests all; Holm without the running maximum",
    "max_t": "tests all against the maxima that sign flips make",
}


def in_words(procedure: Procedure) -> str:
    """Return what a procedure does, in a sentence without its end."""
    parts = [f"{TESTS[procedure.test].title}; {CORRECTIONS[procedure.correction]}"]
    parts += ["LCDB 1.0 interpolated as published"] if procedure.interpolate_lcdb10 else []
    parts += [] if procedure.beyond_rounding else ["rounding counts"]
    return "; ".join(parts)


def check_alpha(alpha: object) -> None:
    """Raise `ValueError` where `alpha` is no number between 0 and 1."""
    if not isinstance(alpha, Real) or not 0 < alpha < 1:
        raise ValueError(f"alpha: a significance level lies between 0 and 1, and {alpha!r} does "
                         "not.")


def find_procedure(procedure: str | Procedure, alpha: float | None = None) -> Procedure:
    """Return the procedure of that name, or the one given, at a level if one is given.

    Raises
    ------
    UnknownNameError
        If there is no such procedure; names close ones.
    ValueError
        If `alpha` does not lie between 0 and 1.
    """
    if not isinstance(procedure, Procedure):
        check_known("procedure", [procedure], PROCEDURES)
        procedure = PROCEDURES[procedure]
    if alpha is None:
        return procedure
    check_alpha(alpha)
    return replace(procedure, alpha=alpha)
