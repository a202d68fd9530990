"""Which rows of a table resemble each other more than new rows will: copies, and hidden groups."""

import re
import time
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree
from scipy.special import betainc, ndtri, stdtrit
from scipy.stats import binom, false_discovery_control

from collection.own_table.learners import SEED, prepare_columns
from collection.own_table.measure import Measurable
from collection.protocol.rows import FOLDS, Rows

ROUNDED = 0.1  # of a column's standard deviation: closer values are equal but for rounding
WIDER = 4  # times as far apart, where rows that are no copies would be many times as many
MEASURED = 0.1  # different values, as a share of the rows, of a column that was measured
FEWEST_MEASURED, LOOKED_AT = 3, 6  # such columns that rows are compared by, at first
SEARCHED = 4  # of these, by which the closest rows are looked for
MOST_TWOS = 45  # two columns each, in which rows that share half of their values are looked for
COLLINEAR = 0.9  # rank correlation from which on a column says no more than another one
MOST_PAIRS = 30  # for a row, that are compared
FEW, MANY = 300, 30_000  # rows by which is told whether to look at all, where these are more
MANY_MORE = 10  # times the pairs, of rows that are equal but for one column, from which on …
SURE = 0.5  # … of copies that agree but in one column, so many agree in it too, beyond chance
NEIGHBOURS = (10, 40)  # by whose distances is told how densely rows lie, without their copies
UNLIKELY = 0.01  # chance of a distance that tells of copies
FALSE_PAIRS = 0.05  # share of the pairs that are linked as copies that may be so near by chance
OFTEN = 0.1  # share of rows as near another as `UNLIKELY`, from which on it is no chance
TWINS = 3  # nearest rows that may be copies of one
MOST_COLUMNS = 100  # of which each is left out in turn
FEWEST_SITES, FEWEST_LEVELS = 3, 15  # values of a column that may be groups; that may be many
SITE = re.compile(r"(?i)(.*[\W_])?(sites?|cent(er|re)s?|hospital|clinic|ward|batch|plate|plant|lab|"
                  r"laboratory|station|farm|field|plot|school|district|store|branch|machine|device|"
                  r"scanner|sensor|instrument|operator|rater|annotator|session|run|cohort|study|"
                  r"source|location|region|country|block|herd|tank|cage|litter|team|supplier|"
                  r"vendor|driver|speaker|writer|participant|patient|subject|user|lot|wave|facility|"
                  r"office|provider|surgeon|physician|doctor|nurse|coder|observer|reader|province|"
                  r"county|city|town|village|island|cluster|slide|chip|lane)([\W_].*|\d+)?")
TOGETHER = 0.8  # of the rows follow one of the same value, beyond chance: a file of such blocks
MOST_ALIKE = 10  # columns of few numbers of which nothing tells: more are features, like each other
MOST_ROWS = 1000  # that are looked at …
FEWEST_EACH = 10  # … whole groups, were there fewer of each among them
FOREST = {"n_estimators": 20, "min_samples_leaf": 3, "random_state": SEED}
MOST_FEATURES = 10  # that are tried for a split of its trees
SHARE_MORE = 0.2  # by which the error must rise when a group's rows are kept together …
UNNAMED_MORE = 0.5  # … and where no name tells of few groups
EVEN = 0.55  # of such values' number that there are in effect (1 / sum of p²)
BY_CHANCE = 0.02  # … and how often it may by chance, over all columns that are tried
BY_FEW = 0.1  # … counted by groups, where these are few, and rows have to tell the rest


@dataclass(frozen=True, eq=False)
class Copies:
    """Rows that stand in a table more than once.

    Attributes
    ----------
    sets : ndarray of int, shape (n_rows,)
        The same number for rows that are equal, but for rounding.
    equal, near : int
        Rows that equal an earlier one in every column; that nearly equal one: but for rounding,
        noise, or a few columns.
    sure : bool
        Whether no other explanation is near: rows that agree in all columns but one agree in that
        one too. Where columns have few values, rows may well be equal and not be copies.
    """

    sets: np.ndarray
    equal: int
    near: int
    sure: bool


def find_copies(frame: pd.DataFrame) -> Copies | None:
    """Find rows that equal another one, or nearly.

    Parameters
    ----------
    frame : pandas.DataFrame
        The columns that are used, the target among them. Whole numbers that differ in every row
        are taken for identifiers, and not looked at; nor is a column but for which rows are equal.

    Returns
    -------
    Copies or None
        None where no row equals another.
    """
    rng = np.random.default_rng(SEED)
    columns = [frame[name] for name in frame if not _identifier(frame[name])]
    codes = [pd.factorize(column)[0] + 1 for column in columns]
    marks = np.stack([rng.integers(2**63, size=own.max() + 1, dtype=np.uint64)[own]
                      for own in codes])
    whole, n, rows = marks.sum(0), len(frame), np.arange(len(frame))
    if len(marks) <= MOST_COLUMNS:  # but for one column: an identifier, labels given twice
        pairs = [_count_pairs(whole - own) for own in marks]
        rest = np.delete(marks, int(np.argmax(pairs)), axis=0)
        many = len(np.unique(rest.sum(0))) * MANY_MORE >= n  # else columns merely have few values
        if many and max(pairs) > MANY_MORE * _count_pairs(whole) and _told_least(rest) >= SURE:
            marks, whole = rest, rest.sum(0)
    pairs = _count_pairs(whole)
    _, first, which = np.unique(whole, return_index=True, return_inverse=True)
    first = first[which]
    once = np.flatnonzero(first == rows)  # equal rows would make all others look far
    repeated = once[_repeated([column.iloc[once] for column in columns])]
    near = np.concatenate([_near(columns), repeated], axis=1)
    if not near.size and not pairs:
        return None
    links = np.concatenate([np.stack([rows, first]), near], axis=1)
    count, sets = connected_components(coo_array((np.ones(links.shape[1]), links), shape=(n, n)))
    equal = int((first != rows).sum())
    return Copies(sets, equal, n - count - equal, not pairs or _told_least(marks) >= SURE)


def _told_least(marks: np.ndarray) -> float:
    """Return the least of `_told` over all columns; 0 where no two rows are equal."""
    whole = marks.sum(0)
    pairs = _count_pairs(whole)
    return min(_told(own, whole - own, pairs) for own in marks) if pairs else 0.0


def _told(own: np.ndarray, others: np.ndarray, pairs: int) -> float:
    """Return how far rows that agree in all other columns agree in one too, beyond chance.

    1 where all do, 0 where no more do than any two rows.
    """
    count = np.unique(own, return_counts=True)[1]
    chance = float(((count / len(own)) ** 2).sum())
    return 1.0 if chance == 1 else (pairs / _count_pairs(others) - chance) / (1 - chance)


def _near(columns: list[pd.Series]) -> np.ndarray:
    """Return the pairs of rows that are equal but for rounding, shape (2, n_pairs).

    There are none of too few measurements to tell, and where pairs a little farther apart are as
    frequent as chance makes them.
    """
    none = np.zeros((2, 0), int)
    measured = [_is_measured(column) for column in columns]
    if sum(measured) < FEWEST_MEASURED:
        return none
    every = np.stack([((c - c.mean()) / c.std()).fillna(-WIDER).to_numpy() if there
                      else WIDER * (pd.factorize(c)[0] + 1.0)
                      for c, there in zip(columns, measured, strict=True)], axis=1)
    at = every[:, np.flatnonzero(measured)[:LOOKED_AT]]
    tree, some = cKDTree(at), _few(len(at))
    near = tree.query_ball_point(at[some], WIDER * ROUNDED, p=np.inf, return_length=True)
    if near.mean() > MOST_PAIRS:
        return none
    quick = cKDTree(at[:, :SEARCHED])  # as it has few columns, if it finds few pairs
    near = quick.query_ball_point(quick.data[some], ROUNDED, p=np.inf, return_length=True)
    close = (quick if near.mean() <= MOST_PAIRS else tree).query_pairs(
        ROUNDED, p=np.inf, output_type="ndarray")
    close = close[_farthest(every, close) <= ROUNDED]
    if not len(close):  # pairs that are farther apart are many, and take seconds
        return none
    wider = tree.query_pairs(WIDER * ROUNDED, p=np.inf, output_type="ndarray")
    wider = wider[_farthest(every, wider) <= WIDER * ROUNDED]
    return close.T if len(close) >= SURE * len(wider) else none


def _farthest(at: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return how far the rows of each pair are apart in the column where that is most."""
    return np.abs(at[pairs[:, 0]] - at[pairs[:, 1]]).max(1)


def _repeated(columns: list[pd.Series]) -> np.ndarray:
    """Return the pairs of rows that are nearer to each other than chance makes any two.

    Rows that lie at random in D dimensions have k neighbours within a distance that grows as
    k^(1/D); D is that of the 10th to the 40th neighbour. Of pairs that share at least half of
    their measured values exactly, none come about by chance.
    """
    measured = _independent([column for column in columns if _is_measured(column)])
    n, none = len(columns[0]), np.zeros((2, 0), int)
    if len(measured) < FEWEST_MEASURED or n < 2 * NEIGHBOURS[1]:
        return none
    alike = _sharing([pd.factorize(column)[0] for column in measured])
    at = np.stack([ndtri((c.rank().fillna(n / 2).to_numpy() - 0.5) / n) for c in measured], axis=1)
    for some in [_few(n)] * (n > MANY) + [np.arange(n)]:
        chance, which = _chances(at, some)
        if (chance[:, 0] < UNLIKELY).mean() < OFTEN:
            return alike
    far = false_discovery_control(chance, axis=None) > FALSE_PAIRS
    rows, place = np.nonzero(chance < chance.min(initial=1, where=far.reshape(chance.shape)))
    mate = which[rows, place + 1]
    mutual = np.isin(rows * n + mate, mate * n + rows)
    return np.concatenate([alike, np.stack([rows[mutual], mate[mutual]])], axis=1)


def _few(n: int) -> np.ndarray:
    """Return all of n rows, or of more than `MANY` a few at random."""
    return np.arange(n) if n <= MANY else np.random.default_rng(SEED).permutation(n)[:FEW]


def _chances(at: np.ndarray, some: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how likely some rows' nearest ones are so near by chance, and which rows are near."""
    from sklearn.neighbors import NearestNeighbors

    near, far = NEIGHBOURS
    distance, which = NearestNeighbors(n_neighbors=far + 1).fit(at).kneighbors(at[some])
    own, wide = distance[:, 1:TWINS + 1], distance[:, [near]]
    growth = np.log(distance[:, far] / np.maximum(distance[:, near], 1e-12))
    inside = np.minimum(own / np.maximum(wide, 1e-12), 1) ** (
        np.log(far / near) / max(float(np.median(growth)), 1e-12))
    return betainc(np.arange(1, TWINS + 1), near - np.arange(1, TWINS + 1), inside), which


def _independent(columns: list[pd.Series]) -> list[pd.Series]:
    """Return the columns without those that say no more than one before: they agree with it."""
    table = pd.DataFrame(dict(enumerate(columns)))
    alike = table.iloc[_few(len(table))].corr("spearman").abs().to_numpy()
    kept: list[int] = []
    for k in range(len(columns)):
        if (alike[k, kept] < COLLINEAR).all():
            kept.append(k)
    return [columns[k] for k in kept]


def _sharing(codes: list[np.ndarray]) -> np.ndarray:
    """Return the pairs of rows that share at least half of some columns' values, not by chance.

    Such a pair shares the values of two columns at least. All twos are looked at where these are
    `MOST_TWOS` or fewer; of so many at random a pair that shares half of the columns is in one.
    """
    n, half, found = len(codes[0]), max(2, -(-len(codes) // 2)), []
    twos = list(combinations(codes, 2))
    dealt = np.random.default_rng(SEED).permutation(len(twos))[:MOST_TWOS]
    for one, other in (twos[k] for k in dealt):
        own = np.where((one < 0) | (other < 0), -1, one * (other.max() + 1) + other)
        order = np.argsort(own, kind="stable")
        for apart in range(1, MOST_PAIRS):
            same = np.flatnonzero((own[order[apart:]] == own[order[:-apart]])
                                  & (own[order[apart:]] >= 0))
            if not len(same):
                break
            pair = np.sort(np.stack([order[same], order[same + apart]]), axis=0)
            found.append(pair[0] * n + pair[1])
    first, second = np.divmod(np.unique(np.concatenate(found or [np.zeros(0, int)])), n)
    shared = sum(((own[first] == own[second]) & (own[first] >= 0)).astype(int) for own in codes)
    often = [((np.bincount(own + 1)[1:] / n) ** 2).sum() for own in codes]
    by_chance = binom.sf(half - 1, len(codes), np.mean(often)) * n**2 / 2
    pairs = np.stack([first, second])[:, shared >= half]
    return pairs if pairs.shape[1] > max(10 * by_chance, 1) else np.zeros((2, 0), int)


def _is_measured(column: pd.Series) -> bool:
    if not pd.api.types.is_float_dtype(column):
        return False
    values = np.unique(column.dropna())
    return len(values) >= max(2, MEASURED * len(column)) and bool((values % 1 != 0).any())


def _identifier(column: pd.Series) -> bool:
    return bool(pd.api.types.is_numeric_dtype(column) and column.is_unique
                and (column.dropna() % 1 == 0).all())


def _count_pairs(marks: np.ndarray) -> int:
    """Return how many pairs of rows are equal."""
    count = np.unique(marks, return_counts=True)[1]
    return int((count * (count - 1) // 2).sum())


@dataclass(frozen=True, eq=False)
class HiddenGroup:
    """A column whose rows of one value resemble each other.

    Attributes
    ----------
    column : str
    codes : ndarray of int, shape (n_rows,)
        Its values, as groups.
    told : bool
        Whether more than the error tells so: its name, or the order of rows; and the error rises
        in more groups than one or two. Else it may be a feature like others, of which only a value
        that is not here is worse.
    random, apart : float
        Mean loss of a quick learner: rows split at random; with a value's rows on one side.
    """

    column: str
    codes: np.ndarray
    told: bool
    random: float
    apart: float


def find_groups(table: Measurable, seconds: float = np.inf,
                known: dict | None = None) -> tuple[HiddenGroup | None, list[str]]:
    """Find the column by which splitting the rows changes the error most, if by more than noise.

    Parameters
    ----------
    table : Measurable
        Split at random, but for copies.
    seconds : float
        Time that may be spent; columns are tried in turn, one at least.
    known : dict, optional
        Of `quick_both`.

    Returns
    -------
    found : HiddenGroup or None
        None where no column does; see `exceeds` for the noise.
    untried : list of str
        The columns for which no time was left, of those that look like groups.
    """
    deadline = time.perf_counter() + seconds
    found, known = [], {} if known is None else known
    untried = _candidates(table.features, _in_blocks(pd.Series(table.rows.target)))
    by_chance = BY_CHANCE / max(len(untried), 1)
    while untried:
        name, told, share = untried.pop(0)
        codes = pd.factorize(table.features[name].astype(str))[0]
        split = replace(table, rows=Rows(table.rows.target, table.rows.regression, codes, None))
        losses, groups = quick_both(table, split, known)
        more = losses[1] - losses[0]
        if more.sum() > share * losses[0].sum():
            sure = exceeds(more, groups, by_chance)
            if sure or (codes.max() < FEWEST_LEVELS - 1 and exceeds(more, None, by_chance)):
                found.append(HiddenGroup(name, codes, told and sure, *losses.mean(1)))
        if time.perf_counter() > deadline:
            break
    best = max(found, key=lambda one: (one.told, one.apart - one.random), default=None)
    return best, [name for name, told, _ in untried if told]


def exceeds(more: np.ndarray, groups: np.ndarray | None, chance: float) -> bool:
    """Tell whether losses rise on the whole, beyond what noise does with that chance.

    Parameters
    ----------
    more : ndarray, shape (n_rows,)
        By how much each row's loss is higher.
    groups : ndarray of int, optional
        The rows of a group were held out together, and what moved them alike counts once: it is
        told by Student's t of sums over groups. Of fewer than `FEWEST_LEVELS` that would hardly
        tell anything: with `BY_FEW` by groups, with `chance` by rows.
    chance : float
    """
    if groups is None:
        return bool(more.sum() > -ndtri(chance) * more.std(ddof=1) * np.sqrt(len(more)))
    sums = np.bincount(pd.factorize(groups)[0], more)
    few = len(sums) < FEWEST_LEVELS
    if len(sums) < 2 or (few and not exceeds(more, None, chance)):
        return False
    limit = stdtrit(len(sums) - 1, 1 - (BY_FEW if few else chance))
    return bool(sums.sum() > limit * sums.std(ddof=1) * np.sqrt(len(sums)))


def _in_blocks(column: pd.Series) -> bool:
    """Tell whether rows of one value follow each other, as nearly all of a sorted file do."""
    chance = float((column.value_counts(normalize=True) ** 2).sum())
    follows = float((column.to_numpy()[1:] == column.to_numpy()[:-1]).mean())
    return follows - chance >= TOGETHER * (1 - chance)


def _candidates(features: pd.DataFrame, by_target: bool) -> list[tuple[str, bool, float]]:
    """Return the columns whose values could be groups, those that are likeliest so first.

    With each, whether more than the error tells so, and by which share the error must rise. Of
    numbers with decimals those alone whose values all stand in as many rows, by half; of numbers of
    which nothing tells, those whose rows are not mostly of a few values, if there are no more than
    `MOST_ALIKE`. Blocks of rows tell of groups, unless the rows stand `by_target`, as all that goes
    with it does then.
    """
    found = []
    for name, column in features.items():
        counts = column.value_counts()
        if not FEWEST_SITES <= len(counts) <= counts.sum() / 2:
            continue
        text, few = not pd.api.types.is_numeric_dtype(column), len(counts) < FEWEST_LEVELS
        if not text and (column % 1 > 0).any() and counts.min() < max(2, counts.mean() / 2):
            continue
        named = bool(SITE.fullmatch(str(name))) or (text and not few)
        told = named or (not by_target and _in_blocks(column))
        even = EVEN * len(counts) * ((counts / counts.sum()) ** 2).sum() <= 1
        if told or text or even:
            share = SHARE_MORE if named else UNNAMED_MORE
            found.append((named, told, text, (name, told, share)))
    if sum(not (told or text) for _, told, text, _ in found) > MOST_ALIKE:
        found = [one for one in found if one[1] or one[2]]
    return [one[-1] for one in sorted(found, key=lambda own: own[:3], reverse=True)]


def some_rows(n: int, codes: np.ndarray | None = None) -> np.ndarray:
    """Return `MOST_ROWS` of n rows, or of some whole groups a little more."""
    if n <= MOST_ROWS:
        return np.arange(n)
    codes = np.arange(n) if codes is None else codes
    place = np.random.default_rng(SEED).permutation(codes.max() + 1)[codes]
    return np.flatnonzero(place <= np.sort(place)[MOST_ROWS - 1])


def quick_both(plain: Measurable, split: Measurable,
               known: dict) -> tuple[np.ndarray, np.ndarray | None]:
    """Return a quick learner's losses on some rows of a table, split in two ways.

    Parameters
    ----------
    plain, split : Measurable
        The same rows.
    known : dict
        Losses by what they are of; what is worked out here is added.

    Returns
    -------
    losses : ndarray, shape (2, n_rows)
        Of the rows that both have: where whole classes are of one group, nothing is told.
    groups : ndarray or None
        Of these rows, in the other way.
    """
    groups, found = split.rows.groups, []
    whole = groups is not None and groups.max() >= MOST_ROWS / FEWEST_EACH
    own = some_rows(len(plain.rows.target), groups if whole else None)
    for one in (plain, split):
        codes, times = (None if by is None else np.unique(by[own], return_inverse=True)[1]
                        for by in (one.rows.groups, one.rows.times))
        split_by = tuple(None if by is None else by.tobytes() for by in (codes, times))
        key = (own.tobytes(), split_by, one.features.shape[1])
        if key not in known:
            rows = Rows(one.rows.target[own], one.rows.regression, codes, times)
            known[key] = quick_losses(replace(
                one, features=one.features.iloc[own].reset_index(drop=True), rows=rows))
        found.append(known[key])
    losses = np.stack(found)
    both = np.isfinite(losses).all(0)
    return losses[:, both], None if groups is None else groups[own][both]


def quick_losses(table: Measurable) -> np.ndarray:
    """Return each row's loss while a quick learner held it out: 1 if wrong, or its square.

    NaN of rows that it never held out, and of those whose class it was not shown then. Of few
    groups each is held out in turn.
    """
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    rows, losses = table.rows, np.full(len(table.rows.target), np.nan)
    kind = RandomForestRegressor if rows.regression else RandomForestClassifier
    features = prepare_columns(table.features, "codes").fit_transform(table.features)
    share = min(1.0, MOST_FEATURES / features.shape[1])
    for outer in range(FOLDS):
        split = rows.split(outer, 0)
        if len(split.test) and len(split.train):
            model = kind(**FOREST, max_features=share)
            model.fit(features[split.train], rows.target[split.train])
            off = model.predict(features[split.test]) - rows.target[split.test]
            shown = rows.regression or np.isin(rows.target[split.test], rows.target[split.train])
            losses[split.test] = np.where(shown, off**2 if rows.regression else off != 0, np.nan)
    return losses
