"""Make a suite from candidates: load them, measure them, keep what passes, say why not the rest.

By the curation protocol of the paper's Appendix C, steps 1a to 2e, and the criteria of Section 6.1,
each a named check or a question to a person. What can be automated is done
first. What is left to a person is written to ``questions.csv``, a question a line, with the signs
that the data show. With the answers filled in, it is read again, until none is open.
"""

import datetime
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import numpy as np
import pandas as pd

from collection.datasets import SOURCES, Dataset, DatasetError, list_datasets, load_dataset
from collection.datasets.files import read_cells
from collection.project.naming import check_known
from collection.suites.duplicates import find_duplicates, group_duplicates
from collection.suites.qualities import Filter, parse_filters, qualities_of
from collection.suites.specs import expand_tasks
from collection.suites.suite import Decision, SuiteError
from collection.tasks import CrossValidation, Task
from collection.tasks.procedures import GivenSplits, HoldOut, folds_fingerprint

FOLDS = 10
RECURRING = 0.9  # of the rows, that a category needs to be shared with others to be no row's name


def one_attribute_suffices(dataset: Dataset) -> bool:
    """Tell whether one attribute, or a decision stump on it, classifies all rows.

    A numeric attribute does when the rows, in its order, come class by class, each in one stretch
    (for two classes: a stump's threshold). A categorical one does when each of its values has rows
    of one class only; values that occur once, as names of rows do, are no evidence. A missing
    value is a value like another.
    """
    labels = np.unique(dataset.target, return_inverse=True)[1]
    return any(_tells(dataset.features[c], labels) for c in dataset.features)


def _tells(column: pd.Series, labels: np.ndarray) -> bool:
    codes = pd.factorize(column, sort=True, use_na_sentinel=False)[0]
    order = np.lexsort((labels, codes))
    codes, in_order = codes[order], labels[order]
    if (np.diff(in_order)[np.diff(codes) == 0] != 0).any():
        return False  # a value with rows of several classes
    if column.dtype == np.float64:
        return int((np.diff(in_order) != 0).sum()) == labels.max()
    sizes = np.bincount(codes)
    return bool(sizes[sizes > 1].sum() >= RECURRING * len(labels))


def tree_suffices(dataset: Dataset) -> bool:
    """Tell whether a decision tree is right on every row in a stratified 10-fold cross-validation.

    Categories are one-hot encoded and gaps filled with the median, fitted on the training rows.
    Classes with fewer rows than folds reduce the folds; one with a single row is never predicted.

    Parameters
    ----------
    dataset : Dataset
        A classification problem.
    """
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.model_selection import StratifiedKFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.tree import DecisionTreeClassifier

    smallest = int(np.unique(dataset.target, return_counts=True)[1].min())
    if smallest < 2:
        return False
    model = make_pipeline(
        make_column_transformer(
            (SimpleImputer(strategy="median"), dataset.numeric),
            (OneHotEncoder(handle_unknown="ignore"), dataset.categorical)),
        DecisionTreeClassifier(random_state=0))
    folds = StratifiedKFold(min(FOLDS, smallest), shuffle=True, random_state=0)
    features = dataset.features.astype(dict.fromkeys(dataset.categorical, object))
    features = features.fillna(dict.fromkeys(dataset.categorical, "missing"))
    for train, test in folds.split(features, dataset.target):
        model.fit(features.iloc[train], dataset.target[train])
        if (model.predict(features.iloc[test]) != dataset.target[test]).any():
            return False  # one mistake is enough
    return True


ABOVE = np.nextafter(0.05, 1)  # the least ratio of classes


@dataclass(frozen=True)
class Criterion:
    """One requirement that a dataset has to meet.

    Attributes
    ----------
    name : str
        Short name, the key in `CRITERIA` and in a suite's file.
    letter : str
        As the paper has it: a to g, o.a to o.d (opinionated), e.a and e.b (easiness).
    requires : str
        What has to hold.
    by_qualities : str
        Filters that a dataset passes (`collection.suites.qualities.parse_filters`); empty: none.
    by_data : callable, optional
        Dataset to True (passes) or False.
    question : str
        What a person is asked where neither can tell; yes means that the dataset passes.
    """

    name: str
    letter: str
    requires: str
    by_qualities: str = ""
    by_data: Callable[[Dataset], bool] | None = None
    question: str = ""


CRITERIA = {c.name: c for c in (
    Criterion("rows", "a", "between 500 and 100,000 rows", "rows=500..100000"),
    Criterion("one_hot_features", "b", "fewer than 5,000 features after one-hot encoding",
              "features_after_one_hot=..4999"),
    Criterion("class_rows", "c", "at least two classes, none with fewer than 20 rows",
              "classes=2.. smallest_class=20.."),
    Criterion("class_ratio", "d",
              "rows of the rarest class above 0.05 of those of the most frequent one",
              f"class_ratio={ABOVE}.."),
    Criterion("dense", "e", "not sparse", "sparse=0"),
    Criterion("no_time", "f", "no dependence between rows in time",
              question="Can the rows be taken in any order (no time series, no data stream)?"),
    Criterion("no_groups", "g", "no groups of rows that a split must keep together",
              question="Is every row from a subject or object of its own?"),
    Criterion("not_artificial", "o.a", "not artificial",
              question="Was it measured or recorded, not generated or in doubt of that?"),
    Criterion("whole", "o.b", "not a subset of a larger dataset",
              question="Is it the whole dataset, not a subset of rows, columns or classes?"),
    Criterion("own_target", "o.c", "the original target, neither merged nor discretised",
              question="Is the target the original one, no classes merged, no number cut?"),
    Criterion("referenced", "o.d", "a source or reference",
              question="Is it said where the data come from?"),
    Criterion("several_attributes", "e.a", "no single attribute or stump classifies all rows",
              by_data=lambda d: not one_attribute_suffices(d)),
    Criterion("no_perfect_tree", "e.b",
              "no decision tree with an accuracy of 100 % in a 10-fold cross-validation",
              by_data=lambda d: not tree_suffices(d)),
)}
BY_QUALITIES = tuple(name for name, c in CRITERIA.items() if c.by_qualities)
BY_DATA = tuple(name for name, c in CRITERIA.items() if c.by_data)


def check_qualities(table: pd.DataFrame, criteria: Iterable[str] = BY_QUALITIES) -> pd.DataFrame:
    """Apply criteria to a table of qualities.

    Parameters
    ----------
    table : pandas.DataFrame
        As `collection.suites.qualities` makes it.
    criteria : iterable of str
        Of `BY_QUALITIES`.

    Returns
    -------
    pandas.DataFrame of object
        Indexed as `table`, a column per criterion: True (passes), False, or None where a quality
        that is needed is not known.
    """
    checked = {}
    for name in criteria:
        filters = parse_filters(CRITERIA[name].by_qualities)
        passes = pd.concat([condition.passes(table) for condition in filters], axis=1).all(axis=1)
        known = table[[condition.quality for condition in filters]].notna().all(axis=1)
        checked[name] = passes.astype(object).where(known, None)
    return pd.DataFrame(checked, index=table.index, dtype=object)


TIME_WORDS = {"date", "time", "timestamp", "day", "week", "weekday", "month", "year", "hour",
              "minute", "period", "season", "quarter"}


def is_factorial(dataset: Dataset) -> bool:
    """Tell whether the rows are every combination of the columns' values, equally often.

    Nature does not measure so; someone enumerated (criterion o.a: artificial).
    """
    codes = [pd.factorize(dataset.features[c])[0] for c in dataset.features]
    sizes = [int(c.max()) + 1 for c in codes if c.max() > 0]
    possible = np.prod([float(s) for s in sizes])
    if len(sizes) < 2 or dataset.n_missing or possible > dataset.n_rows:
        return False
    rows, times = np.unique(np.column_stack(codes), axis=0, return_counts=True)
    return len(rows) == possible and times.min() == times.max()


def time_columns(dataset: Dataset) -> list[str]:
    """Return the columns whose names say that rows have a place in time (criterion f)."""
    def words(name: str) -> set[str]:
        return set("".join(c if c.isalnum() else " " for c in name.lower()).split())
    return [c for c in dataset.features if words(c) & TIME_WORDS]


def class_runs(dataset: Dataset) -> float:
    """Return how much more often neighbouring rows have the same class than by chance.

    0: as in random order; 1: sorted by class. In between, and clearly above 0, the order of rows
    may be one of time or of groups (criteria f and g).
    """
    share = np.unique(dataset.target, return_counts=True)[1] / dataset.n_rows
    same = float((dataset.target[1:] == dataset.target[:-1]).mean())
    most = 1 - (len(share) - 1) / (dataset.n_rows - 1)
    chance = float((share**2).sum())
    return (same - chance) / (most - chance) if most > chance else 0.0


def repeated_rows(dataset: Dataset) -> float:
    """Return the share of rows whose features another row has too (criterion g)."""
    return float(dataset.features.duplicated(keep=False).mean())


def show_signs(dataset: Dataset, criterion: str) -> str:
    """Return what the data say to the question of a criterion; empty where nothing.

    Parameters
    ----------
    dataset : Dataset
        A classification problem.
    criterion : str
        Name of `CRITERIA`.
    """
    letter, signs = CRITERIA[criterion].letter, []
    if letter == "o.a" and is_factorial(dataset):
        signs.append("the rows are every combination of the columns' values")
    if letter == "f" and (columns := time_columns(dataset)):
        signs.append(f"columns named after times: {', '.join(columns)}")
    if letter in "fg" and 0.1 < (runs := class_runs(dataset)) < 0.99:
        signs.append(f"neighbouring rows share their class more often than by chance ({runs:.0%})")
    if letter == "g" and (repeated := repeated_rows(dataset)) > 0.01:
        signs.append(f"{repeated:.0%} of the rows have the features of another row")
    return "; ".join(signs)


TOO_SMALL = "a class has fewer rows than there are folds"

QUESTIONS, CANDIDATES = "questions.csv", "candidates.csv"
DUPLICATE = "duplicate"
NOT_ANSWERED = "not answered yet"
# Steps 1b, 1d and 1f; 1a, 1c and 1e are seen to as datasets are read, and by filters.
AUTOMATIC = (*BY_QUALITIES, *BY_DATA)
# Steps 2a to 2e.
ASKED = ("not_artificial", "no_time", "no_groups", "whole", "own_target", DUPLICATE, "referenced")
TWICE = "Should it be kept beside, or instead of, those with the same rows?"
ANSWER = [f.name for f in fields(Decision)]


@dataclass(frozen=True)
class Candidates:
    """Datasets that may come into a suite.

    Attributes
    ----------
    tasks : dict of str to Task
        By dataset spec, without fingerprints.
    datasets : dict of str to Dataset
        Those of them that could be loaded.
    failed : dict of str to str
        Why the others could not.
    """

    tasks: dict[str, Task]
    datasets: dict[str, Dataset]
    failed: dict[str, str]


def load_candidates(origins: Iterable[str], procedure: CrossValidation | HoldOut) -> Candidates:
    """Load the datasets that may come into a suite.

    Parameters
    ----------
    origins : iterable of str
        Specs of tasks (`collection.suites.specs.expand_tasks`), or names of sources whose datasets
        can be listed (keel, sklearn, …), which stand for all of them.
    procedure : CrossValidation or HoldOut
        For what has no splits of its own.
    """
    specs = []
    for origin in origins:
        specs += ([f"{origin}:{name}" for name in list_datasets(origin)] if origin in SOURCES
                  else [origin])
    tasks = {task.spec: task for task in expand_tasks(specs, procedure)}
    datasets, failed = {}, {}
    for spec in tasks:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of rows without a label, which are left out
                datasets[spec] = load_dataset(spec)
        except DatasetError as error:
            failed[spec] = str(error)
    return Candidates(tasks, datasets, failed)


def choose(candidates: Candidates, filters: Sequence[Filter] = (),
           criteria: Iterable[str] = ()) -> pd.DataFrame:
    """Say which candidates pass.

    Parameters
    ----------
    candidates : Candidates
        From `load_candidates`.
    filters : sequence of Filter
        Conditions on qualities; all must hold.
    criteria : iterable of str
        Automatic ones of `CRITERIA`, checked in the paper's order, those on rows last.

    Returns
    -------
    pandas.DataFrame
        A row per candidate: ``dataset``, its qualities (unknown where it could not be loaded),
        ``passes``, and ``why`` not: the first filter or criterion that it fails, `TOO_SMALL`, or
        the message of what failed.
    """
    criteria = list(criteria)
    check_known("automatic criterion", criteria, AUTOMATIC)
    table = qualities_of(candidates.datasets.values())
    table["dataset"] = list(candidates.datasets)
    why = pd.Series("", index=table.index)
    for condition in filters:
        why[(why == "") & ~condition.passes(table)] = str(condition)
    checked = check_qualities(table, [name for name in BY_QUALITIES if name in criteria])
    for name in checked:
        why[(why == "") & ~checked[name].eq(True)] = CRITERIA[name].requires
    folds = table["dataset"].map(lambda spec: _stratified_folds(candidates.tasks[spec]))
    why[(why == "") & (table["smallest_class"] < folds)] = TOO_SMALL
    for name in (name for name in BY_DATA if name in criteria):
        for i, spec in table.loc[why == "", "dataset"].items():
            dataset = candidates.datasets[spec]
            if not dataset.is_regression and not CRITERIA[name].by_data(dataset):
                why[i] = CRITERIA[name].requires
    failed = pd.DataFrame(candidates.failed.items(), columns=["dataset", "why"])
    found = pd.concat([table.assign(why=why), failed], ignore_index=True)
    return found.assign(passes=found["why"] == "")


def _stratified_folds(task: Task) -> int:
    """Return the rows that every class needs."""
    procedure = task.procedure
    if not getattr(procedure, "stratified", False):
        return 0
    return procedure.folds if isinstance(procedure, CrossValidation) else 2


@dataclass(frozen=True)
class Curation:
    """How far a curation is.

    Attributes
    ----------
    table : pandas.DataFrame
        As `choose` returns it, after the questions; ``why`` not is
        `NOT_ANSWERED` for a dataset with open questions.
    decisions : tuple of Decision
        All answers.
    duplicates : tuple of tuple of str
        Groups of candidates that hold the same rows.
    questions : pandas.DataFrame
        All that a person is asked, a line each, with the answer where there is one.
    """

    table: pd.DataFrame
    decisions: tuple[Decision, ...]
    duplicates: tuple[tuple[str, ...], ...]
    questions: pd.DataFrame

    @property
    def open(self) -> int:
        """Datasets with open questions."""
        return int((self.table["why"] == NOT_ANSWERED).sum())


def curate(candidates: Candidates, filters: Sequence[Filter] = (), criteria: Iterable[str] = (),
           who: str = "", answers: str | Path | None = None) -> Curation:
    """Go through the protocol with the answers that there are.

    Parameters
    ----------
    candidates : Candidates
        From `load_candidates`.
    filters : sequence of Filter
        Conditions of steps 1b to 1e beyond the criteria.
    criteria : iterable of str
        Those to go through. Where some are asked, problems of classification alone pass.
    who : str
        Who answers; recorded where an answer does not say.
    answers : path, optional
        The questions, answered; see `read_decisions`.

    Raises
    ------
    UnknownNameError
        For a criterion that is none.
    SuiteError, DatasetError
        Where an answer is none, or they cannot be read.
    """
    criteria = list(criteria)
    check_known("criterion", criteria, [*AUTOMATIC, *ASKED])
    asked = [c for c in ASKED if c in criteria]
    known = {(d.dataset, d.criterion): d for d in (read_decisions(answers, who) if answers else ())}
    table = choose(candidates, filters, [c for c in AUTOMATIC if c in criteria])
    for row, spec in table.loc[table["passes"], "dataset"].items():
        if asked and candidates.datasets[spec].is_regression:
            table.loc[row, "why"] = "a classification problem"
    twins, groups = _same_rows(candidates, table.loc[table["why"] == "", "dataset"])
    questions = []
    for row, spec in table.loc[table["why"] == "", "dataset"].items():
        own = [c for c in asked if c != DUPLICATE or spec in twins]
        decided = [known.get((spec, criterion)) for criterion in own]
        against = [f"{d.criterion}: {d.why}" for d in decided if d and not d.keep]
        table.loc[row, "why"] = next(iter(against), "" if all(decided) else NOT_ANSWERED)
        questions += [_question(spec, c, candidates, twins, known.get((spec, c))) for c in own]
    return Curation(table.assign(passes=table["why"] == ""), tuple(known.values()), groups,
                    pd.DataFrame(questions))


def _same_rows(candidates: Candidates, passing: Iterable[str]) -> tuple[dict, tuple]:
    """Return, for each dataset that passes so far, the others with its rows; and the groups."""
    names = {candidates.datasets[spec].source: spec for spec in passing}
    found = find_duplicates(candidates.datasets[spec] for spec in names.values())
    twins: dict[str, list[str]] = {}
    for one, two in found[["dataset", "twin"]].itertuples(index=False):
        twins.setdefault(names[one], []).append(names[two])
        twins.setdefault(names[two], []).append(names[one])
    return twins, tuple(tuple(sorted(names[n] for n in g)) for g in group_duplicates(found))


def _question(spec: str, criterion: str, candidates: Candidates, twins: dict[str, list[str]],
              decision: Decision | None) -> dict[str, str]:
    """Return a line for a person to fill in, with the answer where there is one."""
    signs = (f"the same rows as {', '.join(twins[spec])}" if criterion == DUPLICATE
             else show_signs(candidates.datasets[spec], criterion))
    line = dict.fromkeys(ANSWER, "") | {"dataset": spec, "criterion": criterion}
    if decision is not None:
        line = asdict(decision) | {"keep": "yes" if decision.keep else "no"}
    question = TWICE if criterion == DUPLICATE else CRITERIA[criterion].question
    return line | {"question": question, "signs": signs}


def read_decisions(path: str | Path, who: str) -> list[Decision]:
    """Read answers: a table with the columns of `Decision`, ``keep`` yes, no, or empty where open.

    Parameters
    ----------
    path : path
    who : str
        Who decided, where a line does not say; it counts as of today where it has no date.

    Raises
    ------
    SuiteError
        The file is no such table.
    DatasetError
        The file cannot be read.
    """
    names, rows, _ = read_cells(Path(path))
    if lacking := [name for name in ANSWER if name not in names]:
        raise SuiteError(f"{path} holds no decisions: it has no column {lacking[0]}.")
    lines = [dict(zip(names, row, strict=True)) for row in rows]
    if wrong := [n for n, line in enumerate(lines, 2) if line["keep"] not in ("yes", "no", "")]:
        raise SuiteError(f"{path}, line {wrong[0]}: keep is yes, no, or empty while it is open.")
    today = datetime.date.today().isoformat()
    return [Decision(line["dataset"], line["criterion"], line["keep"] == "yes", line["who"] or who,
                     line["when"] or today, line["why"]) for line in lines if line["keep"]]


def make_tasks(candidates: Candidates, chosen: Iterable[str],
               metrics: Mapping[str, str] | None = None) -> tuple[Task, ...]:
    """Return the tasks of the datasets chosen, with their targets and fingerprints.

    Parameters
    ----------
    candidates : Candidates
        From `load_candidates`.
    chosen : iterable of str
        Specs of its datasets.
    metrics : mapping of str to str, optional
        What each kind of problem is judged by, of tasks that state no metric of their own.

    Raises
    ------
    SuiteError
        Where none is chosen.
    """
    tasks = []
    for spec in chosen:
        dataset = candidates.datasets[spec]
        task = candidates.tasks[spec]
        folds = (folds_fingerprint(task.procedure.splits(dataset))
                 if not isinstance(task.procedure, GivenSplits) else "")
        tasks.append(replace(task, target=task.target or dataset.target_name,
                             metric=task.metric or (metrics or {}).get(dataset.problem, ""),
                             fingerprint=dataset.fingerprint, splits=folds))
    if not tasks:
        raise SuiteError("No dataset passes: a suite needs one task at least. "
                         "`make suite DO=filter` says what each one fails.")
    return tuple(tasks)
