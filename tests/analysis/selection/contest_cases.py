"""Small databases and contests, made by hand or drawn."""

import numpy as np
import xarray as xr
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from analysis.selection import build_ladders, open_contest
from collection.containers.curves import Status, build_container

NAMES = ["KNN", "LDA", "MLP", "QDA", "GaussianNB"]
ANCHORS = np.array([16, 23, 32, 45, 64, 97])


def database(valid, test=None, anchors=None, learners=None) -> xr.Dataset:
    """A container from validation errors of shape (dataset, learner, outer, inner, anchor)."""
    valid = np.asarray(valid, float)
    test = valid if test is None else np.asarray(test, float)
    n_datasets, n_learners, n_outer, n_inner, n_anchors = valid.shape
    anchors = ANCHORS[:n_anchors] if anchors is None else anchors
    error = np.stack([valid, valid, test], axis=-1)[:, :, None, None]
    seconds = np.where(np.isnan(valid), np.nan, np.asarray(anchors, float))[:, :, None, None]
    coords = {"dataset": np.arange(n_datasets),
              "learner": NAMES[:n_learners] if learners is None else learners, "scaling": ["none"],
              "leakage": ["no"], "outer": np.arange(n_outer), "inner": np.arange(n_inner),
              "anchor": anchors, "split": ["train", "valid", "test"]}
    return build_container(coords, {"error_rate": error, "train_time": seconds},
                           np.where(np.isnan(seconds), Status.error, Status.ok), database="toy")


def contest_of(curves, finals=None, procedure="corrected", anchors=None):
    """One dataset, one seed: a contest of all learners from curves of shape (learner, anchor)."""
    valid = np.asarray(curves, float)[None, :, None, None]
    test = valid.copy()
    if finals is not None:
        test[..., -1] = np.asarray(finals, float)[None, :, None, None]
    ladders = build_ladders(database(valid, test, anchors), procedure)
    return open_contest(ladders, "all", list(ladders.learners))


# Few values, so that ties are frequent; about a third is missing.
errors = arrays(
    float,
    st.tuples(*map(st.just, (3, 5, 2, 2, 6))),
    elements=st.sampled_from([0.1, 0.2, 0.3, 0.4, 0.5, np.nan, np.nan]),
    fill=st.nothing(),
)
