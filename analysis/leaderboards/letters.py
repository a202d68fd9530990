"""Letters for methods that do not differ significantly: two that share one do not.

'Not significantly different' is not transitive, so letters overlap; they are no partition. Each
letter is a largest set of methods of which no two differ (a compact letter display).
"""

import string

import numpy as np

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

    Insert and absorb (Piepho 2004): every pair that differs splits the sets that hold both; a set
    within another one goes.
    """
    n = len(differ)
    groups = [(1 << n) - 1]
    for one, other in np.argwhere(np.triu(differ, 1)):
        both = 1 << int(one) | 1 << int(other)
        split = [g for g in groups if g & both == both]
        if not split:
            continue
        kept = [g for g in groups if g & both != both]
        for g in {half for s in split for half in (s & ~(1 << int(one)), s & ~(1 << int(other)))}:
            if not any(g & k == g for k in kept):
                kept = [k for k in kept if k & g != k] + [g]
        groups = kept
    members = [[m for m in range(n) if g >> m & 1] for g in groups]
    return sorted(members)
