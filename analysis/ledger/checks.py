"""The registry of checks: which published numbers each covers, and what computes them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

import pandas as pd
import xarray as xr

from analysis.ledger import numbers
from analysis.published.printed import CC18, FULL, LCDB10

SUMMARY, OFFICIAL, OLD = "lcdb11-summary", "lcdb11", "lcdb10"
MEANS = (SUMMARY, OFFICIAL)  # the databases that have the mean curves of LCDB 1.1


@dataclass(frozen=True)
class Check:
    """A computation that yields some of the published numbers.

    Attributes
    ----------
    databases : tuple of str
        Names of the databases that it can be computed from.
    procedure : str
        How, in a word or two, as the ledger shows it.
    covers : mapping of str to tuple of str
        Published rows that it stands for: allowed values by column; other columns are free.
    compute : callable
        Takes a container, returns rows of ``database, scaling, learner, property, computed``.
    reason : str
        Why it differs where it does, if that is known.
    """

    databases: tuple[str, ...]
    procedure: str
    covers: dict[str, tuple[str, ...]]
    compute: Callable[[xr.Dataset], pd.DataFrame | Iterator[tuple]] = field(repr=False)
    reason: str = ""


RELATIVE = "flat is relative to the learners compared: Table 8's are the 24 classic ones"
CORRECTED = "the published procedure counts rounding as violations and moves anchors"
PROCEDURES = (("published", ""), ("corrected", CORRECTED))
NOTEBOOK = "the notebook's curves may differ in which repeats are missing"
FITS = "the notebook's fits start from random points, unseeded; these are least squares' best fits"
ENCODED = "features as OpenML counts them, before categorical ones are one-hot encoded"

_PER_LEARNER = ("Table 6", "Table 7", "Table 8")
_SHAPE_TABLES = ("Table 3", "Table 4", *_PER_LEARNER)
_PROSE = ("Section Abstract", "Section 5.2", "Section 7")

SHAPES = {"source": (*_SHAPE_TABLES, *_PROSE), "database": (FULL, CC18),
          "property": numbers.NOT_FLAT}
HOLM = {"source": ("Table 9", "Section 6", "Section I"), "property": numbers.HOLM_SHARES}
FITTED = {"source": ("notebook, fitting", "Section 5.4"),
          "property": tuple(f"{what}_{kind}" for kind in ("monotone", "convex") for what in
                            ("spearman", "slope", "intercept", "welch_p", "mse_ratio"))}
CROSSED = {"source": ("notebook, crossing",)}

CHECKS = (
    Check(MEANS, "means", {"source": _PER_LEARNER, "property": ("missing",)},
          numbers.missing_per_learner),
    Check(MEANS, "means",
          {"source": ("Table 4",), "database": (FULL, CC18), "property": ("missing",)},
          numbers.missing_of_all),
    Check(MEANS, "flat beside 28 learners",
          {"source": ("Table 4",), "database": (FULL, CC18), "property": ("flat",)},
          numbers.flat_of_all),
    Check(MEANS, "flat beside 24 learners", {"source": ("Table 8",), "property": ("flat",)},
          numbers.flat_beside_classic),
    Check(MEANS, "flat beside 28 learners",
          {"source": ("Table 8",), "property": ("flat",), "scaling": ("none",)},
          numbers.flat_beside_all, RELATIVE),
    Check(MEANS, "means", {"source": ("Figure 7",)}, numbers.smallest_errors),
    Check(MEANS, "metadata and means",
          {"property": ("datasets", "datasets_up_to_10k", "datasets_beyond_10k"),
           "database": (FULL, CC18)}, numbers.dataset_counts),
    Check(MEANS, "metadata", {"property": ("datasets_below_16_features",)},
          numbers.few_features, ENCODED),
    Check(MEANS, "means",
          {"source": ("Section 3", "Section G"), "database": ("LCDB 1.1",),
           "property": tuple(numbers.GRID)}, numbers.grid_facts),
    Check(MEANS, "official list of files",
          {"source": ("Section 3", "Table 2"), "database": ("LCDB 1.1",),
           "property": ("learners", "datasets")}, numbers.listed_counts),
    Check(MEANS, "where curves end", {"source": ("Table 10",)}, numbers.sizes_of_datasets),
    Check((OFFICIAL,), "published", CROSSED, numbers.crossing_of_sets, NOTEBOOK),
    Check((OFFICIAL,), "variable projection", FITTED, numbers.fits_and_shapes, FITS),
    *(Check((OLD,), procedure, {"source": ("Table 4",), "database": (LCDB10,)},
            partial(numbers.shapes_of_lcdb10, procedure=procedure), reason)
      for procedure, reason in PROCEDURES),
    Check((OLD,), "published",
          {"source": ("Table 2",), "database": (LCDB10,),
           "property": ("learners", "datasets", "missing", "missing in parentheses")},
          numbers.missing_of_lcdb10),
    *(Check((OFFICIAL,), procedure, SHAPES,
            partial(numbers.shapes_of_lcdb11, procedure=procedure), reason)
      for procedure, reason in PROCEDURES),
    Check((OFFICIAL,), "holm_published", HOLM, numbers.holm_shares),
    Check((OFFICIAL,), "paired t-tests, Bonferroni over anchors",
          {"property": ("leakage_changes",)}, numbers.leakage_changes),
)
