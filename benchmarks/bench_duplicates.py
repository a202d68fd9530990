"""Duplicates among 300 tables: the index of rows against comparing every two tables.

Half of the tables are KEEL's and scikit-learn's (at most 300 rows of each), half are altered copies
of them. The first rival puts the same question to every two tables by themselves; so it gives the
same answers, which is checked. The second looks for rows that are equal as sets of values, and is
there to say which pairs that misses, and which it believes that shuffled columns would show too.
"""

import time
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd

from benchmarks.timing import Timing, timed
from collection.datasets import Dataset, list_datasets, load_dataset
from collection.datasets.dataset import make_dataset
from collection.suites.duplicates import find_duplicates

TABLES, ROWS, SAMPLED, LEAST = 300, 300, 300, 0.5
ORIGINS = ("keel", "sklearn")


def shuffled(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    return frame.iloc[rng.permutation(len(frame)), rng.permutation(frame.shape[1])]


def recoded(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    few = [c for c in frame if frame[c].nunique() <= 12]
    return shuffled(frame.assign(**{c: pd.factorize(frame[c], sort=True)[0] + 1 for c in few}), rng)


def rounded(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    numbers = frame.select_dtypes("number").columns
    return shuffled(frame.assign(**{c: frame[c].map(lambda v: float(f"{v:.3g}")) for c in numbers}),
                    rng)


def part(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    return shuffled(frame, rng).head(2 * len(frame) // 3)


WAYS = (shuffled, recoded, rounded, part)


def as_named(dataset: Dataset, frame: pd.DataFrame, name: str) -> Dataset:
    target = pd.Series(dataset.target, index=dataset.features.index)[frame.index].to_numpy()
    frame = frame.rename(columns=str).assign(target=target).reset_index(drop=True)
    return make_dataset(frame, "target", name=name, source=name)


def make_tables() -> list[Dataset]:
    """Return at least `TABLES` tables, each followed by its altered copy."""
    rng = np.random.default_rng(0)
    specs = [f"{origin}:{name}" for origin in ORIGINS for name in list_datasets(origin)]
    tables = []
    for k in range(TABLES // 2):
        dataset = load_dataset(specs[k % len(specs)])
        some = dataset.features.sample(min(ROWS, dataset.n_rows), random_state=k)
        tables += [as_named(dataset, some, f"{k}:{dataset.name}"),
                   as_named(dataset, WAYS[k % len(WAYS)](some, rng), f"{k}:copy of {dataset.name}")]
    return tables


def row_sets(dataset: Dataset) -> set:
    return {tuple(sorted(map(str, row))) for row in dataset.features.itertuples(index=False)}


def by_equal_rows(tables: list[Dataset]) -> Iterator[frozenset]:
    sets = {t.source: row_sets(t) for t in tables}
    for (one, a), (two, b) in combinations(sets.items(), 2):
        if len(a & b) >= LEAST * min(len(a), len(b)):
            yield frozenset((one, two))


def answers(found: pd.DataFrame) -> dict[frozenset, str]:
    return {frozenset((r.dataset, r.twin)): r.kind for r in found.itertuples()}


def main() -> Iterator[Timing]:
    tables = make_tables()
    with timed(time.process_time) as index:
        found = answers(find_duplicates(tables))

    pairs = list(combinations(range(len(tables)), 2))
    sample = np.random.default_rng(1).choice(len(pairs), SAMPLED, replace=False)
    with timed(time.process_time) as loop:
        of_two = [answers(find_duplicates([tables[i] for i in pairs[k]])) for k in sample]
    for k, told in zip(sample, of_two, strict=True):
        two = frozenset(tables[i].source for i in pairs[k])
        assert told.get(two) == found.get(two), (two, told, found.get(two))
    yield Timing(f"duplicates among {len(tables)} tables, {len(pairs):,} pairs", index.seconds,
                 f"every two by themselves (same answers), scaled from {SAMPLED} pairs",
                 loop.seconds * len(pairs) / SAMPLED)

    planted = [frozenset((a.source, b.source)) for a, b in zip(tables[::2], tables[1::2],
                                                              strict=True)]
    plain = set(by_equal_rows(tables))
    missed = Counter(kind.partition(",")[0] for two, kind in found.items() if two not in plain)
    kinds = ", ".join(f"{n} {kind}" for kind, n in missed.most_common())
    print(f"{len(found)} pairs share their rows, {sum(p in found for p in planted)} of the "
          f"{len(planted)} planted among them. Rows equal as sets of values: {len(plain)} pairs; "
          f"these lack {sum(missed.values())} of ours ({kinds}), and hold "
          f"{len(plain - set(found))} of few distinct rows, which shuffled columns share as well")
