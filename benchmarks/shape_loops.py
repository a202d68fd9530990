"""Definitions 1 to 4, Section 4 and Appendices H and I as plain loops over one curve.

What the fast code is measured against, in the benchmark for time and in the tests for results.
Each takes `repeats`, shape (n_repeats, n_anchors), and `anchors`; NaN where there is no value.
"""

import warnings

import numpy as np
from scipy import stats


def kept(repeats, anchors):
    """Drop the anchors without any value; return repeats, means, anchors."""
    there = ~np.isnan(repeats).all(axis=0)
    repeats = repeats[:, there]
    return repeats, np.nanmean(repeats, axis=0), np.asarray(anchors)[there]


def largest_increase(means, final=False):
    """Return size, i, j of the largest increase, to the last anchor if `final`."""
    largest, where = 0.0, None
    for i in range(len(means) - 1):
        for j in [len(means) - 1] if final else range(i + 1, len(means)):
            difference = means[j] - means[i]
            if difference > largest:
                largest, where = difference, (i, j)
    return largest, where


def line(values, anchors, h, i, j):
    """Interpolate `values` at anchor i between anchors h and j."""
    of_j = (anchors[i] - anchors[h]) / (anchors[j] - anchors[h])
    of_h = (anchors[j] - anchors[i]) / (anchors[j] - anchors[h])
    return values[h] * of_h + values[j] * of_j


def largest_bulge(means, anchors):
    """Return size and (h, i, j) of the largest convexity violation."""
    largest, where = 0.0, None
    for h in range(len(means) - 2):
        for i in range(h + 1, len(means) - 1):
            for j in range(i + 1, len(means)):
                violation = means[i] - line(means, anchors, h, i, j)
                if violation > largest:
                    largest, where = violation, (h, i, j)
    return largest, where


def one_sided_p(differences):
    """Return p of the mean being above 0, or None with fewer than two differences."""
    differences = differences[~np.isnan(differences)]
    if len(differences) < 2:
        return None
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # identical differences lose precision
        return stats.ttest_1samp(differences, 0, alternative="greater").pvalue


def corrected(p, comparisons):
    """Correct p by Bonferroni; NaN where nothing was tested."""
    return np.nan if p is None else min(1.0, p * comparisons)


def p_of_increase(repeats, anchors, final=False):
    """Return the corrected p of Definition 1, or of Definition 4 if `final`."""
    repeats, means, _ = kept(repeats, anchors)
    _, where = largest_increase(means, final)
    if where is None:
        return np.nan
    i, j = where
    comparisons = (len(means) - 1) * (1 if final else len(means) / 2)
    return corrected(one_sided_p(repeats[:, j] - repeats[:, i]), comparisons)


def peak_differences(repeats, anchors, where):
    """Return what Definition 3 tests at a triple: above the line, above h, above j."""
    h, i, j = where
    repeats = repeats[~np.isnan(repeats[:, [h, i, j]]).any(axis=1)]
    return (repeats[:, i] - line(repeats.T, anchors, h, i, j), repeats[:, i] - repeats[:, h],
            repeats[:, i] - repeats[:, j])


def p_of_bulge(repeats, anchors, peak=False):
    """Return the corrected p of Definition 2, or if `peak` the largest of Definition 3's three."""
    repeats, means, anchors = kept(repeats, anchors)
    _, where = largest_bulge(means, anchors)
    if where is None:
        return np.nan
    n = len(means)
    tests = peak_differences(repeats, anchors, where)[: 3 if peak else 1]
    return max(corrected(one_sided_p(d), n * (n - 1) * (n - 2) / 6) for d in tests)


P_VALUES = {
    "p_mono": p_of_increase,
    "p_dip": lambda repeats, anchors: p_of_increase(repeats, anchors, final=True),
    "p_conv": p_of_bulge,
    "p_peak": lambda repeats, anchors: p_of_bulge(repeats, anchors, peak=True),
}


def counts(p, comparisons):
    """Judge as published: whatever is not ≥ 0.05 counts, NaN included."""
    return p is not None and not p * comparisons >= 0.05


def is_non_monotone(repeats, anchors):
    """Judge by Definition 1."""
    repeats, means, _ = kept(repeats, anchors)
    _, where = largest_increase(means)
    if where is None:
        return False
    i, j = where
    return counts(one_sided_p(repeats[:, j] - repeats[:, i]), len(means) * (len(means) - 1) / 2)


def is_dipping(repeats, anchors):
    """Judge by Definition 4."""
    repeats, means, _ = kept(repeats, anchors)
    _, where = largest_increase(means, final=True)
    if where is None:
        return False
    i, j = where
    return counts(one_sided_p(repeats[:, j] - repeats[:, i]), len(means) - 1)


def is_non_convex(repeats, anchors):
    """Judge by Definition 2."""
    repeats, means, anchors = kept(repeats, anchors)
    _, where = largest_bulge(means, anchors)
    if where is None:
        return False
    n = len(means)
    violation = repeats[:, where[1]] - line(repeats.T, anchors, *where)
    return counts(one_sided_p(violation), n * (n - 1) * (n - 2) / 6)


def is_peaking(repeats, anchors):
    """Judge by Definition 3 at the largest convexity violation."""
    repeats, means, anchors = kept(repeats, anchors)
    _, where = largest_bulge(means, anchors)
    if where is None:
        return False
    n = len(means)
    return all(counts(one_sided_p(d), n * (n - 1) * (n - 2) / 6)
               for d in peak_differences(repeats, anchors, where))


VERDICTS = {
    "non_monotone": is_non_monotone,
    "non_convex": is_non_convex,
    "peaking": is_peaking,
    "dipping": is_dipping,
}


def pair_p_values(repeats, anchors, least=0.0, identical=0.0):
    """Return p of every pair's increase; see `p_or_one`."""
    repeats, means, anchors = kept(repeats, anchors)
    return [p_or_one(repeats[:, j], repeats[:, i], least, identical)
            for i in range(len(means) - 1) for j in range(i + 1, len(means))]


def triple_p_values(repeats, anchors, least=0.0, identical=0.0):
    """Return p of every triple's convexity violation; see `p_or_one`."""
    repeats, means, anchors = kept(repeats, anchors)
    n = len(means)
    return [p_or_one(repeats[:, i], line(repeats.T, anchors, h, i, j), least, identical)
            for h in range(n - 2) for i in range(h + 1, n - 1) for j in range(i + 1, n)]


def p_or_one(upper, lower, least, identical):
    """Return p of `upper` being above `lower`.

    1 where its mean is not by more than `least`, or there are no two repeats; `identical` where the
    differences do not vary at all: 0 by the t-test, 1 in the published code.
    """
    both = ~np.isnan(upper) & ~np.isnan(lower)
    upper, lower = upper[both], lower[both]
    if len(upper) < 2 or np.mean(upper) - np.mean(lower) <= least:
        return 1.0
    if np.std(upper - lower, ddof=1) == 0:
        return identical
    return one_sided_p(upper - lower)


def holm_rejections(p_values):
    """Return how many hypotheses Holm's procedure rejects."""
    m = len(p_values)
    for rank, p in enumerate(sorted(p_values), start=1):
        if p * (m - rank + 1) > 0.05:
            return rank - 1
    return m


def published_holm_rejections(p_values):
    """Return how many the published code rejects: without the running maximum."""
    m = len(p_values)
    return sum(p * (m - rank + 1) <= 0.05 for rank, p in enumerate(sorted(p_values), start=1))


def local_segments(repeats, anchors):
    """Return 1 (improvement), -1 (worsening) or 0 for each pair of neighbouring anchors."""
    repeats, means, _ = kept(repeats, anchors)
    segments = []
    for i in range(len(means) - 1):
        improvement = one_sided_p(repeats[:, i] - repeats[:, i + 1])
        worsening = one_sided_p(repeats[:, i + 1] - repeats[:, i])
        if improvement is not None and improvement * (len(means) - 1) < 0.05:
            segments.append(1)
        elif worsening is not None and worsening * (len(means) - 1) < 0.05:
            segments.append(-1)
        else:
            segments.append(0)
    return segments
