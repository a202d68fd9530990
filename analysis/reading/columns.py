"""The rule for columns that are not used: rows that differ in one of them are no repeats."""

import re
from collections.abc import Hashable, Sequence

MOST_CHOICES = 50  # values of a column that tells rows apart


def tells_apart(keys: Sequence[Hashable], cells: Sequence[str]) -> bool:
    """Tell whether rows of one key differ in a column, so that it says which is meant.

    Parameters
    ----------
    keys : sequence
        What each row is of, by the columns that are used.
    cells : sequence of str
        What a column that is not used says there. One with fractions, or with more than
        `MOST_CHOICES` values, is of measurements and tells nothing.
    """
    return (len(set(zip(keys, cells, strict=True))) > len(set(keys))
            and len(set(cells)) <= MOST_CHOICES
            and not any(re.search(r"\d\.\d", cell) for cell in cells))
