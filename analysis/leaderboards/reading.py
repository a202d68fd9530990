"""What of a table of results is a task, a method, a value, and whether lower is better.

The panel of the book reads by the same rules (``book/_static/order/reader.js``); one corpus of
files tests both.
"""

import re
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from analysis.leaderboards.cells import ResultsError, yes_or_no

#: Names of columns that are guessed, the first that is there.
GUESSES = {
    "task": ("task", "dataset", "data", "task_name", "dataset_name", "problem_name", "task_id",
             "tid", "did", "benchmark", "instance", "instance_id"),
    "method": ("method", "learner", "model", "algorithm", "framework", "classifier", "estimator",
               "system", "config"),
    "value": ("value", "score", "result", "metric_error", "error", "accuracy", "acc", "auc",
              "roc_auc", "f1", "r2", "error_rate", "loss", "log_loss", "logloss", "rmse", "mae",
              "predictive_accuracy", "mean"),
    "fold": ("fold", "split_id", "cv_fold"),
    "seed": ("seed", "repeat", "repetition", "run", "trial"),
    "family": ("family",),
}
OWN = ("study", "problem", "metric", "variant", "higher_is_better", "lower_is_better", "deviation",
       "repeats", "reason")


def _words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


HIGHER = _words_of(
    "accuracy acc bacc auc auroc rocauc auprc prauc aucpr ap map f1 fscore fmeasure r2 "
    "precision recall sensitivity specificity mcc kappa ndcg mrr bleu rouge meteor iou miou "
    "dice jaccard correlation spearman pearson kendall elo win wins psnr ssim lift gini gmean "
    "nmi ari reward hits")
LOWER = _words_of(
    "error errors err loss logloss rmse mse mae mape smape mase wape wql rmsle rmsse nrmse "
    "medae brier deviance regret time seconds runtime duration crps nll ece mce perplexity "
    "ppl rank ranks wer cer fid cost distance hamming misclassification entropy crossentropy "
    "hinge")
SUMMARY = _words_of(
    "mean average avg median meanrank averagerank avgrank rank std sd stdev stddev min max "
    "minimum maximum best worst total sum overall gesamt mittelwert meanstd")
COUNTS = _words_of(
    "n rows samples instances examples size features columns attributes classes count counts "
    "number num id did tid year time seconds runtime duration fold seed index")
INDEX = ("", "unnamed: 0", "index", "#", "no", "no.", "nr", "row", "id")
METHODS = re.compile(
    r"forest|boost|svm|svc|knn|neighbo|logistic|linear|ridge|lasso|mlp|perceptron|tree|bayes|"
    r"gbm|tabpfn|automl|gluon|sklearn|tpot|h2o|resnet|transformer|dummy|^(rf|et|lr|nn|nb|dt|lda|"
    r"qda|gp|cart|xgb|cat|svr)$", re.IGNORECASE)
MISSING = frozenset(("", "na", "nan", "n/a", "null", "none", "<na>", "#n/a", "-", "–", "—", "?"))
MARKUP = re.compile(r"\\(?:textbf|mathbf|textit|underline|emph)\{([^{}]*)\}|[*†‡$]")
SPREAD = re.compile(r"^(.*?\S)\s*(?:±|\+/-|\+-|\\pm)\s*\S+$|^(.*?\S)\s*\([^()]*\)$")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")


class DirectionError(ResultsError):
    """Nothing says whether lower is better; the message asks."""


def lower_is_better(name: str) -> bool | None:
    """Return whether lower values of a metric are better, by its name; None where it does not say.

    >>> [lower_is_better(n) for n in ("AUROC", "log_loss", "neg_log_loss", "score")]
    [False, True, False, None]
    """
    words = re.findall(r"[a-z0-9]+", re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", str(name)).lower())
    plain = [w if w in HIGHER | LOWER else w.rstrip("0123456789") for w in words]
    higher, lower = (any(w in known for w in plain) for known in (HIGHER, LOWER))
    if higher == lower:
        return True if lower and plain[-1] in ("error", "loss", "regret") else None
    turned = words[0] in ("1", "one") or bool({"neg", "negative"} & set(words))
    return lower != turned


def read_table(names: list[str], rows: list[list[str]],
               columns: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Return a long or wide table with the columns of `SCHEMA` by name.

    Parameters
    ----------
    names : list of str
    rows : list of list of str
        Values as they are written; empty where missing.
    columns : mapping, optional
        Which column is ``task, method, value, fold, seed, family``. In a wide table ``value`` is
        the name of its metric.

    Returns
    -------
    pandas.DataFrame
        ``attrs["read"]``: ``layout``, ``told`` (what says which direction is better) and ``out``
        (what was left out), in words. Without a column of directions where nothing tells.

    Raises
    ------
    ResultsError
        Where there are no columns that can be tasks, methods and values; for values that are no
        numbers.
    """
    columns = dict(columns or {})
    metric = columns.pop("value") if columns.get("value") not in (None, *names) and \
        lower_is_better(columns["value"]) is not None else None
    for role, name in columns.items():
        if name not in names:
            raise ResultsError(f"There is no column {name!r} for the {role}; there are "
                               f"{', '.join(names[:12])}.")
    at = {role: names.index(name) for role, name in columns.items()}
    lowered = [n.lower() for n in names]
    for role, known in GUESSES.items():
        if role not in at and role != "value":
            free = [lowered.index(n) for n in known if n in lowered
                    and lowered.index(n) not in at.values()]
            at |= {role: free[0]} if free else {}
    if "method" in at and "value" not in at and metric is None:
        at |= _value_column(names, rows, at)
    frame = pd.DataFrame(rows, columns=range(len(names)), dtype=object)
    if "method" in at and "value" in at:
        return _from_long(frame, names, at)
    at.pop("value", None)
    return _from_wide(frame, names, at, metric)


def _value_column(names: list[str], rows: list[list[str]], at: Mapping[str, int]) -> dict[str, int]:
    """Return which column holds the values of a long table: a usual name, a metric's, the only."""
    lowered = [n.lower() for n in names]
    free = [k for k in range(len(names)) if k not in at.values() and lowered[k] not in OWN]
    usual = [k for n in GUESSES["value"] if n in lowered and (k := lowered.index(n)) in free]
    named = [k for k in free if lower_is_better(names[k]) is not None]
    only = free if len(free) == 1 and "task" in at else []
    found = [k for k in (*usual, *named, *only) if _is_numeric([row[k] for row in rows[:200]])]
    # With tasks in columns, a column named like a value is a task or a summary.
    return {"value": found[0]} if found and ("task" in at or usual) else {}


def _is_numeric(cells: Iterable[str]) -> bool:
    """Tell whether at least half of the cells that are there begin like numbers."""
    there = [c for c in cells if c.lower() not in MISSING]
    like = sum(bool(re.match(r"[\s*$€\\{a-z]*[+-]?[.,]?\d", c)) for c in there)
    return bool(there) and 2 * like >= len(there)


def _from_long(frame: pd.DataFrame, names: list[str], at: Mapping[str, int]) -> pd.DataFrame:
    if "task" not in at:
        raise ResultsError(f"There is no column of tasks among {', '.join(names[:12])}: name it "
                           "(TASK=…).")
    own = {n.lower(): k for k, n in enumerate(names)
           if n.lower() in OWN and k not in at.values()}
    long = frame[[*at.values(), *own.values()]].set_axis([*at, *own], axis=1)
    unused = [f"column `{n}`" for k, n in enumerate(names)
              if k not in (*at.values(), *own.values()) and n]
    long, out = _without_summaries(long, "task")
    return _finished(long, names[at["value"]], "a row per result", [*out, *unused])


def _finished(long: pd.DataFrame, source: str, layout: str, out: list[str]) -> pd.DataFrame:
    """Return a long table with numbers, names, its direction, and how it was read."""
    written = [c for c in ("value", "deviation", "repeats") if c in long]
    for name in written:
        long[name] = numbers(long[name], long["method"], long["task"])
    for role in ("task", "fold", "seed"):
        if role in long:
            long[role] = long[role].map(_name)
    text = long.columns.drop(written)
    long[text] = long[text].where(long[text] != "", None)
    direction, told = _direction(long, source)
    long = long.assign(**direction)
    long.attrs = {"read": {"layout": layout, "told": told, "out": out}}
    return long


def _direction(long: pd.DataFrame, source: str) -> tuple[dict[str, object], str | None]:
    """Return a column of directions, and what told: its own, its metric's, or a name that tells."""
    for column in ("lower_is_better", "higher_is_better"):
        if column in long:
            return {column: yes_or_no(long[column], column)}, f"column `{column}`"
    if "metric" in long and long["metric"].notna().all():
        known = {m: lower_is_better(m) for m in long["metric"].unique()}
        if None not in known.values():
            return {"lower_is_better": long["metric"].map(known).astype(bool)}, "column `metric`"
    lower = lower_is_better(source)
    return ({}, None) if lower is None else ({"lower_is_better": lower}, f"`{source}`")


def _from_wide(frame: pd.DataFrame, names: list[str], at: Mapping[str, int],
               metric: str | None) -> pd.DataFrame:
    """Return a wide table, a row per task and a column per method (or the other way), as long."""
    numeric = [_is_numeric(frame[k].head(200)) for k in frame]
    first = at.get("method", at.get("task"))
    if first is None:
        text = [k for k in frame if not numeric[k] and frame[k].ne("").any()]
        first = text[0] if text else 0
    frame, out = _without_summaries(frame, first)  # first: sums and means make no counts
    keep = {role: k for role, k in at.items() if role in ("fold", "seed", "family") and k != first}
    free = [k for k in frame if k != first and k not in keep.values()]
    why = _left_out(frame, names, free, first)
    rest = [k for k in free if k not in why]
    if len(rest) < 2 or not any(numeric[k] for k in rest):
        raise ResultsError("This is no table of results: it takes columns task, method and value, "
                           "or a row per task with a column per method. There are "
                           f"{', '.join(n or '(no name)' for n in names[:12])}.")
    labels = frame[first].tolist()
    like = [np.mean([bool(METHODS.search(x)) for x in some])
            for some in (labels, [names[k] for k in rest])]
    by_method = "method" in at or ("task" not in at and like[0] > like[1])
    roles = ("method", "task") if by_method else ("task", "method")
    wide = frame[[first, *keep.values(), *rest]].set_axis(
        [roles[0], *keep, *(names[k] for k in rest)], axis=1)
    long = wide.melt([roles[0], *keep], [names[k] for k in rest], var_name=roles[1],
                     value_name="value")
    unused = [f"column `{names[k]}` ({w})" if names[k] else f"a column without a name ({w})"
              for k, w in why.items()]
    return _finished(long, metric or names[first],
                     f"a {'row' if by_method else 'column'} per method", [*unused, *out])


def _left_out(frame: pd.DataFrame, names: list[str], free: list[int], first: int) -> dict[int, str]:
    """Return which columns of a wide table are no methods, and why."""
    why, value = {}, {}
    for k in free:
        cells = frame[k]
        words = re.findall(r"[a-z]+", re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", names[k]).lower())
        if not _is_numeric(cells.head(200)):
            why[k] = "empty" if cells.eq("").all() else "no numbers"
            continue
        value[k] = pd.to_numeric(cells, errors="coerce").to_numpy(float)
        whole = np.all(np.isnan(value[k]) | (value[k] == np.rint(value[k])))
        n = len(value[k])
        if names[k].lower() in INDEX and whole:
            counts = any(np.array_equal(value[k], np.arange(n) + start) for start in (0, 1))
            why[k] = "counts the rows" if counts else "a count"
        elif _key(names[k]) in SUMMARY:
            why[k] = "a summary"
        elif whole and not np.isnan(value[k]).all() and words and (
                words[0] in ("n", "num", "number") or words[-1] in COUNTS):
            why[k] = "a count"
    for k in [k for k in value if k not in why]:
        others = np.concatenate([value[j] for j in value if j != k and j not in why] or [[np.nan]])
        others = others[~np.isnan(others)]
        mine = value[k][~np.isnan(value[k])]
        if len(others) and len(mine) > 1 and (mine == np.rint(mine)).all() and (
                others != np.rint(others)).any():
            span = np.ptp(others)
            far = not others.min() - span <= np.median(mine) <= others.max() + span
            if far:
                why[k] = "the same everywhere" if np.ptp(mine) == 0 else "a count"
    return dict(sorted(why.items()))


def _name(text: str) -> str:
    """Return a name; a whole number that was written as a float is a whole number."""
    return str(int(float(text))) if re.fullmatch(r"-?\d+\.0+", text) else text


def _key(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower())


def _without_summaries(table: pd.DataFrame, role: str | int) -> tuple[pd.DataFrame, list[str]]:
    """Return a table without rows that sum others up, and what these are called."""
    odd = table[role].map(lambda label: _key(label) in SUMMARY)
    if odd.all():
        return table, []
    shown = list(dict.fromkeys(table.loc[odd, role]))
    return table[~odd].reset_index(drop=True), [f"row `{label}` (a summary)" for label in shown]


def numbers(cells: pd.Series, method: pd.Series, task: pd.Series) -> np.ndarray:
    """Return values as numbers, NaN where missing.

    Percent signs, deviations behind a ± or in brackets, marks of boldness, decimal commas and
    commas for thousands are understood.

    Raises
    ------
    ResultsError
        For a value that is no number, is infinite, or carries a percent sign where others do not.
    """
    unique = {text: None for text in cells}
    bare = {text: _bare(text) for text in unique}
    there = [b for text, b in bare.items() if text.lower() not in MISSING]
    comma = [b.rstrip("% ") for b in there if "," in b]
    decimal = any(DECIMAL_COMMA.fullmatch(b) and not THOUSANDS.fullmatch(b)
                  for b in comma) and not any("." in b for b in there)
    percent = [b.endswith("%") for b in there]
    for text, plain in bare.items():
        if text.lower() in MISSING or plain.lower() in MISSING:
            unique[text] = np.nan
            continue
        plain = plain.removesuffix("%").strip()
        if decimal:
            plain = plain.replace(",", ".")
        elif THOUSANDS.fullmatch(plain):
            plain = plain.replace(",", "")
        mixed = any(percent) and not all(percent)
        if mixed or not NUMBER.fullmatch(plain) or not np.isfinite(float(plain)):
            k = int(np.argmax((cells == text).to_numpy()))
            infinite = re.fullmatch(r"[+-]?inf(inity)?", plain.lower()) or NUMBER.fullmatch(plain)
            what = ("carries a percent sign or not, where others differ: write all alike" if mixed
                    else "is infinite: leave a missing result empty" if infinite
                    else "is no number: leave a missing result empty")
            raise ResultsError(f"{text!r} of {method.iloc[k]} on {task.iloc[k]} {what}.")
        unique[text] = float(plain)
    return cells.map(unique).to_numpy(float)


def _bare(text: str) -> str:
    """Return a value without marks and what stands behind it."""
    text = MARKUP.sub(lambda m: m[1] or "", text).strip()
    found = SPREAD.match(text)
    return (found[1] or found[2]).strip() if found else text
