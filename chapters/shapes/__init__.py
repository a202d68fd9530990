"""Which shapes a learning curve can have: real curves of each, and how they are judged."""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd
import xarray as xr

from analysis.databases.chosen import validation_errors
from analysis.drawing.curve import draw_convexity, draw_monotonicity
from analysis.shapes import PROCEDURES, detect_shapes
from analysis.shapes.significance import in_words
from chapters.chapter import Chapter
from chapters.facts import Facts
from chapters.shapes.gallery import draw_gallery, find_examples

PEAK = {"dataset": 40996, "learner": "RidgeClassifier"}  # Fashion-MNIST: 784 features
SEEN = 6000  # rows, to which the linear axis reaches


@dataclass(frozen=True)
class Study:
    """The curves, their verdicts, and those that are shown.

    Attributes
    ----------
    valid : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        Validation error rates of LCDB 1.0.
    shapes : xarray.Dataset, dims (dataset, learner)
        By the corrected procedure.
    gallery : pandas.DataFrame
        From `find_examples`.
    """

    valid: xr.DataArray
    shapes: xr.Dataset
    gallery: pd.DataFrame

    @property
    def peak(self) -> xr.DataArray:
        """The curve with which the definitions are explained."""
        return self.valid.sel(PEAK).dropna("anchor", how="all")


def compute() -> Study:
    """Judge the curves of LCDB 1.0, and choose those to show."""
    valid = validation_errors("lcdb10").sel(scaling="none", drop=True).load()
    shapes = detect_shapes(valid, procedure="corrected")
    return Study(valid, shapes, find_examples(valid, shapes, per_shape=3))


def tables(study: Study) -> Mapping[str, pd.DataFrame]:
    """Return the gallery's curves, and what each procedure does, in words."""
    procedures = pd.DataFrame([{"procedure": p.name, "what it does": in_words(p)}
                               for p in PROCEDURES.values()])
    return {"gallery": study.gallery, "procedures": procedures}


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows = Facts()
    rows.add("n_procedures", len(PROCEDURES))
    return rows.table()


chapter = Chapter(
    "shapes", compute, tables, facts,
    charts={"gallery": lambda study: draw_gallery(study.valid, study.gallery),
            "monotone": lambda study: draw_monotonicity(study.peak),
            "convex": lambda study: draw_convexity(study.peak.sel(anchor=slice(None, SEEN)))})
