"""Names of columns: what each may be, and what kind of measure a name stands for.

``vocabulary.json`` holds all words; the panels of the book read the same file.
"""

import json
import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np

VOCABULARY_FILE = Path(__file__).with_name("vocabulary.json")
VOCABULARY = json.loads(VOCABULARY_FILE.read_text(encoding="utf-8"))
ROLES = {role: tuple(known.split()) for role, known in VOCABULARY["roles"].items()}
WORDS = {kind: frozenset(VOCABULARY[kind].split()) for kind in (
    "generic", "own", "higher", "lower", "shares", "signed", "endless", "errors", "train", "valid",
    "test", "spread", "times", "summary", "counts", "beside")}
MISSING = frozenset(VOCABULARY["missing"].split("|"))
INDEX = frozenset(VOCABULARY["index"].split("|"))
#: Repeats in columns: ``seed_0``, ``accuracy_seed0``, ``split3_test_score``.
REPEATED = re.compile(r"(?:^|[\s_.-])(seed|fold|split|run|rep|repeat|repetition|trial|iter)"
                      r"[\s_.-]?(\d+)(?=$|[\s_.-])", re.IGNORECASE)
PARTS = ("train", "valid", "", "test")  # the later, the better to judge by


def words_of(name: object) -> list[str]:
    """Return the words of a name, in small letters: of ``logLoss_test`` log, loss, test."""
    return re.findall(r"[a-z0-9]+", re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", str(name)).lower())


def _measure_words(name: object) -> list[str]:
    """Return words, numbers behind them left out, and what two that follow each other make."""
    words, known = words_of(name), WORDS["higher"] | WORDS["lower"]
    plain = [w if w in known else w.rstrip("0123456789") for w in words]
    pairs = [a + b for a, b in pairwise(plain) if a + b in known]
    return pairs + plain


def lower_is_better(name: object) -> bool | None:
    """Return whether lower values of a metric are better, by its name; None where it does not say.

    >>> [lower_is_better(n) for n in ("AUROC", "log_loss", "neg_log_loss", "score")]
    [False, True, False, None]
    """
    plain = _measure_words(name)
    higher, lower = (any(w in WORDS[kind] for w in plain) for kind in ("higher", "lower"))
    if higher == lower:
        return True if lower and plain[-1] in WORDS["errors"] else None
    turned = plain[0] == "one" or words_of(name)[0] == "1" or is_negated(name)
    return lower != turned


def is_negated(name: object) -> bool:
    """Tell whether a name says that the sign was turned, as ``neg_log_loss`` does."""
    return bool({"neg", "negative"} & set(words_of(name)))


def is_error(name: object) -> bool:
    """Tell whether a name says that it is the error, or loss, of a metric."""
    return bool(WORDS["errors"] & set(words_of(name))) and not is_negated(name)


def limits(name: object) -> tuple[float, float]:
    """Return between what values of a measure lie, by its name; shares may be in percent."""
    words, lower = set(_measure_words(name)), lower_is_better(name)
    if is_negated(name):
        return -np.inf, 0.0
    signed = words & WORDS["signed"]
    if lower:
        return (-np.inf if signed else 0.0), np.inf
    if words & {"r2", "rsq"}:
        return -np.inf, 1.0
    return (-np.inf if signed else 0.0), (1.0 if words & WORDS["shares"] else np.inf)


def part_of(name: object) -> str:
    """Return which rows a value is of, by its name: train, valid, test, or nothing."""
    words = set(words_of(name))
    return next((part for part in ("test", "valid", "train") if words & WORDS[part]), "")


def is_no_result(name: object) -> bool:
    """Tell whether a name is of a time, a count, a spread, a rank: nothing to judge methods by."""
    words = words_of(name)
    other = WORDS["times"] | WORDS["spread"] | {"rank", "ranks"}
    return bool(words) and (bool(set(words) & other) or words[-1] in WORDS["counts"]
                            or words[0] in ("n", "num", "number"))


def is_measure(name: object) -> bool:
    """Tell whether a name is of a value: a metric's, or as general as ``score``."""
    return lower_is_better(name) is not None or bool(
        set(words_of(name)) & {"score", "scores", "value", "result", "performance"})


def is_bare_measure(name: object) -> bool:
    """Tell whether a name says what was measured, or how long it took, but not on what task."""
    known = set().union(*(WORDS[k] for k in ("higher", "lower", "train", "valid", "test", "times",
                                             "spread", "summary", "counts", "beside")))
    return bool(words_of(name)) and set(words_of(name)) <= known


def key_of(name: object) -> str:
    """Return a name as roles are written: ``Error rate (%)`` is ``error_rate``."""
    return "_".join(words_of(name))


def layout_of(names: Iterable[str]) -> str:
    """Return whose layout some columns are, of those whose scores are higher where better."""
    keys = {key_of(name) for name in names}
    return next((whose for whose, known in VOCABULARY["layouts"].items()
                 if len(keys & set(known.split())) > 1), "")


def roles(names: Iterable[str], wanted: Iterable[str],
          known: Mapping[str, int] | None = None) -> dict[str, int]:
    """Return the column of each role, the most usual name that is there; no column has two.

    Parameters
    ----------
    names : iterable of str
        Of the columns.
    wanted : iterable of str
        Of `ROLES`.
    known : mapping, optional
        Columns whose role is known.
    """
    keys, at = [key_of(n) for n in names], dict(known or {})
    for role in wanted:
        free = [k for name in ROLES[role] for k, key in enumerate(keys)
                if key == name and k not in at.values()]
        if role not in at and free:
            at[role] = free[0]
    return at
