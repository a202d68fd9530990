"""One TabRepo repository: its tables at hand, its predictions on request."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.databases.tabrepo.arrays import TaskFolder, find_folders
from analysis.databases.tabrepo.contexts import check_tables
from analysis.databases.tabrepo.layout import find_layout
from analysis.databases.tabrepo.tables import read_tables
from collection.naming import check_known
from collection.store.evaluation_reader import NoPredictionsError


class TabRepo:
    """A repository in a folder, as TabRepo's `to_dir` or its official contexts lay it out.

    Parameters
    ----------
    path : str or Path
        See `find_layout`.
    fallback : str, optional
        The config whose predictions stand in for those of configs without; by default the one
        that the repository names, if any.
    datasets : sequence of str
        Of an official context, the datasets to open; by default all that have predictions.

    Raises
    ------
    TabRepoError
        If files lack, cannot be read or contradict each other.
    UnknownNameError
        If the fallback is not a config of the repository.
    """

    def __init__(
        self, path: str | Path, fallback: str | None = None, datasets: Sequence[str] = ()
    ):
        self.layout = find_layout(path)
        check_tables(self.layout.folder)
        self.folders = {task: folder for task, folder in find_folders(self.layout).items()
                        if not datasets or task[0] in datasets}
        predicted = {dataset for dataset, _ in self.folders}
        self.tables = read_tables(self.layout, predicted or set(datasets))
        self.fallback = fallback or self.layout.fallback
        if self.fallback is not None:
            check_known("fallback config", [self.fallback], self.configs)

    @cached_property
    def configs(self) -> list[str]:
        """Names of configs, sorted."""
        return sorted(set(self.tables.configs["framework"]))

    @cached_property
    def baselines(self) -> list[str]:
        """Names of baselines, sorted."""
        return sorted(set(self.tables.baselines["framework"]))

    @property
    def datasets(self) -> list[str]:
        """Names of datasets with results, sorted."""
        return list(self.tables.tids)

    @cached_property
    def folds(self) -> dict[str, list[int]]:
        """The folds of each dataset."""
        both = pd.concat([t[["dataset", "fold"]] for t in (self.tables.configs,
                                                            self.tables.baselines)])
        return {name: sorted(set(group)) for name, group in both.groupby("dataset")["fold"]}

    @property
    def tasks(self) -> list[tuple[str, int]]:
        """Datasets and folds with results."""
        return [(dataset, fold) for dataset in self.datasets for fold in self.folds[dataset]]

    def predicted(self, dataset: str, fold: int) -> list[str]:
        """Return the configs with results and predictions on a task, in the stored order."""
        known = set(self.configs)
        return [name for name in self._folder(dataset, fold).models if name in known]

    def predictions(
        self, dataset: str, fold: int, split: str, configs: Sequence[str] | None = None
    ) -> np.ndarray:
        """Return predictions of some configs, in the order asked for; no others are read.

        Parameters
        ----------
        dataset : str
        fold : int
        split : {"valid", "test"}
        configs : sequence of str, optional
            By default those that have predictions.

        Returns
        -------
        ndarray, shape (config, row) or (config, row, class)
            Of class 1 for two classes.

        Raises
        ------
        UnknownNameError
            For an unknown dataset, config or split.
        NoPredictionsError
            If there are none, and no fallback.
        TabRepoError
            If the file is cut short.
        """
        check_known("split", [split], ["valid", "test"])
        folder = self._folder(dataset, fold)
        names = self.predicted(dataset, fold) if configs is None else list(configs)
        check_known("config", names, self.configs)
        if self.fallback in folder.models:
            names = [n if n in folder.models else self.fallback for n in names]
        return folder.predictions(split, names)

    def labels(self, dataset: str, fold: int, split: str) -> tuple[np.ndarray, np.ndarray]:
        """Return a task's labels and the rows' numbers in the dataset; see `TaskFolder.labels`."""
        check_known("split", [split], ["valid", "test"])
        return self._folder(dataset, fold).labels(split)

    def _folder(self, dataset: str, fold: int) -> TaskFolder:
        check_known("dataset", [dataset], self.datasets)
        check_known(f"fold of {dataset}", [fold], self.folds[dataset])
        if (dataset, fold) not in self.folders:
            raise NoPredictionsError(f"No predictions are stored of {dataset}, fold {fold}.")
        return self.folders[dataset, fold]
