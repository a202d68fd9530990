"""Two threads give the published nearest neighbours; one does not."""

import numpy as np
import pytest
from published_data import LCDB11

from analysis.databases.lcdb11.summary import META
from analysis.published.computed import recall
from chapters.database.machines import knn_by_threads


def test_what_is_kept_says_that_threads_explain_it():
    kept = recall("knn_by_threads").set_index("threads")
    assert kept.loc[2, "equal"] == kept.loc[2, "anchors"] == 44
    assert kept.loc[1, "equal"] < 44 and 0 < kept.loc[1, "largest"] < 0.01


@pytest.mark.skipif(not (LCDB11 / META).is_file(), reason=f"needs the published means in {LCDB11}")
def test_up_to_one_chunk_threads_do_not_matter():
    table = knn_by_threads(anchors=np.array([16, 64, 128]))
    assert table["equal"].tolist() == [3, 3] and table["largest"].max() < 1e-4
