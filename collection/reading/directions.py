"""Whether lower is better: told by two witnesses that agree, or asked.

Witnesses are the known metric, the name of the column, an arrow or words beside it, the sign of the
values where it tells, and a dummy that must not lead. A name of which every part is understood
(`collection.reading.names`) and whose range fits is two; of another, a range tells nothing.
"""

import re

import numpy as np
import pandas as pd
import xarray as xr

from collection.reading import names as reading

DUMMY = re.compile(reading.VOCABULARY["dummies"], re.IGNORECASE)
SELDOM = 0.25  # share of comparisons that a dummy wins where the order is right


def direction(values: np.ndarray, name: str = "", metric: object = None,
              column: str = "metric", layout: str = "", dummy: float = np.nan
              ) -> tuple[bool | None, tuple[str, ...]]:
    """Judge which values are better.

    Parameters
    ----------
    values : ndarray of float
        Of one metric; NaN is missing.
    name : str
        Of their column.
    metric : object
        What a column of metrics says.
    column : str
        The name of that column.
    layout : str
        Whose layout the table has, if that says what a score is; see `layout_of`.
    dummy : float
        Share of comparisons that a dummy wins if higher is better; NaN without one.

    Returns
    -------
    bool or None
        Whether lower is better; None where fewer than two witnesses say so, or one contradicts.
    tuple of str
        Who says it, or what they say where it has to be asked.
    """
    known = values[~np.isnan(values)]
    negated = bool(len(known)) and bool((known <= 0).all() and (known < 0).any())
    said: list[tuple[str, bool]] = []
    sources = [(f"`{name}`", name), (f"column `{column}`", metric)]
    if reading.is_error(name) and reading.lower_is_better(name):
        sources = sources[:1]  # of whatever metric, it is an error
    against, sure = [], False
    for words, source in sources:
        lower, found = reading.lower_is_better(source), reading.measure_of(source)
        if source is None or lower is None:
            continue
        turned = negated and lower and reading.limits(source)[0] == 0
        said.append((words, lower != turned))
        if found.said is not None:
            said.append(("the words or the arrow beside it", found.said != turned))
        fits = "all values negative" if turned else _fits(known, source)
        if fits is None:
            against.append(f"{words} has no values from {known.min():.3g} to {known.max():.3g}")
        elif turned or found.whole or (found.unit == "endless" and (known > 1).any()):
            said += [(fits, lower != turned)] if fits else []
            sure |= found.whole
    score = bool({"score", "scores"} & set(reading.words_of(name)))
    if layout and score:
        said += [(f"`{name}`", False), (f"{layout}'s scores", False)]
    if not said and negated:
        said += [("all values negative", False), *([(f"`{name}`", False)] if score else [])]
    if min(dummy, 1 - dummy) <= SELDOM:
        said.append(("no dummy leads", dummy > 0.5))
    said = list(dict.fromkeys(said))
    ways = {lower for _, lower in said}
    if len(ways) == 1 and (sure or len(said) > 1) and not against:
        return ways.pop(), tuple(words for words, _ in said)
    if len(ways) > 1 or against:
        words = [f"{w} ({'lower' if lower else 'higher'})" for w, lower in said]
        return None, (f"Witnesses disagree: {', '.join([*words, *against])}",)
    return None, tuple(f"One witness alone tells: {words}" for words, _ in said)


def _fits(known: np.ndarray, source: object) -> str | None:
    """Return how values are within the limits of a measure: None where not, "" where any would."""
    low, high = reading.limits(source)
    if not len(known) or (low == -np.inf and high == np.inf):
        return ""
    if high == 1 and (known > 1).any():
        high = 100.0
    if known.min() < low or known.max() > high:
        return None
    if high == 0:
        return "all values negative" if (known < 0).any() else None
    if high == np.inf:
        return "no value negative"
    return f"no value above {high:g}" if low == -np.inf else f"values between 0 and {high:g}"


def dummy_wins(value: np.ndarray, task: np.ndarray, method: np.ndarray) -> float:
    """Return the share of comparisons on a task that dummies win if higher is better; NaN: none."""
    names = pd.unique(method)
    dummies = {m for m in names if DUMMY.search(str(m))}
    if not dummies or len(dummies) == len(names):
        return np.nan
    table = pd.DataFrame({"task": task, "value": value, "dummy": [m in dummies for m in method]})
    table = table.dropna()
    mean = table.groupby("task")["value"].mean()
    own = table[table["dummy"]].groupby("task")["value"].mean()
    gap = (own - mean.reindex(own.index)).to_numpy()
    gap = gap[gap != 0]
    return float((gap > 0).mean()) if len(gap) else np.nan



def directions_of(table: pd.DataFrame, name: str = "value", column: str = "metric",
                  layout: str = "") -> tuple[pd.Series | None, tuple[str, ...]]:
    """Return whether lower is better, by row, and who told; None where it has to be asked.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``task, method, value`` and, where there is one, ``metric``.
    name, column, layout : str
        Names of the columns of values and of metrics; whose layout it is.
    """
    value = table["value"].to_numpy(float)
    by_metric = "metric" in table and table["metric"].notna().all()
    metric = table["metric"].to_numpy() if by_metric else np.full(len(table), None)
    lower, told = pd.Series(False, table.index), []
    for one in pd.unique(metric):
        mine = metric == one if one is not None else np.ones(len(table), bool)
        dummy = dummy_wins(value[mine], *(table[k].to_numpy()[mine] for k in ("task", "method")))
        way, words = direction(value[mine], name, one, column, layout, dummy)
        if way is None:
            return None, words
        told += [word for word in words if word not in told]
        lower[mine] = way
    return lower, tuple(told)


def as_errors(curves: xr.DataArray) -> xr.DataArray:
    """Return scores as errors, where their attribute ``lower_is_better`` says that they are scores.

    Shares become their complement, as does R²; of others the sign is turned. What does not say
    what it is, is taken for an error.

    Parameters
    ----------
    curves : DataArray
        Any dims; NaN stays.
    """
    if curves.attrs.get("lower_is_better", True):
        return curves
    name = str(curves.name or "score")
    turned = 1 - curves if reading.limits(name)[1] == 1 or float(curves.max()) <= 1 else -curves
    return turned.rename(f"1 - {name}").assign_attrs(lower_is_better=True)
