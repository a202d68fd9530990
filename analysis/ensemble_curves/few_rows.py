"""What choosing an ensemble on few validation rows gives."""

from pathlib import Path

import pandas as pd

from analysis.ensemble_curves.registry import ENSEMBLE_CURVES, FEW
from collection.project.paths import DATA, shipped
from collection.store import read_fits

NAME = "ensemble_curves"  # of the shipped database
FOLDER = DATA / NAME
FEW_ROWS = "few_rows.csv"


def load_few_rows(where: str | Path = NAME) -> pd.DataFrame:
    """Return what ensembles err that were chosen on few validation rows, as `few_rows`.

    Parameters
    ----------
    where : str or Path
        The shipped database, by its name, or a folder that ``make ensemble-curves`` has written.
    """
    folder = FOLDER if where == NAME else Path(where)
    if not (folder / FEW_ROWS).exists():
        return few_rows(folder)
    return pd.read_csv(shipped(folder / FEW_ROWS), dtype={"rows": str})


def few_rows(store: Path) -> pd.DataFrame:
    """Return mean test error rates of ensembles that were chosen on few validation rows.

    Returns
    -------
    pandas.DataFrame
        Columns dataset, way ("Caruana", …), rows ("10", …, "matched", "ninth", "all"), anchor
        (rows), error_rate (mean over the repeats), repeats. Anchors at which all validation rows
        are no more than asked for have no entry but "all".
    """
    fits = read_fits(store)
    fits = fits[fits["learner"].isin([w.name for w in FEW]) & (fits["status"] == "ok")]
    bases = {name.rpartition(" on ")[0] for name in fits["learner"].unique()}
    anchors = fits[["dataset", "anchor"]].drop_duplicates()
    full = read_fits(store).merge(anchors)
    full = full[full["learner"].isin(bases) & (full["status"] == "ok")]
    both = pd.concat([
        fits.assign(way=[n.rpartition(" on ")[0] for n in fits["learner"]],
                    rows=[str(ENSEMBLE_CURVES[n].rows) for n in fits["learner"]]),
        full.assign(way=full["learner"], rows="all")])
    mean = both.groupby(["dataset", "way", "rows", "anchor"])["error_rate_test"]
    return mean.agg(error_rate="mean", repeats="size").reset_index()
