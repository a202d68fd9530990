"""Why a value of the official files is missing, as the container's status and message."""

from enum import IntEnum

import dask.array as da
import numpy as np

from collection.container import Status


class Reason(IntEnum):
    """What is known of a fit from the files at hand; positions in `STATUS_OF` and `MESSAGES`."""

    ok = 0
    timeout = 1
    error = 2
    past_end = 3
    not_published = 4
    unexplained = 5
    unknown_code = 6


STATUS_OF = np.array([Status.ok, Status.timeout, Status.error, Status.not_run, Status.not_run,
                      Status.error, Status.error], np.int8)
# Two datasets, 1088 and 41972, have some values there; see `analysis.databases.lcdb11.stray`.
PAST_END = "the anchor exceeds the training set; a value here is stray"
MESSAGES = (
    "",
    "timeout, see error_message",
    "error, see error_message",
    PAST_END,
    "not published for this learner, scaling and leakage",
    "no value, and no file of messages that covers it",
    "a status that the published layout does not describe",
)
RECORDED = (Reason.ok, Reason.timeout, Reason.error)  # the codes 0, 1, 2 of the files


def recorded_reasons(codes: np.ndarray) -> np.ndarray:
    """Return the reason for each code of a ``status`` array of the files."""
    reasons = np.full(codes.shape, Reason.unknown_code, np.int8)
    for code, reason in enumerate(RECORDED):
        reasons[codes == code] = reason
    return reasons


def apparent_reasons(values: np.ndarray) -> np.ndarray:
    """Return the reason for each value of a metric where no status was recorded."""
    return np.where(np.isfinite(values), Reason.ok, Reason.unexplained).astype(np.int8)


def cut_at_end(reasons: da.Array, anchors: np.ndarray, max_anchor: np.ndarray) -> da.Array:
    """Return `reasons` over `FIT_DIMS`, with ``past_end`` where an anchor exceeds the data.

    Parameters
    ----------
    reasons : dask.array.Array
        `Reason` per fit, over `FIT_DIMS`.
    anchors : ndarray of int, shape (n_anchors,)
        Training-set sizes, in rows.
    max_anchor : ndarray of int, shape (n_datasets,)
        Largest training set of each dataset, in rows.
    """
    past = anchors > max_anchor[:, None]
    past = past.reshape(len(max_anchor), *(1,) * (reasons.ndim - 2), len(anchors))
    lazily = da.from_array(past, chunks=(reasons.chunks[0], *((1,),) * (reasons.ndim - 2), -1))
    return da.where(lazily, np.int8(Reason.past_end), reasons)
