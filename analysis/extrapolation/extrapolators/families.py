"""Which datasets are the same data under several names, and the folds that keep them together.

An extrapolator that learnt from the curves of one is not to be judged on the other.
"""

import re
from functools import lru_cache

import numpy as np
import pandas as pd

from collection.paths import DATA

FOLDER = DATA / "extrapolation"
FOLDS = 5
SEED = 0
UNSEEN = -1  # the fold of a dataset that took no part in training

#: Patterns of names (of OpenML and KEEL) that share rows, a generator or a source: what was made
#: from one collection by choosing other features, other classes or other rows. Some names hide it:
#: KungChi, KnuggetChase and MindCave are NASA's KC3 and MC2, ``dis`` is of the thyroid's records.
FAMILIES = {
    "friedman": r"^fri_c|^fried$",
    "ova": r"^ova_",
    "digits": r"^gina|^mnist",
    "census": r"^adult|^ada(_|$)",
    "ipums": r"ipums",
    "ohsumed": r"^oh\d|^ohscal",
    "reuters": r"^re\d\.wc",
    "los_angeles": r"^la\ds",
    "covertype": r"^sylv|^covertype",
    "nasa": r"^[pkcjm][cmw]\d$|^kungchi|^knuggetchase|^mindcave",
    "cpu": r"^cpu_",
    "house": r"^house_",
    "colleges": r"^colleges",
    "ailerons": r"ailerons",
    "elevators": r"elevators",
    "mfeat": r"^mfeat",
    "puma": r"^puma",
    "california": r"^cal_housing|^houses|california",
    "splice": r"^splice|^dna",
    "madelon": r"^madel",
    "thyroid": r"^sick|^hypothyroid|thyroid|^dis$",
    "poker": r"^poker",
    "car": r"^car(-evaluation)?$",
    "kddcup": r"^kddcup09",
    "genes": r"^mousetype|^burkitt|^anthracycline|^ovariantumour|^hepatitisc|^variouscancers",
    "gas_drift": r"^gas-drift",
    "satellite": r"^sat(i|e)",
    "iris": r"^iris",
    "wdbc": r"^wdbc|^breast_cancer",
    "diabetes": r"^diabetes$|pima",
    "vote": r"^vote|^housevotes",
    "chess": r"^kr-vs-kp|^chess",
}


def family(name: str) -> str:
    """Return the family of a dataset by its name; its own name where it is not in `FAMILIES`."""
    short = name.strip().lower().rpartition("/")[2]
    for key, pattern in FAMILIES.items():
        if re.search(pattern, short):
            return key
    return short


def draw_folds(names: list[str]) -> np.ndarray:
    """Return each dataset's fold, families together, drawn with `SEED`."""
    families, which = np.unique([family(n) for n in names], return_inverse=True)
    return (np.random.default_rng(SEED).permutation(len(families)) % FOLDS)[which]


@lru_cache(maxsize=1)
def _known_folds() -> dict[str, int]:
    """Return the folds of the training datasets, by OpenML id and by family."""
    path = FOLDER / "datasets.csv"
    if not path.exists():
        return {}
    table = pd.read_csv(path, dtype={"dataset": str})
    return dict(zip(table["dataset"], table["fold"], strict=True)) | dict(
        zip(table["family"], table["fold"], strict=True))


def fold_of(dataset: str) -> int:
    """Return the fold that a dataset was in, known by OpenML id or name; `UNSEEN` if in none."""
    known = _known_folds()
    return known.get(str(dataset), known.get(family(str(dataset)), UNSEEN))
