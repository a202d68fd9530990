"""Duplicates among the datasets at hand: the index of rows against comparing every pair.

The straightforward version takes every two tables, and for every way of ordering rows looks at
sets of rows; it finds equal values only, none of what was recoded, rounded or altered.
"""

import time
from itertools import combinations

from collection.datasets import list_datasets, load_dataset
from collection.suites.duplicates import find_duplicates

LEAST = 0.5


def row_sets(dataset):
    return {tuple(sorted(map(str, row))) for row in dataset.features.itertuples(index=False)}


def by_pairs(datasets):
    found = 0
    for one, two in combinations(datasets, 2):
        a, b = row_sets(one), row_sets(two)
        found += len(a & b) >= LEAST * min(len(a), len(b))
    return found


def main():
    small = [d for d in (load_dataset(f"keel:{n}") for n in list_datasets("keel"))
             if d.n_rows <= 500][:40]
    start = time.perf_counter()
    slow = by_pairs(small)
    middle = time.perf_counter()
    fast = len(find_duplicates(small))
    end = time.perf_counter()
    print(f"{len(small)} datasets: {fast} pairs by the index, {slow} by comparing every pair; "
          f"the index takes 1/{(middle - start) / (end - middle):.0f} of the time")


if __name__ == "__main__":
    main()
