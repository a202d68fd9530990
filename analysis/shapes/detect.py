"""`detect_shapes`: what shape each curve of a database has.

Verdicts from all pairs and all triples are by Holm's step-down procedure (Appendix I). And what
the published analysis made of LCDB 1.0's curves before it judged them.
"""

import numpy as np
import xarray as xr
from scipy.special import stdtr

from analysis.shapes import verdicts
from analysis.shapes.curves import Curves, CurveStack, check_curves
from analysis.shapes.max_t import judge_by_flips
from analysis.shapes.significance import Procedure, find_procedure, known_means, plain_error
from analysis.shapes.verdicts import VERDICTS, Finding, judge_largest, tolerance_of
from collection.protocol.anchors import anchor_grid, lcdb10_grid
from collection.reading.directions import as_errors

CHUNK = 2**14  # comparisons done at once


def compare(repeats: np.ndarray, places: verdicts.Places, least: float) -> tuple[np.ndarray, ...]:
    """Compare one curve's anchors at all `places`; return what goes the wrong way.

    Parameters
    ----------
    repeats : ndarray, shape (n_anchors, n_repeats)
        Values of one curve, NaN where a repeat has none; each comparison takes those it has.
    places : Places
        What to compare.
    least : float
        Mean differences up to this are left out.

    Returns
    -------
    at : ndarray of int
        Positions in `Places`, ascending.
    mean : ndarray
        Mean difference over the repeats that have every anchor involved; above 0 is a violation.
    t : ndarray
        Its t statistic; infinite where the differences do not vary.
    n : ndarray of int
        Number of those repeats, at least 2.
    """
    parts = []
    for k in range(0, len(places.above), CHUNK):
        chunk = verdicts.Places(*(field[k : k + CHUNK] for field in places))
        at, *rest = _compare_chunk(repeats, chunk, least)
        parts.append((at + k, *rest))
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))


def _compare_chunk(repeats: np.ndarray, places: verdicts.Places, least: float
                   ) -> tuple[np.ndarray, ...]:
    value = repeats[places.above]
    line = (repeats[places.left] * places.of_left[:, None]
            + repeats[places.right] * places.of_right[:, None])
    difference = value - line
    there = ~np.isnan(difference)
    n = there.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        # Of the two means and not of the differences: with rounding alone the sign may not agree.
        mean = (np.where(there, value, 0).sum(axis=1) / n
                - np.where(there, line, 0).sum(axis=1) / n)
    at = np.flatnonzero((mean > least) & (n > 1))
    with np.errstate(invalid="ignore", divide="ignore"):
        t = known_means(difference[at]) / plain_error(difference[at])
    return at, mean[at], t, n[at]


def judge_holm(curves: Curves, procedure: Procedure) -> dict[str, verdicts.Finding]:
    """Test all pairs and triples of each curve; return the findings of `judge_largest`.

    Where a curve has no rejected pair or triple, its largest violation is reported.
    """
    largest = verdicts.largest_violations(curves, curves.rounding)
    findings = {kind: _judge_kind(curves, procedure, kind, violation)
                for kind, violation in largest.items()}
    return findings | {"peak": verdicts.judge_peak(curves, procedure, findings["conv"].violation)}


def _judge_kind(curves: Curves, procedure: Procedure, kind: str,
                largest: verdicts.Violation) -> verdicts.Finding:
    column = verdicts.Column(largest)
    for row in np.flatnonzero(curves.counts >= (3 if kind == "conv" else 2)):
        n, rounding = curves.counts[row], curves.rounding[row]
        places = verdicts.PLACES_OF[kind](curves.anchors[row, :n])
        at, mean, t, count = compare(curves.values[row, :, :n].T, places,
                                     rounding if procedure.beyond_rounding else -rounding)
        column.count[row], column.p[row], reported = reject(
            mean, t, count, len(places.above), rounding, procedure)
        if reported is not None:
            column.report(row, mean[reported], places, at[reported])
    return column.finding()


def reject(mean: np.ndarray, t: np.ndarray, n: np.ndarray, n_hypotheses: int, rounding: float,
           procedure: Procedure) -> tuple[int, float, int | None]:
    """Step down over all hypotheses; report the largest difference among those rejected.

    As in the published code, any p·(m − rank + 1) ≤ α rejects, whatever came before it: without the
    running maximum a hypothesis can be rejected though one with a smaller p is not. The first one
    rejected in the order of p is reported then, and identical differences count as p = 1, even if
    not 0.

    Parameters
    ----------
    mean, t, n : ndarray
        From `compare`; as published, with differences that may be rounding.
    n_hypotheses : int
        All that were tested, those that go the right way (p = 1) included.
    rounding : float
        Differences within this of the largest tie with it; the first is reported.
    procedure : Procedure
        Whose correction is "holm" or "holm_published", and whose level.

    Returns
    -------
    count, p, reported
        Hypotheses rejected; the smallest adjusted p-value, at most 1 (NaN where nothing goes the
        wrong way); which of the comparisons is reported, None where none is rejected.
    """
    published = procedure.correction == "holm_published"
    asked = (mean >= 0) & np.isfinite(t) if published else mean > -np.inf
    where = np.flatnonzero(asked)
    if not where.size:
        return (0, np.nan, None)
    p = stdtr(n[where] - 1.0, -t[where])
    order = np.argsort(p, kind="stable")
    adjusted = np.minimum(p[order] * (n_hypotheses - np.arange(len(order))), 1.0)
    if not published:
        adjusted = np.maximum.accumulate(adjusted)
    rejected = where[order[adjusted <= procedure.alpha]]
    if not rejected.size:
        return (0, adjusted.min(), None)
    size = np.full(len(mean), -np.inf)
    size[rejected] = mean[rejected]
    largest = int((size >= size.max() - rounding).argmax())
    return (len(rejected), adjusted.min(), int(rejected[0]) if published else largest)


LOOKED_UP = anchor_grid(per_doubling=2)  # rounded up; LCDB 1.0 itself rounded to the nearest


def on_lcdb10_anchors(anchors: np.ndarray) -> bool:
    """Tell whether training-set sizes are those of LCDB 1.0: all of its grid up to their largest.

    At least up to 45 rows, the first size at which its grid and LCDB 1.1's part.
    """
    grid = lcdb10_grid()
    expected = grid[grid <= anchors.max(initial=0)]
    return 45 in expected and bool(np.isin(expected, anchors).all())


def published_lcdb10_cube(valid: xr.DataArray) -> xr.DataArray:
    """Interpolate LCDB 1.0's curves onto LCDB 1.1's anchors as the published analysis did.

    Training sizes are looked up exactly in ⌈16·2^(k/2)⌉, so those that LCDB 1.0 rounded down (45,
    181, 362, …) and each dataset's last size are dropped. Each repeat is interpolated linearly onto
    those of LCDB 1.1's 137 anchors that lie between its first and last kept size, needing two of
    each. The values are then written from the first anchor on, *whatever the first size was*: a
    curve that starts at 64 rows is moved to 16.

    Parameters
    ----------
    valid : DataArray
        Dim ``anchor`` and any others; NaN where there is no value.

    Returns
    -------
    DataArray
        The same dims, ``anchor`` being the 137 of LCDB 1.1.
    """
    kept = valid.sel(anchor=np.isin(valid["anchor"].values, LOOKED_UP))
    return _interpolated(kept, from_first_anchor=True)


def dense_lcdb10_cube(valid: xr.DataArray) -> xr.DataArray:
    """Interpolate LCDB 1.0's curves onto LCDB 1.1's anchors, dropping and moving none.

    What the published preparation was meant to do: each repeat, with all its sizes, onto those of
    the 137 anchors that lie between its first and last size.

    Parameters and returned value are as in `published_lcdb10_cube`.
    """
    return _interpolated(valid, from_first_anchor=False)


def _interpolated(kept: xr.DataArray, from_first_anchor: bool) -> xr.DataArray:
    dims, kept = kept.dims, kept.transpose(..., "anchor")
    sizes, dense = kept["anchor"].values, anchor_grid()
    repeats = kept.values.reshape(-1, len(sizes))
    out = np.full((len(repeats), len(dense)), np.nan)
    for row, there in enumerate(~np.isnan(repeats)):
        x = sizes[there]
        within = np.flatnonzero((dense >= x[0]) & (dense <= x[-1])) if len(x) > 1 else x
        if len(within) > 1:
            to = np.arange(len(within)) if from_first_anchor else within
            out[row, to] = np.interp(dense[within], x, repeats[row, there])
    cube = xr.DataArray(out.reshape(*kept.shape[:-1], len(dense)), dims=kept.dims,
                        coords={**kept.drop_vars("anchor").coords, "anchor": dense},
                        name=kept.name, attrs=kept.attrs)
    return cube.transpose(*dims)


FLAT_SHARE = 0.05  # Section 5.1
VERDICT_OF = {"mono": "non_monotone", "conv": "non_convex", "dip": "dipping", "peak": "peaking"}
JUDGES = {"bonferroni": judge_largest, "holm": judge_holm, "holm_published": judge_holm,
          "max_t": judge_by_flips}
PLACES = {"mono": "ij", "conv": "hij", "dip": "i"}


def detect_shapes(valid: xr.DataArray, procedure: str | Procedure = "corrected",
                  alpha: float | None = None) -> xr.Dataset:
    """Judge the shape of every curve: Definitions 1 to 4 and Section 4 of the paper.

    Parameters
    ----------
    valid : DataArray
        A metric for which lower is better, such as the validation error rate; scores whose
        attribute ``lower_is_better`` is False are turned (`as_errors`). Dims: ``anchor``
        (with the training-set sizes as coordinate), ``outer`` and ``inner`` (or one of them), and
        any others. NaN where a repeat has no value.
    procedure : str or Procedure
        A name in `PROCEDURES`, or one of them with a choice replaced, to see what that choice
        does. "corrected" is the one to trust. "published" and "holm_published" do as the published
        code did. If the anchors are those of LCDB 1.0, that includes `published_lcdb10_cube`, and
        the anchors reported are then the moved ones.
    alpha : float, optional
        Significance level; by default the procedure's, 0.05. Sign flips give no p below 0.001.

    Returns
    -------
    Dataset
        Over the remaining dims, in their order:

        - ``missing``, ``flat``, ``non_monotone``, ``non_convex``, ``ill_behaved`` (non-monotone or
          non-convex), ``peaking``, ``dipping``: bool. A missing curve is nothing else; a flat one
          is judged like any other, as the paper's Table 4 counts it. Flat is relative to the
          learners present; without a dim ``learner``, only a constant curve is.
        - ``violation_mono``, ``violation_conv``, ``violation_dip``: sizes of the largest
          violations, in the metric's unit, significant or not (the verdict says which); 0 where
          there is none, NaN where missing. With Holm and the max-statistic, the largest among
          those rejected, if any;
          with the published Holm, the one with the smallest p.
        - ``mono_i``, ``mono_j``, ``conv_h``, ``conv_i``, ``conv_j``, ``dip_i``: the anchors of
          these violations, in rows; NaN where there is none. ``conv_i`` is the place of a peak.
        - ``p_mono``, ``p_conv``, ``p_dip``, ``p_peak``: p-values, corrected for the number of
          comparisons; NaN where nothing was tested or the test is undefined. With Holm and the
          max-statistic, the smallest adjusted one, which decides; with a procedure that corrects
          over curves, adjusted for these too.
        - ``rejected_mono``, ``rejected_conv``, ``rejected_dip``: with Holm and the max-statistic
          only, the number of pairs, triples, and pairs with the last anchor that are rejected (on
          each curve alone).
        - ``n_anchors``, ``n_repeats``: anchors with any value; repeats with any value.
        - ``undetermined``: bool, whether there is one repeat alone. Nothing can be tested then:
          its other verdicts are False for want of evidence, not for its absence.

    Raises
    ------
    UnknownNameError
        If there is no such procedure.
    ValueError
        If there is no curve, a dim is lacking, anchors do not increase, a value is infinite, or
        `alpha` is no level.
    TypeError
        If `valid` is no DataArray of numbers.

    Examples
    --------
    >>> import analysis
    >>> curve = analysis.get_curve(analysis.load_curves("mini"), "vehicle", "KNN")
    >>> shapes = analysis.detect_shapes(curve.sel(split="valid"))
    >>> bool(shapes["missing"]), round(float(shapes["violation_dip"]), 1)
    (False, 0.0)
    """
    chosen = find_procedure(procedure, alpha)
    check_curves(valid)
    valid = as_errors(valid)
    if chosen.interpolate_lcdb10 and on_lcdb10_anchors(valid["anchor"].values):
        valid = published_lcdb10_cube(valid)
    stack = CurveStack(valid)
    columns = [_judge_block(curves, chosen) for curves in stack.blocks()]
    if not columns:
        raise ValueError("There is no curve to judge: a dim has no label, as after a selection "
                         "that nothing fits.")
    flat_columns = {name: np.concatenate([c[name] for c in columns]) for name in columns[0]}
    shapes = stack.labelled(flat_columns)
    shapes.attrs.update(procedure=chosen.name, correction=chosen.correction)
    return _settle(shapes)


def _judge_block(curves: Curves, procedure: Procedure) -> dict[str, np.ndarray]:
    judge = JUDGES[procedure.correction]
    lowest, highest = (end.reduce(curves.means, axis=1) for end in (np.fmin, np.fmax))
    n_repeats = (~np.isnan(curves.values)).any(axis=2).sum(axis=1)
    columns = {"lowest": lowest, "highest": highest, "least": tolerance_of(curves, procedure),
               "n_anchors": curves.counts, "n_repeats": n_repeats, "undetermined": n_repeats == 1}
    for kind, finding in judge(curves, procedure).items():
        columns |= _columns(kind, finding, curves)
    return columns


def _columns(kind: str, finding: Finding, curves: Curves) -> dict[str, np.ndarray]:
    columns = {VERDICT_OF[kind]: finding.stands, f"p_{kind}": finding.p}
    if finding.rejected is not None:
        columns[f"rejected_{kind}"] = finding.rejected
    if kind in PLACES:
        size, at = finding.violation
        columns[f"violation_{kind}"] = np.where(curves.counts > 0, size, np.nan)
        for letter, k in zip(PLACES[kind], at.T, strict=False):
            columns[f"{kind}_{letter}"] = _anchor_at(curves, k)
    return columns


def _anchor_at(curves: Curves, k: np.ndarray) -> np.ndarray:
    anchor = np.take_along_axis(curves.anchors, np.maximum(k, 0)[:, None], axis=1)[:, 0]
    return np.where(k >= 0, anchor, np.nan)


def _settle(shapes: xr.Dataset) -> xr.Dataset:
    """Decide what is missing and flat, then put the verdicts first."""
    dims = shapes["lowest"].dims
    axis = dims.index("learner") if "learner" in dims else None
    shapes["missing"] = shapes["n_anchors"] == 0
    shapes["flat"] = (dims, is_flat(shapes["lowest"].values, shapes["highest"].values, axis,
                                    shapes["least"].values))
    shapes["ill_behaved"] = shapes["non_monotone"] | shapes["non_convex"]
    shapes = shapes.drop_vars(["lowest", "highest", "least"])
    return shapes[[*VERDICTS, *sorted(set(shapes.data_vars) - set(VERDICTS))]]


def is_flat(lowest: np.ndarray, highest: np.ndarray, learner_axis: int | None,
            least: np.ndarray | float) -> np.ndarray:
    """Tell which curves are flat (Section 5.1).

    Parameters
    ----------
    lowest, highest : ndarray
        Extremes of the mean curves; NaN where missing.
    learner_axis : int or None
        The axis of the learners among which the largest range is sought. Without one a curve is
        compared to its own range, and only a constant one is flat.
    least : ndarray or float
        A range within this is flat whatever the other learners do.

    Returns
    -------
    ndarray of bool
        False where missing.
    """
    own = highest - lowest
    among_all = own
    if learner_axis is not None and own.size:
        among_all = (np.fmax.reduce(highest, axis=learner_axis, keepdims=True)
                     - np.fmin.reduce(lowest, axis=learner_axis, keepdims=True))
    return (own <= among_all * FLAT_SHARE) | (own <= least)
