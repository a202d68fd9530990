"""Boards of the same tasks at several training sizes: who is ahead where, and which pairs cross.

Ranks at all sizes are told by one step-down over the pairs of methods at every size. Families of
tasks are flipped and drawn anew with all their sizes, so that what a family does at one size goes
with what it does at the others. Two methods *cross* where one is significantly ahead at a size and
the other at a larger one: both are corrected for all pairs at all sizes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.chapter_curves import least_leakage, main_scaling, without_stray
from analysis.databases.naming import NOT_COUNTED
from analysis.leaderboards import estimates
from analysis.leaderboards.cells import Cells, ResultsError, lower_by_row, to_cells
from analysis.leaderboards.ordering import rank_table, some_of
from analysis.leaderboards.reading import read_frame
from analysis.leaderboards.stepdown import LEAST, significant, step_down
from analysis.statistics.bootstrap import percentile_interval, resample_units
from analysis.statistics.families import families
from collection.containers.curves import main_metric
from collection.project.arguments import checked
from collection.project.naming import check_known
from collection.reading.names import ROLES, key_of
from collection.reading.text import in_words

ENOUGH = 30  # families that a size has which is looked at by default, or half of what any has
MOST = 8  # sizes that are looked at by default; of more, powers of four
DRAWS = 1000  # of halves, of swaps and of resamples
HALVES = 100  # of which one tells who is first, and the other what that costs
NEAR = 3  # sizes that a message names
LEAST_SPLIT = 12  # families that are halved into small and large
LEAST_METHODS = 3
RANKS = ["size", "method", "rank", "mean_rank", "low", "high"]


@dataclass(frozen=True)
class OrderBySize:
    """Orders of the same methods on the same tasks at several sizes.

    Attributes
    ----------
    sizes : tuple of float
        Ascending.
    ranks : pandas.DataFrame
        A row per size and method, the best first: ``size, method, rank, mean_rank, low, high``
        (interval of the rank; those of all sizes hold at once).
    crossings : pandas.DataFrame
        ``one, other`` (ahead at small sizes, at large ones), ``until`` (the last size at which the
        one is significantly ahead), ``since`` (the first after it at which the other is), ``at``
        (where they change places, see `crossing_size`), ``low, high`` (its 95 % interval over
        families; the smallest or largest size stands for all beyond).
    shifts : pandas.DataFrame
        ``one, other, effect`` (by how much the one gains on the other from the smallest size to the
        largest), ``p_adjusted`` (for all pairs).
    agreement : pandas.DataFrame
        Of each two sizes ``smaller, larger``: ``tau`` (Kendall's, of both boards), ``halves``: the
        mean of that of two random halves of the families at one of the sizes, ``swapped`` that of
        both boards when the two sizes of each family are swapped at random, as they might be were
        size of no account, and ``p``: how often these agree no better.
    staying : pandas.DataFrame
        ``smaller, larger, regret`` (mean value that is lost at the larger size by staying with who
        is first at the smaller), ``low, high`` (95 % over families). Who is first is told on a
        random half of the families, the cost on the other; ``stays`` and ``best`` are first on
        all. NaN where values of several scales have no mean.
    n_tasks, n_families : int
    notes : tuple of str
        What a reader has to know of the table.
    """

    sizes: tuple[float, ...]
    ranks: pd.DataFrame
    crossings: pd.DataFrame
    shifts: pd.DataFrame
    agreement: pd.DataFrame
    staying: pd.DataFrame
    n_tasks: int
    n_families: int
    notes: tuple[str, ...] = ()


class _Stacked(estimates.Estimate):
    """Estimates of several sizes, whose pairs are those of methods at one size."""

    @cached_property
    def freedom(self) -> np.ndarray:
        """All pairs share all families."""
        return np.full(self.common.shape, np.inf)


@checked
def order_by_size(results: "pd.DataFrame | xr.Dataset", sizes: Sequence[float] | None = None,
                  n_resamples: int = 2000, seed: int = 0, *,
                  lower_is_better: bool | None = None) -> OrderBySize:
    """Order methods at several sizes, with 95 % intervals that hold at all sizes at once.

    Parameters
    ----------
    results : pandas.DataFrame or xarray.Dataset
        A row per result with a column ``size`` (or a name such as ``n_train``), else as
        `analysis.leaderboards.order` takes it; or learning curves as `analysis.load_curves` opens
        them, of which test errors are compared.
    sizes : sequence of float, optional
        Which sizes; by default those that 30 families or half of them have, of many powers of
        four, or what is near.
    n_resamples, seed : int
        Sign flips and resamples of families, and their seed.
    lower_is_better : bool, optional

    Returns
    -------
    OrderBySize
        Of the tasks and methods that have a result at every size: what lacks most is left out
        first, which `OrderBySize.notes` names.

    Raises
    ------
    ResultsError
        Without a column of sizes, with fewer than two sizes, tasks or methods that have all; for
        a size that no result has, with the nearest; without a resample.
    """
    if not n_resamples >= 1:
        raise ResultsError(f"Families are resampled once or more often, not {n_resamples} times.")
    table = (results_of_curves(results) if isinstance(results, xr.Dataset) else
             _sized(results, lower_is_better))
    boards, notes = same_cells(table, sizes)
    at, cells = list(boards), list(boards.values())
    found = [estimates.estimate_ranks(own) for own in cells]
    if len(cells[0].families) < LEAST:
        notes.append(f"{len(cells[0].families)} families of tasks separate nobody: {LEAST} are the "
                     "least.")
    stacked = _stack(found)
    critical = step_down(stacked, n_resamples, seed).critical
    n, every = len(found[0].level), np.arange(len(at))
    differ = significant(stacked, critical).reshape(len(at), n, len(at), n)[every, :, every]
    methods = np.array(cells[0].methods, object)
    ranks = pd.concat([rank_table(*of).assign(size=size)
                       for size, *of in zip(at, cells, found, differ, strict=True)])
    return OrderBySize(
        sizes=tuple(at), notes=tuple(notes), ranks=ranks.reset_index(drop=True)[RANKS],
        crossings=_crossings(found, differ, at, methods, seed),
        shifts=_shifts(found[0], found[-1], methods, n_resamples, seed),
        agreement=_agreement(found, at, seed), staying=_staying(found, cells, at, seed),
        n_tasks=len(cells[0].tasks), n_families=len(cells[0].families))


def results_of_curves(curves: xr.Dataset) -> pd.DataFrame:
    """Return the test errors of learning curves as a table of results with a column ``size``.

    Parameters
    ----------
    curves : xarray.Dataset
        As `analysis.load_curves` opens them. Means over the repeats, features unscaled and without
        leakage where there is the choice; learners that learn nothing, or are copies of others,
        are left out, and of LCDB 1.1 values past the end of a dataset.

    Returns
    -------
    pandas.DataFrame
        Columns ``size`` (rows of the training set), ``task, family, method, metric, value`` and
        ``higher_is_better``; no row where there is no value.
    """
    name = main_metric(curves)
    errors = curves[name]
    chosen = {"scaling": main_scaling, "leakage": least_leakage, "split": lambda _: "test"}
    for dim, choose in chosen.items():
        if dim in errors.dims:
            wanted = choose(errors)
            check_known(dim, [wanted], errors[dim].values.tolist())
            errors = errors.sel({dim: wanted}, drop=True)
    errors = errors.sel(learner=~errors["learner"].isin(list(NOT_COUNTED)))
    mean = errors.mean([d for d in ("outer", "inner") if d in errors.dims]).compute()
    if str(curves.attrs.get("database", "")).startswith("lcdb11"):
        mean = without_stray(mean)
    table = mean.reset_coords(drop=True).rename("value").to_dataframe().dropna().reset_index()
    table = table.rename(columns={"dataset": "task", "learner": "method", "anchor": "size"})
    of = dict(zip(names := table["task"].unique(), families(names), strict=True))
    return table.assign(family=table["task"].map(of), metric=name, higher_is_better=False)


def _sized(results: pd.DataFrame, lower_is_better: bool | None) -> pd.DataFrame:
    """Return a table with a number as size in every row, and its direction."""
    table = results
    name = next((str(c) for c in sorted(table, key=lambda c: c != "size")
                 if key_of(c) in ROLES["size"]), None)
    if name is None:
        raise ResultsError("There is no column `size` (rows of the training set) among "
                           f"{', '.join(map(str, list(table)[:8]))}.")
    if not {"task", "method"} <= set(table) or not {"value", "error"} & set(table):
        table = read_frame(table, {"size": name})
    else:
        table = table.rename(columns={name: "size"})
    size = pd.to_numeric(table["size"], errors="coerce")
    wrong = ~np.isfinite(size) | (size <= 0)
    if wrong.any():
        raise ResultsError(f"{int(wrong.sum())} sizes are no numbers above 0, the first: "
                           f"{table.loc[wrong, 'size'].iloc[0]!r}.")
    name = "value" if "value" in table else "error"
    higher = ~lower_by_row(table, name) if lower_is_better is None else not lower_is_better
    table = table.assign(higher_is_better=higher, size=size)
    table = table.drop(columns="lower_is_better", errors="ignore")
    return table.rename(columns={name: "value"})[lambda t: t["value"].notna()]


def same_cells(table: pd.DataFrame, sizes: Sequence[float] | None = None
               ) -> tuple[dict[float, Cells], list[str]]:
    """Return each size's cells, of tasks and methods that all sizes have, and who is left out.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``size, task, method, value`` and more, as `order_by_size` takes them.
    sizes : sequence of float, optional

    Raises
    ------
    ResultsError
        As `order_by_size` says.
    """
    known = np.unique(table["size"])
    if sizes is None:
        sizes = _usual(table)
    sizes = sorted(set(sizes))
    if not len(known):
        raise ResultsError("There is no result of any size.")
    if lacking := [size for size in sizes if size not in known]:
        near = known[np.unique([np.argsort(np.abs(known - size), kind="stable")[:NEAR]
                                for size in lacking])]
        wanted, there = ([f"{n:g}" for n in some] for some in (lacking, near))
        raise ResultsError(f"No result is of size {in_words(wanted, 'or')}; the nearest are "
                           f"{in_words(there)}.")
    if len(sizes) < 2:
        raise ResultsError(f"Two sizes or more are needed at which the same tasks have results; "
                           f"there {'is' if len(known) == 1 else 'are'} "
                           f"{', '.join(f'{n:g}' for n in known[:8])}.")
    own = table[table["size"].isin(sizes)]
    found = {size: to_cells(part, least=1) for size, part in own.groupby("size")}
    tasks, methods = (np.unique(np.concatenate([getattr(cells, of) for cells in found.values()]))
                      for of in ("tasks", "methods"))
    if len(methods) < 2:
        raise ResultsError(f"There is one method only ({methods[0]}): an order needs two or more.")
    kept = _without_gaps(np.any([
        pd.DataFrame(cells.value, cells.tasks, cells.methods).reindex(tasks, columns=methods).isna()
        for cells in found.values()], axis=0))
    if min(own.sum() for own in kept) < 2:
        raise ResultsError("Fewer than two tasks and two methods have results at all of "
                           f"{in_words([f'{n:g}' for n in sizes])}: name other sizes.")
    boards = {size: cells.keep(np.isin(cells.tasks, tasks[kept[0]]),
                               np.isin(cells.methods, methods[kept[1]]))
              for size, cells in found.items()}
    if len({cells.tasks for cells in boards.values()}) > 1:
        raise ResultsError("A task has another family at another size: a task has one.")
    return boards, [note for kind, names, own in (("tasks", tasks, kept[0]),
                                                  ("methods", methods, kept[1]))
                    for note in _left_out(kind, names, own)]


def _usual(table: pd.DataFrame) -> list[float]:
    """Return sizes that many families have, as `order_by_size` takes them by default."""
    family = table["family"].fillna(table["task"]) if "family" in table else table["task"]
    having = family.groupby(table["size"]).nunique()
    enough = having.index[having >= min(ENOUGH, having.max() / 2)].to_numpy(float)
    if len(enough) <= MOST or enough[0] <= 0:
        return enough.tolist()
    steps = np.arange(2 * np.ceil(np.log2(enough[0]) / 2), np.log2(enough[-1]) + 0.1, 2)
    near = np.abs(np.log2(enough)[:, None] - steps).argmin(axis=0)
    return enough[np.unique(near)].tolist()


def _without_gaps(lacking: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return which tasks and which methods lack nothing once those that lack most are left out."""
    kept = [np.ones(n, bool) for n in lacking.shape]
    while (left := lacking[np.ix_(*kept)]).any():
        worst = [left.mean(axis=1), left.mean(axis=0)]
        side = int(worst[1].max() > worst[0].max())
        kept[side][np.flatnonzero(kept[side])[worst[side].argmax()]] = False
    return kept[0], kept[1]


def _left_out(kind: str, names: np.ndarray, kept: np.ndarray) -> list[str]:
    """Return a sentence on who is left out, if anybody."""
    out = names[~kept].tolist()
    return [f"{len(out)} of {len(names)} {kind} lack results at some size and are left out: "
            f"{some_of(out)}."] if out else []


def _stack(found: list[estimates.Estimate]) -> estimates.Estimate:
    """Return the estimates of several sizes as one, whose methods are those of each size."""
    families, methods = found[0].parts.shape
    within = np.kron(np.eye(len(found)), np.ones((methods, methods))) > 0
    every = np.hstack
    squares = np.full(within.shape, np.inf)
    squares[within] = np.concatenate([own.squares.ravel() for own in found])
    return _Stacked(
        level=np.concatenate([own.level for own in found]),
        parts=every([own.parts for own in found]), residual=every([own.residual for own in found]),
        squares=squares, shared=np.full(within.shape, families), common=families * within,
        unknown_span=np.zeros(within.shape), borrowed=found[0].borrowed)


def _crossings(found: list[estimates.Estimate], differ: np.ndarray, at: list[float],
               methods: np.ndarray, seed: int) -> pd.DataFrame:
    """Return the pairs that cross, and where."""
    effect = np.array([own.effect for own in found])
    ahead, behind = differ & (effect > 0), differ & (effect < 0)
    later = np.logical_or.accumulate(behind[::-1])[::-1]
    crosses = ahead[:-1] & later[1:]
    one, other = np.nonzero(crosses.any(axis=0))
    columns = ["one", "other", "until", "since", "at", "low", "high"]
    if not len(one):
        return pd.DataFrame(columns=columns).astype(dict.fromkeys(columns[2:], float))
    parts = np.array([own.parts[:, other] - own.parts[:, one] for own in found])
    times = resample_units(parts.shape[1], seed, DRAWS)
    drawn = crossing_size(np.moveaxis(times @ parts, 0, -1), at)
    low, high = percentile_interval(drawn)
    until = len(at) - 2 - crosses[::-1, one, other].argmax(axis=0)
    since = [k + 1 + int(behind[k + 1:, i, j].argmax())
             for k, i, j in zip(until, one, other, strict=True)]
    sizes = np.array(at)
    return pd.DataFrame(dict(zip(columns, (
        methods[one], methods[other], sizes[until], sizes[since],
        crossing_size(effect[:, one, other].T, at), low, high), strict=True)))


def _shifts(small: estimates.Estimate, large: estimates.Estimate, methods: np.ndarray,
            n_resamples: int, seed: int) -> pd.DataFrame:
    """Return by how much one method gains on another, and whether beyond chance."""
    gains = estimates.combine(large.level - small.level, large.parts - small.parts,
                    large.residual - small.residual, large.common, large.borrowed)
    one, other = np.triu_indices(len(methods), 1)
    effect = gains.effect[one, other]
    one, other = np.where(effect < 0, other, one), np.where(effect < 0, one, other)
    return pd.DataFrame({
        "one": methods[one], "other": methods[other], "effect": np.abs(effect),
        "p_adjusted": step_down(gains, n_resamples, seed).p_adjusted[one, other]}).sort_values(
            ["p_adjusted", "effect"], ascending=[True, False], ignore_index=True, kind="stable")


def crossing_size(effect: np.ndarray, sizes: list[float]) -> np.ndarray:
    """Return the size at which one method's lead over another best ends.

    Parameters
    ----------
    effect : ndarray, shape (..., size)
        By how much the one is ahead.
    sizes : list of float
        Ascending.

    Returns
    -------
    ndarray
        Where the effect, a straight line between sizes (in logarithms), falls through 0; of several
        such sizes the one up to which the lead sums to most. The smallest size where the other
        leads from there on, the largest where the one does.
    """
    x = np.log2(np.asarray(sizes, float))
    first, last, width = effect[..., :-1], effect[..., 1:], np.diff(x)
    area = np.cumsum((first + last) / 2 * width, axis=-1)
    before = np.concatenate([np.zeros((*area.shape[:-1], 1)), area], axis=-1)
    falls = (first > 0) & (last <= 0)
    share = np.divide(first, first - last, out=np.zeros(first.shape), where=falls)
    summed = before[..., :-1] + first * share * width / 2
    where = np.concatenate([np.broadcast_to(x[:1], (*area.shape[:-1], 1)), x[:-1] + share * width,
                            np.broadcast_to(x[-1:], (*area.shape[:-1], 1))], axis=-1)
    summed = np.concatenate([before[..., :1], np.where(falls, summed, -np.inf), before[..., -1:]],
                            axis=-1)
    best = summed.argmax(axis=-1)[..., None]
    return 2.0 ** np.take_along_axis(where, best, axis=-1)[..., 0]


def _taus(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return Kendall's tau-b of boards, shape (draw, method)."""
    a, b = np.triu_indices(one.shape[-1], 1)
    signs = [np.sign(np.round(x[..., a] - x[..., b], 9)) for x in (one, other)]
    norms = np.sqrt(np.prod([np.square(x).sum(axis=-1) for x in signs], axis=0))
    both = (signs[0] * signs[1]).sum(axis=-1)
    return np.divide(both, norms, out=np.full(norms.shape, np.nan), where=norms > 0)


def _agreement(found: list[estimates.Estimate], at: list[float], seed: int) -> pd.DataFrame:
    """Return how well the boards of each two sizes agree, beside boards of one size."""
    rng = np.random.default_rng(seed)
    n = len(found[0].parts)
    half = (rng.permuted(np.tile(np.arange(n), (DRAWS, 1)), axis=1) < n // 2).astype(float)
    swap = rng.choice([-1.0, 1.0], (DRAWS, n))
    parts = [own.parts for own in found]
    within = [_taus(half @ own, (1 - half) @ own) for own in parts]
    rows = []
    for i, j in zip(*np.triu_indices(len(at), 1), strict=True):
        tau = float(_taus(found[i].level, found[j].level))
        mean, apart = (parts[i] + parts[j]).sum(axis=0) / 2, swap @ (parts[i] - parts[j]) / 2
        swapped = _taus(mean + apart, mean - apart)
        rows.append({
            "smaller": at[i], "larger": at[j], "tau": tau,
            "halves": np.nanmean(np.r_[within[i], within[j]]), "swapped": np.nanmean(swapped),
            "p": (1 + (swapped <= tau + 1e-9).sum()) / (1 + DRAWS)})
    return pd.DataFrame(rows)


def _staying(found: list[estimates.Estimate], cells: list[Cells], at: list[float],
             seed: int) -> pd.DataFrame:
    """Return what it costs at each larger size to stay with who is first at a smaller one.

    Were the first told by all other families, ties would be told against the family left out.
    """
    names, n = np.array(cells[0].methods, object), len(found[0].parts)
    half = np.random.default_rng(seed).permuted(np.tile(np.arange(n) < n // 2, (HALVES, 1)), axis=1)
    times, rows = np.vstack([np.ones((1, n)), resample_units(n, seed, DRAWS // 4)]), []
    told, judged = np.vstack([half, ~half]), np.vstack([~half, half])

    def summed(over: np.ndarray, value: np.ndarray) -> np.ndarray:  # (resample, half, method)
        every = over.T[..., None] * value[:, None]
        return (times @ every.reshape(n, -1)).reshape(len(times), *every.shape[1:])

    first = [summed(told, own.parts).argmin(axis=-1)[..., None] for own in found]
    for i, j in zip(*np.triu_indices(len(at), 1), strict=True):
        value = np.add.reduceat(cells[j].value, cells[j].starts) / cells[j].sizes[:, None]
        known = estimates.on_one_scale_of_values(cells[j])
        sums = summed(judged, value if known else value * np.nan)
        lost = np.subtract(*(np.take_along_axis(sums, first[k], axis=-1).sum(axis=(1, 2))
                             for k in (j, i))) / (times @ judged.sum(axis=0))
        low, high = percentile_interval(lost[1:])
        rows.append({"smaller": at[i], "larger": at[j], "stays": names[found[i].level.argmin()],
                     "best": names[found[j].level.argmin()], "regret": lost[0],
                     "low": float(low), "high": float(high)})
    return pd.DataFrame(rows)


@checked
def small_and_large(results: pd.DataFrame, rows: pd.Series, seed: int = 0, *,
                    features: pd.Series | None = None) -> dict[str, float]:
    """Say whether small and large tasks have another order than chance alone would make.

    Parameters
    ----------
    results : pandas.DataFrame
        As `analysis.leaderboards.order` takes it, of one size a task.
    rows : pandas.Series
        Rows of each task, by its name; tasks that are not in it are left out.
    seed : int
    features : pandas.Series, optional
        Likewise, the number of features of each task.

    Returns
    -------
    dict
        ``families`` and ``methods`` without a missing result; ``rows``, above the median of which
        a family is large; ``tau`` (Kendall's, of the boards of small and large families),
        ``permuted`` (its mean when sizes are dealt to families at random) and ``p``, how often
        these agree no better. With features ``permuted_alike`` and ``p_alike`` too: sizes are dealt
        within each third of families by their number of features, so that what wide tables do to
        the order is not taken for what many rows do.

    Raises
    ------
    ResultsError
        Of fewer than twelve families or three methods.
    """
    known = pd.DataFrame({"rows": rows} | ({} if features is None else {"features": features}))
    known = known[(known > 0).all(axis=1)].rename(str)
    cells = to_cells(results)
    cells = cells.keep(*_without_gaps(np.isnan(cells.value) | ~np.isin(
        cells.tasks, known.index)[:, None]))
    if len(cells.families) < LEAST_SPLIT or len(cells.methods) < LEAST_METHODS:
        raise ResultsError(f"{len(cells.families)} families have rows and all results of "
                           f"{len(cells.methods)} methods; {LEAST_SPLIT} and {LEAST_METHODS} are "
                           "the least.")
    parts = estimates.estimate_ranks(cells).parts
    own = known.loc[list(cells.tasks)].to_numpy(float)
    means = (np.add.reduceat(own, cells.starts) / cells.sizes[:, None]).T
    large = means[0] > np.median(means[0])
    found = {"families": len(large), "methods": len(cells.methods),
             "rows": float(np.median(means[0]))}
    for of, width in zip(("", "_alike"), (np.zeros(len(large)), *means[1:]), strict=False):
        third = np.searchsorted(np.quantile(width, [1 / 3, 2 / 3]), width)
        deals = _dealt(large, third, seed)
        taus = _taus(deals @ parts / deals.sum(axis=1, keepdims=True),
                     (1 - deals) @ parts / (1 - deals).sum(axis=1, keepdims=True))
        found |= {"tau": float(taus[0]), f"permuted{of}": float(taus[1:].mean()),
                  f"p{of}": float((taus <= taus[0] + 1e-9).mean())}
    return found


def _dealt(large: np.ndarray, group: np.ndarray, seed: int) -> np.ndarray:
    """Return who is large, then that dealt anew within each group, shape (1 + DRAWS, family)."""
    rng, deals = np.random.default_rng(seed), np.tile(large, (1 + DRAWS, 1)).astype(float)
    for own in (group == k for k in np.unique(group)):
        deals[1:, own] = rng.permuted(deals[1:, own], axis=1)
    return deals
