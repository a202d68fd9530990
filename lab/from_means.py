"""What LCDB 1.1's published means tell of numbers that need every repeat: estimates, calibrated.

Makes the kept ``ledger_from_means`` and ``ledger_means_calibration`` in some minutes, for *Which of
the papers' numbers come out?*

The paper tests the largest violation of a curve by a paired t-test over its repeats. Means and
standard errors tell where that violation is and how large, but not how repeats go together: the
test is unpaired here, too strict where they go up and down together. How often the paper's test
stands, given the unpaired one, is counted where both are at hand: LCDB 1.0 and the datasets
gathered anew, under each scaling. Means and errors are rounded there as they were published.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats

from analysis.databases.load import least_leakage, load_curves
from analysis.fitting import fit_curves
from analysis.ledger import numbers
from analysis.ledger.build import ESTIMATES, covered, load_published, rows_of
from analysis.ledger.checks import CHECKS, OFFICIAL, SUMMARY, Check
from analysis.published.printed import CC18, FULL
from analysis.shapes import detect_shapes
from analysis.shapes.significance import ALPHA, PROCEDURES, Procedure
from analysis.shapes.verdicts import n_pairs, n_triples
from analysis.statistics.bootstrap import LEVELS, ratio_of_sums_interval, resample_datasets
from analysis.statistics.summary import REPEATS, standard_error
from collection.containers.learner_names import CLASSIC
from lab.means import published_means
from lab.resolution import values_at

N_REPEATS = 25
DECIMALS = 4  # of what was published
RESAMPLES = 1000
JUDGED = ("non_monotone", "non_convex", "ill_behaved", "peaking", "dipping")
#: Classes of curves: −log10 of the unpaired test's corrected p-value, up to these; before them
#: constant curves and those without the violation, behind them those that are missing.
EDGES = (-3, -2, -1, -0.5, 0, 0.5, 1, -np.log10(ALPHA), 2, 3, 5)
CONSTANT, NONE, CLASSES = 0, 1, len(EDGES) + 3
MISSING = CLASSES
HOLM, HOLM_JUDGED = "holm_published", JUDGED[:3]
REASON = "the paper's test is paired; means cannot tell how repeats go together"


def as_measured(procedure: str) -> Procedure:
    """Return a procedure that judges LCDB 1.0 on the sizes at which its curves were measured."""
    return replace(PROCEDURES[procedure], interpolate_lcdb10=False)


def judge_means(mean: xr.DataArray, stderr: xr.DataArray) -> xr.Dataset:
    """Test the largest violations of curves of which there are means and standard errors alone.

    Parameters
    ----------
    mean, stderr : xarray.DataArray, dims (..., anchor)
        Of the validation error; NaN where there is none.

    Returns
    -------
    xarray.Dataset
        Over the other dims: the evidence for each of `JUDGED`, −log10 of the unpaired one-sided
        t-test's p-value times the number of comparisons (−inf where there is no such violation);
        ``violation_mono, violation_conv``; ``constant``, ``missing``.
    """
    found = detect_shapes(mean.expand_dims(outer=[0]), as_measured("published"))
    found["dip_j"] = mean["anchor"].where(mean.notnull()).max("anchor")
    places = ("mono_i", "mono_j", "conv_h", "conv_i", "conv_j", "dip_i", "dip_j")
    squared = {k: values_at(stderr, found[k]) ** 2 for k in places}
    of_h = (found["conv_j"] - found["conv_i"]) / (found["conv_j"] - found["conv_h"])
    n = found["n_anchors"]
    above = [(values_at(mean, found["conv_i"]) - values_at(mean, found[k])).fillna(0)
             for k in ("conv_h", "conv_j")]
    evidence = {
        "non_monotone": _evidence(found["violation_mono"], n_pairs(n), squared["mono_i"],
                                  squared["mono_j"]),
        "non_convex": _evidence(found["violation_conv"], n_triples(n), squared["conv_i"],
                                of_h**2 * squared["conv_h"], (1 - of_h) ** 2 * squared["conv_j"]),
        "dipping": _evidence(found["violation_dip"], n - 1, squared["dip_i"], squared["dip_j"])}
    peaks = [_evidence(gap, n_triples(n), squared["conv_i"], squared[k])
             for gap, k in zip(above, ("conv_h", "conv_j"), strict=True)]
    evidence |= {
        "ill_behaved": np.maximum(evidence["non_monotone"], evidence["non_convex"]),
        "peaking": np.minimum(evidence["non_convex"], np.minimum(*peaks)),
        "constant": mean.max("anchor") == mean.min("anchor")}
    kept = found[["violation_mono", "violation_conv", "missing"]].assign(evidence)
    return kept.reset_coords(drop=True).transpose(*(d for d in mean.dims if d != "anchor"))


def _evidence(size: xr.DataArray, comparisons: xr.DataArray,
              *variances: xr.DataArray) -> xr.DataArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        p = xr.apply_ufunc(stats.t.sf, size / np.sqrt(sum(variances)), N_REPEATS - 1) * comparisons
        return (-np.log10(p)).where(size > 0, -np.inf)


def classes_of(judged: xr.Dataset, verdict: str) -> np.ndarray:
    """Return the class of each curve, by its evidence for a verdict: see `EDGES`."""
    evidence = judged[verdict].values
    classes = np.where(np.isneginf(evidence), NONE, np.digitize(evidence, EDGES) + 2)
    classes = np.where(judged["constant"].values, CONSTANT, classes)
    return np.where(judged["missing"].values, MISSING, classes)


@dataclass(frozen=True)
class Source:
    """Curves of which both repeats and means are at hand.

    Attributes
    ----------
    name : str
        Of the database, and the scaling where there are several.
    valid : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        Validation errors.
    mean : xarray.DataArray
        Their means, rounded as published.
    judged : xarray.Dataset
        From `judge_means`.
    """

    name: str
    valid: xr.DataArray
    mean: xr.DataArray
    judged: xr.Dataset

    def verdicts(self, procedure: str) -> xr.Dataset:
        """Return what the repeats say, on the sizes at which curves were measured."""
        return detect_shapes(self.valid, as_measured(procedure))


@cache
def sources() -> tuple[Source, ...]:
    """Open what is calibrated on: LCDB 1.0, and the datasets gathered anew under each scaling."""
    found = []
    for name in ("lcdb10", "lcdb11-anew"):
        curves = load_curves(name, "paper")
        valid = curves["error_rate"].sel(split="valid", leakage=least_leakage(curves), drop=True)
        for scaling in valid["scaling"].values:
            of = valid.sel(scaling=scaling, drop=True).compute()
            mean, stderr = of.mean(REPEATS).round(DECIMALS), standard_error(of).round(DECIMALS)
            label = name if valid.sizes["scaling"] == 1 else f"{name}, {scaling}"
            found.append(Source(label, of, mean, judge_means(mean, stderr)))
    return tuple(found)


@cache
def _told(source: int, procedure: str) -> xr.Dataset:
    return sources()[source].verdicts(procedure)


def _counts(source: int, procedure: str, verdict: str) -> tuple[np.ndarray, np.ndarray]:
    """Return curves, and those with the verdict, by dataset and class."""
    classes = classes_of(sources()[source].judged, verdict)
    dims = sources()[source].judged[verdict].dims
    stands = _told(source, procedure)[verdict].transpose(*dims).values
    in_class = classes[..., None] == np.arange(CLASSES)
    return in_class.sum(axis=1), (in_class & stands[..., None]).sum(axis=1)


@cache
def chances(procedure: str, verdict: str, left_out: int = -1) -> np.ndarray:
    """Return the chance of a verdict by the repeats, given the class of a curve by its means.

    Parameters
    ----------
    procedure : {"published", "holm_published"}
    verdict : str
        Of `JUDGED`.
    left_out : int
        Place of a source of `sources` that is not used.

    Returns
    -------
    ndarray, shape (1 + about `RESAMPLES`, CLASSES + 1)
        First by all sources; then resamples, each of the families of datasets of one source, drawn
        towards the first by one curve: so their spread holds what differs between sources. The last
        column, of missing curves, is 0.
    """
    used = [k for k in range(len(sources())) if k != left_out]
    counted = {k: _counts(k, procedure, verdict) for k in used}
    of, yes = (sum(c[n].sum(axis=0) for c in counted.values()) for n in (0, 1))
    overall = (yes + 0.5) / (of + 1)
    parts = [overall[None]]
    for k in used:
        times = resample_datasets(sources()[k].judged["dataset"].values, seed=k,
                                  n_resamples=RESAMPLES // len(used))
        of, yes = (times @ c for c in counted[k])
        parts.append((yes + overall) / (of + 1))
    drawn = np.concatenate(parts)
    return np.hstack([drawn, np.zeros((len(drawn), 1))])


def draw_shares(classes: np.ndarray, chance: np.ndarray, count: Callable[[np.ndarray], np.ndarray],
                seed: int = 0) -> np.ndarray:
    """Return a share as the means have it, and a 95 % range of what repeats would say.

    Parameters
    ----------
    classes : ndarray of int
        From `classes_of`.
    chance : ndarray
        From `chances`.
    count : callable
        From chances or verdicts, shaped (n, *classes.shape), to shares (n, ...).
    seed : int
        Of the draws of verdicts.

    Returns
    -------
    ndarray, shape (3, ...)
        The expected share, the range's low and high end.
    """
    generator = np.random.default_rng(seed)
    drawn = np.stack([count((generator.random(classes.shape) < of[classes])[None])[0]
                      for of in chance[1:]])
    expected = count(chance[:1][:, classes])[0]
    low, high = np.percentile(drawn, LEVELS, axis=0)
    return np.stack([expected, np.minimum(low, expected), np.maximum(high, expected)])


def per_learner(verdicts: np.ndarray) -> np.ndarray:
    """Return percent of the datasets, of draws of verdicts over dataset and learner."""
    return 100 * verdicts.mean(axis=1)


def estimated_shares() -> pd.DataFrame:
    """Estimate the shares of shapes that Tables 3, 4, 6 to 9 print without scaling, percent.

    Returns
    -------
    pandas.DataFrame
        ``database, scaling, learner, property, computed, low, high, procedure``.
    """
    curves = published_means()
    curves = curves.drop_sel(learner=[x for x in curves["learner"].values if x in numbers.MIXED])
    judged = judge_means(curves["error_rate"], curves["error_rate_stderr"])
    counted = [x for x in judged["learner"].values if x not in numbers.NOT_COUNTED]
    tables = []
    for name, chosen in numbers.selections(judged):
        for verdict in JUDGED:
            tables.append(_estimates(chosen, verdict, "published", counted).assign(database=name))
        for verdict in HOLM_JUDGED:
            classic = [x for x in counted if x in CLASSIC]
            tables.append(_estimates(chosen.sel(learner=classic), verdict, HOLM, classic)
                          .query("learner == 'all'").assign(database=name))
    return pd.concat(tables, ignore_index=True).assign(scaling="none")


def _estimates(judged: xr.Dataset, verdict: str, procedure: str,
               counted: list[str]) -> pd.DataFrame:
    classes, chance = classes_of(judged, verdict), chances(procedure, verdict)
    learners = judged["learner"].values.tolist()
    kept = np.isin(learners, counted)
    each = draw_shares(classes, chance, per_learner)
    together = draw_shares(classes[:, kept], chance, lambda v: 100 * v.mean(axis=(1, 2)))
    table = pd.DataFrame(np.hstack([each, together[:, None]]).T,
                         columns=["computed", "low", "high"])
    return table.assign(learner=[*learners, "all"], property=verdict, procedure=procedure)


def numbers_of(mean: xr.DataArray, shapes: xr.Dataset, stored: xr.DataArray) -> pd.Series:
    """Return what the paper says of mean curves: crossings in sets of learners, fits by shape.

    Parameters
    ----------
    mean : xarray.DataArray, dims (dataset, learner, anchor)
    shapes : xarray.Dataset
        By repeats or by means.
    stored : xarray.DataArray
        The same with its repeats where these are at hand, for the rule of what is missing.
    """
    learners = [x for x in numbers.WITH_QDA if x in mean["learner"].values]
    crossed = numbers.crossing_by_set(stored)
    fits = numbers.fit_numbers(mean.sel(learner=learners), shapes.sel(learner=learners))
    return pd.Series({(label, numbers.CROSSING): 100 * share for label, share in crossed.items()}
                     | {("all", name): value for name, value in fits.items()})


def called(judged: xr.Dataset) -> xr.Dataset:
    """Return the verdicts of the unpaired test, beside the sizes of violations."""
    return judged.assign({name: judged[name] > -np.log10(ALPHA) for name in JUDGED})


#: On which scale a number differs by about as much in one source as in another, and back.
SCALES = {"welch_p": (np.log, np.exp), "mse_ratio": (np.log, np.exp),
          numbers.CROSSING: (np.log, np.exp), "spearman": (np.arctanh, np.tanh)}


def _scaled(numbers: pd.Series, back: int = 0) -> pd.Series:
    names = numbers.index.get_level_values(1)
    for start, scale in SCALES.items():
        chosen = names.str.startswith(start)
        numbers = numbers.where(~chosen, scale[back](numbers[chosen]))
    return numbers


def estimated_numbers() -> pd.DataFrame:
    """Estimate what the authors' notebooks print of crossings and fits on CC-18 without scaling.

    The number by means, moved by how much it differs from the one by repeats where both are at
    hand, on average over `sources`; the range is Student's for one more source.

    Returns
    -------
    pandas.DataFrame
        As of `estimated_shares`.
    """
    curves = dict(numbers.selections(published_means()))[CC18]
    judged = judge_means(curves["error_rate"], curves["error_rate_stderr"])
    ours = numbers_of(curves["error_rate"], called(judged), curves["error_rate"])
    off = []
    for k, source in enumerate(sources()):
        by_repeats = numbers_of(source.valid.mean(REPEATS), _told(k, "published"), source.valid)
        by_means = numbers_of(source.mean, called(source.judged), source.mean)
        off.append(_scaled(by_repeats) - _scaled(by_means))
    off = pd.DataFrame(off)[ours.index]
    n = off.notna().sum()
    wide = off.std() * np.sqrt(1 + 1 / n) * stats.t.ppf(LEVELS[1] / 100, n - 1)
    middle = _scaled(ours) + off.mean()
    ends = {"computed": middle, "low": middle - wide, "high": middle + wide}
    table = pd.DataFrame({name: _scaled(end, back=1) for name, end in ends.items()})
    table = table.rename_axis(["learner", "property"]).reset_index()
    crossed = table["property"] == numbers.CROSSING
    return table.assign(database=CC18, scaling="none", procedure=np.where(
        crossed, "published", "variable projection"))


def almost_twice(shares: pd.DataFrame) -> pd.DataFrame:
    """Return the estimated share of ill-behaved curves of LCDB 1.1 over LCDB 1.0's as published."""
    own = numbers.shapes_of_lcdb10(load_curves("lcdb10", "paper").sel(split=["valid"]), "published")
    before = own.set_index("property")["computed"]["ill_behaved"]
    row = shares[shares["database"] == FULL].query(
        "learner == 'all' and property == 'ill_behaved' and procedure == 'published'")
    ends = ["computed", "low", "high"]
    return row.assign(property=RATIO, **{end: row[end] / before for end in ends})


RATIO = "ill_behaved_ratio"
TWICE = Check((OFFICIAL,), "published", {"property": (RATIO,)}, lambda curves: None)


def ledger_rows() -> pd.DataFrame:
    """Return rows of the ledger: numbers that need the repeats, estimated from means.

    Raises
    ------
    NotAtHandError
        Where the means are not at hand.
    """
    shares = estimated_shares()
    holm_ill = shares[(shares["procedure"] == HOLM) & (shares["property"] == "ill_behaved")]
    all_of = pd.concat([shares, holm_ill.assign(property="ill_behaved_holm"), almost_twice(shares),
                        estimated_numbers()], ignore_index=True)
    published, rows = load_published(), []
    for check in (*CHECKS, TWICE):
        if check.databases == (OFFICIAL,):
            as_told = replace(check, reason=REASON, procedure=f"{check.procedure}, means")
            rows.append(rows_of(covered(published, check), as_told, SUMMARY,
                                all_of[all_of["procedure"] == check.procedure]))
    found = pd.concat([found for found in rows if len(found)], ignore_index=True)
    printed = pd.to_numeric(found["computed"])  # a range holds its number rounded as printed
    return found.assign(low=np.fmin(found["low"], printed), high=np.fmax(found["high"], printed))


def calibration() -> pd.DataFrame:
    """Return how verdicts by means differ from those by repeats, where both are at hand.

    Returns
    -------
    pandas.DataFrame
        A row per source and verdict: ``curves`` (not missing), percent of them ``by_repeats``,
        ``by_means`` (the unpaired test), ``difference`` (means less repeats; ``low, high``, 95 %
        over families of datasets), and of the learners' shares (``cells``) how many lie in their
        ranges, calibrated on the other sources (``covered``).
    """
    return pd.DataFrame([_calibrated(k, verdict) for k in range(len(sources()))
                         for verdict in JUDGED])


def _calibrated(k: int, verdict: str) -> dict[str, object]:
    source = sources()[k]
    classes, there = classes_of(source.judged, verdict), ~source.judged["missing"].values
    stands = _told(k, "published")[verdict].transpose("dataset", "learner").values & there
    by_means = called(source.judged)[verdict].values & there
    low, high = ratio_of_sums_interval((by_means * 1.0 - stands).sum(1), there.sum(1),
                                       source.judged["dataset"].values)
    chance = chances("published", verdict, left_out=k)
    each = draw_shares(classes, chance, lambda v: v.sum(axis=1))[1:]
    own = stands.sum(axis=0)
    percent = {"by_repeats": stands, "by_means": by_means}
    cells = there.any(axis=0)
    return {"verdict": verdict, "source": source.name, "curves": int(there.sum()),
            **{name: 100 * found.sum() / there.sum() for name, found in percent.items()},
            "difference": 100 * (by_means * 1.0 - stands).sum() / there.sum(),
            "low": 100 * float(low), "high": 100 * float(high), "cells": int(cells.sum()),
            "covered": int(((each[0] <= own) & (own <= each[1]))[cells].sum())}


def violations() -> pd.DataFrame:
    """Return the curves of CC-18 without scaling: what Figures 5, 15 and 16 are drawn of.

    Returns
    -------
    pandas.DataFrame
        A row per curve that is not missing: ``dataset, learner``, the largest violations
        ``violation_mono, violation_conv`` (error rate), the chance that the paper's test finds it
        ``non_monotone, non_convex``, the ``mse`` of its fit (POW4).
    """
    curves = dict(numbers.selections(published_means()))[CC18]
    judged = judge_means(curves["error_rate"], curves["error_rate_stderr"])
    chance = {name: (judged[name].dims, chances("published", name)[0][classes_of(judged, name)])
              for name in ("non_monotone", "non_convex")}
    mse = fit_curves(curves["error_rate"], [numbers.MODEL])["mse"].sel(model=numbers.MODEL)
    table = judged[["missing", "violation_mono", "violation_conv"]].assign(
        {**chance, "mse": mse}).to_dataframe().reset_index()
    return table[~table["missing"]][["dataset", "learner", "violation_mono", "violation_conv",
                                     *chance, "mse"]]


#: What is kept for those who lack the means.
KEPT = {ESTIMATES: ledger_rows, "ledger_means_calibration": calibration,
        "ledger_violations": violations}
