"""Names of columns: what each may be, and what measure a name stands for.

``vocabulary.json`` holds all words and the registry of measures; the panels of the book read the
same file. A name of a measure is read from the outside in: of ``brier skill score`` the skill
decides, of ``error reduction`` the reduction, of ``1 - AUC`` what stands before it.
"""

import json
import re
import unicodedata
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

VOCABULARY_FILE = Path(__file__).with_name("vocabulary.json")
VOCABULARY = json.loads(VOCABULARY_FILE.read_text(encoding="utf-8"))
ROLES = {role: tuple(known.split()) for role, known in VOCABULARY["roles"].items()}
WORDS = {kind: frozenset(known.split()) for kind, known in VOCABULARY.items()
         if isinstance(known, str)}
MISSING = frozenset(VOCABULARY["missing"].split("|"))
INDEX = frozenset(VOCABULARY["index"].split("|"))
REPEATS = frozenset(ROLES["fold"] + ROLES["seed"] + ROLES["repeat"])
REPEAT = re.compile(VOCABULARY["repeat"], re.IGNORECASE)
#: What trackers of experiments write before a name: ``params.dataset`` of MLflow.
TRACKED = re.compile("^({})_".format(VOCABULARY["tracked"].replace(" ", "|")))
STATED = {way: re.compile(said, re.IGNORECASE) for way, said in VOCABULARY["stated"].items()}
#: Rows of the registry by each of their names, written without blanks.
MEASURES = {alias: dict(zip(VOCABULARY["measures"][0], row, strict=True))
            for row in VOCABULARY["measures"][1:]
            for alias in (row[0].replace(" ", ""), *row[1].split())}
OPERATORS = {word: kind for kind, known in VOCABULARY["operators"].items()
             for word in known.split()}
ERRORS = ("error", "loss", "regret")  # of whatever metric
ACCENT = re.compile("[\u0300-\u036f]")
LONGEST = 7  # words of an alias
MOST_CHOICES = 50  # values of a column that tells rows apart
NO_ENDS = {"low": None, "high": None}
COMPLEMENT = re.compile(VOCABULARY["complement"], re.IGNORECASE)
#: Repeats in columns: ``seed_0``, ``accuracy_seed0``, ``split3_test_score``, ``score_0``.
REPEATED = re.compile(VOCABULARY["repeated"], re.IGNORECASE)
PARTS = ("train", "valid", "", "test")  # the later, the better to judge by


@dataclass(frozen=True)
class Measure:
    """What a name says of what was measured.

    Attributes
    ----------
    name : str
        Of the registry, of the innermost part; "" where none is known.
    lower : bool or None
        Whether lower is better, by the outermost part; None where the name does not say.
    said : bool or None
        The same by words or an arrow beside the name, such as ``(lower is better)``.
    low, high : float
        Between what its values lie; shares may be in percent.
    unit : str
        Of the registry: "share", "error", "endless" (a loss without an upper end), …
    form : str
        How it is made of what `name` says: "" (it is that), "complement", "negative", or
        "derived".
    whole : bool
        Whether every part of the name is understood.
    percent : bool
        Whether the name says that values are in percent.
    """

    name: str = ""
    lower: bool | None = None
    said: bool | None = None
    low: float = -np.inf
    high: float = np.inf
    unit: str = ""
    form: str = ""
    whole: bool = False
    percent: bool = False


def words_of(name: object) -> list[str]:
    """Return the words of a name, in small letters: of ``logLoss_test`` log, loss, test."""
    plain = ACCENT.sub("", unicodedata.normalize("NFD", str(name).replace("²", "2")))
    return re.findall(r"[a-z0-9]+", re.sub(r"([a-z0-9])([A-Z])", r"\1_\2",
                                           plain.replace("ß", "ss")).lower())


def measure_of(name: object) -> Measure:
    """Return what a name says of what was measured.

    >>> [measure_of(n).lower for n in ("brier skill score", "d2_log_loss_score", "error reduction")]
    [False, False, False]
    """
    return _measure(str(name))


@lru_cache(10_000)
def _measure(text: str) -> Measure:
    said = [way == "lower" for way, words in STATED.items() if words.search(text)]
    for words in STATED.values():
        text = words.sub(" ", text)
    ahead = COMPLEMENT.search(text)
    parts = _parts(words_of(text[ahead.end():] if ahead else text))
    if ahead and ahead[1] in ("-", "−", "–") and not (parts and isinstance(parts[0][1], dict)):
        ahead, parts = None, _parts(words_of(text))  # 1-shot
    before = _parts(words_of(text[:ahead.start()])) if ahead else []
    known = [row for _, row in parts if isinstance(row, dict) and row["unit"] != "spread"]
    inner = known[-1] if known else dict.fromkeys(VOCABULARY["measures"][0], "") | NO_ENDS
    lower, form = _outermost([p for p in parts if p[1] not in ("qualifier", "")])
    low, high = (end if end is not None else sign * np.inf
                 for end, sign in ((inner["low"], -1), (inner["high"], 1)))
    high = np.inf if inner["better"] == "lower" else high
    if ahead:
        plain = lower is not None and all(kind == "qualifier" for _, kind in before)
        lower, form = not lower if plain else None, form or "complement"
        low, high = 1 - high, 1 - low
    elif form == "negative":
        low, high = -high, -low
    elif form:
        low, high = (0 if lower and inner["name"] in ERRORS else -np.inf), np.inf
    doubt = inner["name"] in ERRORS and parts[-1][0] in ("score", "scores")
    return Measure(inner["name"], lower, said[0] if len(said) == 1 else None, low, high,
                   inner["unit"], form, bool(parts) and not doubt and all(
                       row for _, row in parts), "%" in text or any(
                       row == "percent" or word.startswith(("percent", "pct"))
                       for word, row in parts))


def _parts(words: list[str]) -> list[tuple[str, object]]:
    """Return a name's parts, each with its row of the registry, or what it does; "" if unknown."""
    found, at = [], 0
    while at < len(words):
        for n in range(min(LONGEST, len(words) - at), 0, -1):
            joined = "".join(words[at:at + n])
            kind = _kind(joined) or (_kind(joined.rstrip("0123456789")) if n == 1 else None)
            if kind:
                break
        found.append((joined, kind or ("qualifier" if joined.isdigit() else "")))
        at += n
    return found


def _kind(word: str) -> object:
    return MEASURES.get(word) or OPERATORS.get(word) or (
        "percent" if word in WORDS["percent"] else "qualifier" if word in WORDS["qualifiers"]
        else None)


def _outermost(parts: list) -> tuple[bool | None, str]:
    """Return whether lower is better, from the outside in, and how the name is composed."""
    parts = [p for p in parts if p[1] != "percent"]
    if not parts:
        return None, ""
    (first, ahead), (_, last) = parts[0], parts[-1]
    if ahead in ("turns what follows", "higher of what follows"):
        lower = False if ahead.startswith("higher") else _outermost(parts[1:])[0]
        turned = ahead.startswith("turns") and first.startswith(("neg", "minus"))
        if ahead.startswith("turns"):
            lower = None if lower is None else not lower
        return lower, "negative" if turned and len(parts) == 2 else "derived"
    for kind, rest in ((last, parts[:-1]), (ahead, parts[1:])):
        if kind in ("higher", "lower"):
            return kind == "lower", "derived"
        if kind == "asked":
            return None, "derived"
        if kind == "turns":
            lower = _outermost(rest)[0]
            return None if lower is None else not lower, "derived"
    ways = {row["better"] for _, row in parts if isinstance(row, dict)}
    if not all(isinstance(row, dict) for _, row in parts) or not ways - {""}:
        return None, "derived" if len(parts) > 2 else ""
    if len(ways) > 1:  # of an error, whatever its metric
        return (True if last["name"] in ERRORS else None), "derived"
    return ways == {"lower"}, "derived" if len(parts) > 1 else ""


def lower_is_better(name: object) -> bool | None:
    """Return whether lower values of a metric are better, by its name; None where it does not say.

    >>> [lower_is_better(n) for n in ("AUROC", "log_loss", "neg_log_loss", "score")]
    [False, True, False, None]
    """
    found = measure_of(name)
    return found.said if found.lower is None else found.lower


def is_error(name: object) -> bool:
    """Tell whether a name says that it is the error, or loss, of a metric."""
    found = measure_of(name)
    return bool(found.lower) and found.form != "negative" and bool(
        {*ERRORS, "errors", "err"} & set(words_of(name)))


def limits(name: object) -> tuple[float, float]:
    """Return between what values of a measure lie, by its name; shares may be in percent."""
    found = measure_of(name)
    return (min(found.low, 0) if np.isfinite(found.low) else found.low), found.high


def part_of(name: object) -> str:
    """Return which rows a value is of, by its name: train, valid, test, or nothing."""
    words = set(words_of(name))
    return next((part for part in ("test", "valid", "train") if words & WORDS[part]), "")


def is_part(cell: object) -> bool:
    """Tell whether a cell says no more than which rows a value is of, such as ``Testing``."""
    known = WORDS["test"] | WORDS["valid"] | WORDS["train"] | WORDS["part words"]
    return part_of(cell) != "" and set(words_of(cell)) <= known


def is_no_result(name: object) -> bool:
    """Tell whether a name is of a time, a count, a spread, a rank: nothing to judge methods by."""
    words, unit = words_of(name), measure_of(name).unit
    left = {word for word, row in _parts(words) if not isinstance(row, dict)
            or row["unit"] in ("rank", "time", "spread")}
    known = lower_is_better(name) is not None and unit not in ("rank", "time")
    return bool(left & (WORDS["times"] | WORDS["spread"])) or any(
        isinstance(row, dict) and row["unit"] in ("rank", "time", "spread")
        for _, row in _parts(words)) or (not known and bool(words) and (
            words[-1] in WORDS["counts"] or words[0] in ("n", "num", "number")))


def is_spread_beside(name: object, names: Iterable[str]) -> bool:
    """Tell whether an ``error`` stands beside the ``mean`` that it is the spread of."""
    return measure_of(name).name == "error" and not measure_of(name).form and bool(
        WORDS["means"] & {key_of(n) for n in names}) and "rate" not in words_of(name)


def is_measure(name: object) -> bool:
    """Tell whether a name is of a value: a metric's, or as general as ``score``."""
    return lower_is_better(name) is not None or bool(
        set(words_of(name)) & {"score", "scores", "value", "result", "performance"})


def is_repeat(name: object, cells: Sequence[str]) -> bool:
    """Tell whether a column is of repeats, by its name, or by cells such as ``Fold01``."""
    return key_of(name) in REPEATS or (
        len(cells) > 0 and all((m := REPEAT.match(cell)) and not m[1] for cell in cells))


def stands_beside(name: str, names: Iterable[str]) -> bool:
    """Tell whether a name is of what stands beside another's: ``RF_std`` beside ``RF_mean``."""
    words = {*words_of(name.replace("±", " std "))}
    left = words - WORDS["companions"] - WORDS["units"]
    return bool(left and words & WORDS["companions"]) and left in [
        {*words_of(n)} - WORDS["means"] - WORDS["test"] - {*MEASURES} for n in names]


def is_summary(name: object, role: object = "task") -> bool:
    """Tell whether a name is of what sums others up: ``Avg. rank``, ``Wins``, ``Mean accuracy``.

    A method is only where it is the best or worst of the others.
    """
    key = re.sub(r"\([^()]*\)|[^a-zδ]", "", str(name).lower())
    bare = re.sub(r"^(?:{0})|(?:{0})$".format(VOCABULARY["summary heads"].replace(" ", "|")), "",
                  key)
    return key in WORDS["extremes" if role == "method" else "summary"] or (
        role != "method" and bare != key and bare in MEASURES)


def is_bare_measure(name: object) -> bool:
    """Tell whether a name says what was measured, or how long it took, but not on what task."""
    known = set().union(*(WORDS[k] for k in ("times", "spread", "summary", "counts")))
    some = known | {"score", "scores", "train", "test", "val", "valid", "fit"}
    parts = [(w, row or w in known) for w, row in _parts(words_of(name))]
    return bool(parts) and all(row for _, row in parts) and any(
        isinstance(row, dict) or w in some for w, row in parts)


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
        free = [k for own in (keys, [TRACKED.sub("", key) for key in keys]) for name in ROLES[role]
                for k, key in enumerate(own) if key == name and k not in at.values()]
        if role not in at and free:
            at[role] = free[0]
    return at


def tells_apart(keys: Sequence[Hashable], cells: Sequence[str]) -> bool:
    """Tell whether rows of one key differ in a column, so that it says which is meant.

    Parameters
    ----------
    keys : sequence
        What each row is of, by the columns that are used.
    cells : sequence of str
        What a column that is not used says there. One with fractions, or with more than
        `MOST_CHOICES` values, is of measurements and tells nothing, unless most of its values
        recur with most keys, as those of a setting do.
    """
    pairs, several, values = set(zip(keys, cells, strict=True)), set(keys), set(cells)
    return len(pairs) > len(several) and (2 * len(pairs) > len(several) * len(values) or (
        len(values) <= MOST_CHOICES and not any(re.search(r"\d\.\d", c) for c in values)))
