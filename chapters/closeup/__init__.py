"""Whether curves peak where there are as many rows as features (Section 5.3 and Appendix E.4)."""

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

import analysis
from analysis.databases.lcdb10 import meta_features_table
from analysis.databases.naming import learner_title
from analysis.databases.paper_curves import validation_errors
from analysis.drawing.chart import Chart
from analysis.statistics.shares import share_interval
from chapters.chapter import Chapter, Study
from chapters.facts import Facts
from collection.shipped.anew import FOLDER, NAME, suite_datasets
from lab.shapes.causes import peaks_against_features, ratio_interval

#: Anchors that a curve has to spare at either side of as many rows as features.
MARGINS = (0, 1, 2)
NEAR = 2  # a peak within this factor of the number of features is near it
DRAWN = ("LDA", "RidgeClassifier")


def compute() -> Study:
    """Look for peaks in the curves of LCDB 1.0.

    Returns
    -------
    Study
        Its tables: from `peaks_against_features` and `ratio_interval`; and `peaks_by_reach` of
        linear discriminants; ``peaks_anew``: theirs on tables of numbers gathered anew. ``near,
        chance`` (float): percent of their peaks within a factor of `NEAR` of the number of
        features, and the mean of that where features are dealt out among the same datasets at
        random.
    """
    errors = validation_errors("lcdb10").sel(scaling="none").load()
    features = meta_features_table()["NumberOfFeaturesAfterBinarization"]
    shapes = analysis.detect_shapes(errors)
    peaks = peaks_against_features(shapes, features)
    own = peaks[peaks["learner"] == "LDA"]
    rng = np.random.default_rng(0)
    dealt = [_near(own["peak"] / rng.permutation(own["features"])) for _ in range(1000)]
    numbers = pd.read_csv(FOLDER / "datasets.csv").set_index("dataset").loc[suite_datasets()]
    numbers = numbers.query("categorical == 0")
    again = validation_errors(NAME).sel(scaling="none", dataset=list(numbers.index)).load()
    again = peaks_against_features(analysis.detect_shapes(again), numbers["features"])
    tables = {"peaks": peaks, "peak_ratios": ratio_interval(peaks),
              "peaks_anew": again[again["learner"] == "LDA"],
              "lda_by_reach": peaks_by_reach(errors, shapes, features, "LDA")}
    return Study(tables, near=_near(own["ratio"]), chance=float(np.mean(dealt)))


def _near(ratio: pd.Series) -> float:
    return 100 * float((np.abs(np.log2(ratio)) <= np.log2(NEAR)).mean())


def peaks_by_reach(errors: xr.DataArray, shapes: xr.Dataset, features: pd.Series,
                   learner: str) -> pd.DataFrame:
    """Count a learner's peaks where a curve passes as many rows as features, and elsewhere.

    Parameters
    ----------
    errors : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        Error rates.
    shapes : xarray.Dataset, dims (dataset, learner)
        Of the same curves, from `analysis.detect_shapes`.
    features : pandas.Series
        Number of features (after one-hot encoding) by dataset; datasets without are left out.
    learner : str
        Whose peaks are counted.

    Returns
    -------
    pandas.DataFrame
        ``margin`` (of `MARGINS`), ``inside`` (bool: the number of features lies between the first
        and the last anchor, so many at either end left out), ``curves``, ``peaks``, ``percent``
        with its 95 % interval ``low`` to ``high`` over families of datasets; no row without
        curves.
    """
    there = errors.sel(learner=learner).notnull().any(["outer", "inner"])
    table = pd.DataFrame({"peaking": shapes["peaking"].sel(learner=learner).to_series()})
    table = table.join(features.rename("features"))[there.any("anchor").values].dropna()
    there = there.sel(dataset=table.index.values)
    below = (there & (there["anchor"] <= table["features"].to_xarray())).sum("anchor").values
    above = (there & (there["anchor"] >= table["features"].to_xarray())).sum("anchor").values
    rows = []
    for margin in MARGINS:
        inside = np.minimum(below, above) > margin
        for where in (True, False):
            peaks = 100 * table.loc[inside == where, "peaking"].astype(float)
            if len(peaks):
                rows.append((margin, where, len(peaks), int(peaks.sum() / 100), peaks.mean(),
                             *share_interval(peaks, peaks.index)))
    return pd.DataFrame(rows, columns=["margin", "inside", "curves", "peaks", "percent", "low",
                                       "high"])


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows = Facts()
    ratios = study.tables["peak_ratios"].set_index("learner")
    for key, name in (("lda", "LDA"), ("ridge", "RidgeClassifier")):
        rows.row(f"{key}_ratio", ratios.loc[name], "median", n="peaks", digits=2,
                 note="rows per feature at the peak, median")
        rows.add(f"{key}_peaks", int(ratios.loc[name, "peaks"]))
    reach = study.tables["lda_by_reach"].set_index(["inside", "margin"])
    for where, key in ((True, "inside"), (False, "outside")):
        rows.row(f"peaks_{key}", reach.loc[(where, 1)], "percent", n="curves", unit="%")
    for key, at in (("inside", (True, 1)), ("outside", (False, 1)), ("inside_edges", (True, 0)),
                    ("inside_well", (True, 2))):
        rows.add(f"peaks_{key}_of", "{peaks:.0f} of {curves:.0f}".format(**reach.loc[at]))
    again = study.tables["peaks_anew"]["ratio"]
    rows.add("anew_peaks", f"{len(again)} peaks, at {again.min():.2f} to {again.max():.2f}")
    rows.add("near", study.near, unit="%", n=int(ratios.loc["LDA", "peaks"]),
             note="peaks within a factor of two of the number of features")
    rows.add("near_chance", study.chance, unit="%", note="were features dealt out at random")
    return rows.table()


def draw_peaks(study: Study) -> Figure:
    """Draw the place of each peak against the dataset's number of features (Figure 14a)."""
    peaks = study.tables["peaks"]
    ends = peaks["features"].agg(["min", "max"])
    line = pd.DataFrame({"features": ends, "peak": ends, "learner": "as many rows as features"})
    rows = pd.concat([part.assign(panel=learner_title(name)) for name in DRAWN
                      for part in (line, peaks[peaks["learner"] == name])])
    return Chart("rows", "points", "features", "peak", "number of features",
                 "training-set size\nat the peak [rows]", by="learner", panel="panel", log="xy",
                 marks={"as many rows as features": "--"}, height=3.1,
                 title="Peaks of these two stand where there are as many rows as features").draw(
                     {"rows": rows})


chapter = Chapter("closeup", compute, facts,
                  charts={"peaks": draw_peaks},
                  shown={"peak_ratios": lambda study: study.tables["peak_ratios"].dropna()})
