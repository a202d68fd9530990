"""What more datasets to learn portfolios from change, for the page on the repository; seconds."""

import pandas as pd

from analysis.portfolios.how_many import NUMBERS, learned_on
from analysis.portfolios.matrix import open_matrix


def more_training_datasets() -> pd.Series:
    """Return what all other datasets change against a few to learn from, by dataset.

    Returns
    -------
    pandas.Series
        Normalised error of portfolios of ten configs, learned on all others, less the mean over
        draws of those learned on the fewest; index: OpenML's ids of the datasets.
    """
    matrix = open_matrix("tabrepo-lightgbm")
    table = learned_on(matrix, NUMBERS[:1]).query("criterion == 'ranks'")
    mean = table.groupby(["number", "task"])["normalized_error"].mean().unstack("number")
    change = mean[len(matrix.tasks) - 1] - mean[NUMBERS[0]]
    names = pd.Series(matrix.relatives, matrix.tasks)
    return change.rename(index=names.to_dict())
