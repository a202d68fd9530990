"""Letters for methods that do not differ significantly: two that share one do not.

'Not significantly different' is not transitive, so letters overlap; they are no partition. Each
letter is a largest set of methods of which no two differ (a compact letter display).
"""

import string

import numpy as np

MOST = 500  # sets; there may be as many as 3 to the power of a third of the methods
NAMES = string.ascii_lowercase + string.ascii_uppercase


def letters(differ: np.ndarray) -> list[str]:
    """Return each method's letters.

    Parameters
    ----------
    differ : ndarray of bool, shape (method, method)
        Symmetric, the best method first: whether two differ significantly.

    Returns
    -------
    list of str
        ``"ab"``; with more than 52 groups, numbers with spaces between.
    """
    groups = largest_groups(differ)
    names = NAMES if len(groups) <= len(NAMES) else [f"{k + 1} " for k in range(len(groups))]
    return ["".join(name for name, group in zip(names, groups, strict=False) if m in group).strip()
            for m in range(len(differ))]


def largest_groups(differ: np.ndarray) -> list[list[int]]:
    """Return the largest sets of methods of which no two differ, that of the best method first.

    Method by method: each set of those before, cut to those that the next one does not differ
    from, takes it in; what then lies within another set goes. Where they are more than `MOST`,
    those of neighbours in the order alone (`runs`): then two that share none may not differ either.
    """
    groups: list[int] = []
    for m, row in enumerate(np.asarray(differ, bool)):
        alike = int.from_bytes(np.packbits(~row[:m], bitorder="little").tobytes(), "little")
        cut, kept = {g & alike for g in groups}, [g for g in groups if g & ~alike]
        largest: list[int] = []
        for g in sorted(cut or {0}, key=int.bit_count, reverse=True):
            if not any(g & k == g for k in largest):
                largest.append(g)
        groups = kept + [g | 1 << m for g in largest]
        if len(groups) > MOST:
            return runs(differ)
    members = [[m for m in range(len(differ)) if g >> m & 1] for g in groups]
    return sorted(members)


def runs(differ: np.ndarray) -> list[list[int]]:
    """Return the longest runs of neighbours of which no two differ."""
    n, found, end = len(differ), [], 0
    for first in range(n):
        if end < (last := next((m for m in range(first + 1, n) if differ[first:m, m].any()), n)):
            found.append(list(range(first, last)))
            end = last
    return found
