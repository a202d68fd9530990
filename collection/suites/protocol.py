"""The curation protocol of the paper's Appendix C, steps 1a to 2e, as one command.

What can be automated is done first. Then a person is asked, dataset by dataset and step by step,
with the signs that the data show. Every answer is kept at once in ``decisions.csv``, so that the
work can be stopped and gone on with. It ends in a suite and a report.
"""

import csv
import datetime
import io
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import pandas as pd

from collection.datasets import Dataset
from collection.project.naming import check_known
from collection.project.opening import read_text
from collection.project.paths import unlinked, written_whole
from collection.project.results_folder import written_as_own
from collection.suites.create import Candidates, choose
from collection.suites.criteria import CRITERIA, show_signs
from collection.suites.duplicates import find_duplicates, group_duplicates
from collection.suites.qualities import Filter
from collection.suites.suite import Decision, SuiteError

DECISIONS, REPORT = "decisions.csv", "report.md"
DUPLICATE = "duplicate"
NOT_ANSWERED = "not answered yet"


@dataclass(frozen=True)
class Step:
    """One step of Appendix C.

    Attributes
    ----------
    number : str
        1a to 2e.
    what : str
        In words.
    criteria : tuple of str
        The criteria of `CRITERIA` that it checks or asks for.
    """

    number: str
    what: str
    criteria: tuple[str, ...] = ()


STEPS = (
    Step("1a", "type of task: classification"),
    Step("1b", "size, features and classes",
         ("rows", "one_hot_features", "class_rows", "class_ratio")),
    Step("1c", "kinds of data: numbers and categories, what every source here is read as"),
    Step("1d", "sparse or not", ("dense",)),
    Step("1e", "missing values, as the filters have them"),
    Step("1f", "too easy", ("several_attributes", "no_perfect_tree")),
    Step("2a", "artificial", ("not_artificial",)),
    Step("2b", "splits by time or by group", ("no_time", "no_groups")),
    Step("2c", "subsets of larger datasets, classes merged", ("whole", "own_target")),
    Step("2d", "derived in other ways: the same rows as another candidate", (DUPLICATE,)),
    Step("2e", "a reference", ("referenced",)),
)
AUTOMATIC = tuple(c for step in STEPS if step.number < "2" for c in step.criteria)
ASKED = tuple(c for step in STEPS if step.number > "2" for c in step.criteria)
QUESTIONS = {name: CRITERIA[name].question for name in ASKED if name in CRITERIA} | {
    DUPLICATE: "Should it be kept beside, or instead of, those with the same rows?"}


@dataclass(frozen=True)
class Question:
    """What a person is asked.

    Attributes
    ----------
    dataset, criterion : str
        What it is about.
    text : str
        The question; yes keeps the dataset.
    signs : str
        What the data show; empty where nothing.
    """

    dataset: str
    criterion: str
    text: str
    signs: str


# Answers yes or no with a reason; None stops the questions for today.
Ask = Callable[[Question], tuple[bool, str] | None]


@dataclass(frozen=True)
class Curation:
    """How far a curation is.

    Attributes
    ----------
    table : pandas.DataFrame
        As `collection.suites.create.choose` returns it, after the questions; ``why`` not is
        `NOT_ANSWERED` for a dataset with open questions.
    decisions : tuple of Decision
        All answers.
    duplicates : tuple of tuple of str
        Groups of candidates that hold the same rows.
    open : int
        Datasets with open questions.
    """

    table: pd.DataFrame
    decisions: tuple[Decision, ...]
    duplicates: tuple[tuple[str, ...], ...]
    open: int


def curate(candidates: Candidates, folder: str | Path, ask: Ask, who: str,
           filters: Sequence[Filter] = (),
           criteria: Iterable[str] = (*AUTOMATIC, *ASKED)) -> Curation:
    """Go through the protocol, on from where it was left.

    Parameters
    ----------
    candidates : Candidates
        From `collection.suites.create.load_candidates`.
    folder : path
        Where the answers are kept and the report is written.
    ask : callable
        Puts a `Question` to a person.
    who : str
        Who answers; recorded.
    filters : sequence of Filter
        Conditions of steps 1b to 1e beyond the criteria.
    criteria : iterable of str
        Those to go through; all unless given.

    Raises
    ------
    UnknownNameError
        For a criterion that is none.
    SuiteError
        Where nobody is named, or the answers kept are damaged.
    """
    criteria = list(criteria)
    check_known("criterion", criteria, [*AUTOMATIC, *ASKED])
    if not who:
        raise SuiteError("Who decides? Give a name with WHO=…; it is recorded with each answer.")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    table = choose(candidates, filters, [c for c in AUTOMATIC if c in criteria])
    regression = table["dataset"].map(
        lambda s: s in candidates.datasets and candidates.datasets[s].is_regression)
    table.loc[table["passes"] & regression, "why"] = "a classification problem"
    found, groups = _same_rows(candidates, table.loc[table["why"] == "", "dataset"])
    answered = _put_questions(
        table, candidates.datasets, found, folder / DECISIONS, ask=ask, who=who,
        criteria=[c for c in ASKED if c in criteria])
    table = table.assign(passes=table["why"] == "")
    curation = Curation(table, tuple(answered), groups, int((table["why"] == NOT_ANSWERED).sum()))
    with written_as_own(folder / REPORT) as part:
        part.write_text(_report(curation, filters, criteria), encoding="utf-8")
    return curation


def _same_rows(candidates: Candidates, passing: Iterable[str]) -> tuple[dict, tuple]:
    """Return, for each dataset that passes so far, the others with its rows; and the groups."""
    names = {candidates.datasets[spec].source: spec for spec in passing}
    found = find_duplicates(candidates.datasets[spec] for spec in names.values())
    twins: dict[str, list[str]] = {}
    for one, two in found[["dataset", "twin"]].itertuples(index=False):
        twins.setdefault(names[one], []).append(names[two])
        twins.setdefault(names[two], []).append(names[one])
    return twins, tuple(tuple(sorted(names[n] for n in g)) for g in group_duplicates(found))


def _put_questions(table: pd.DataFrame, datasets: dict[str, Dataset], twins: dict[str, list[str]],
                   path: Path, ask: Ask, who: str, criteria: list[str]) -> list[Decision]:
    """Ask what is open about datasets that pass; enter into ``why`` what speaks against them."""
    answers = {(d.dataset, d.criterion): d for d in read_decisions(path)}
    stopped = False
    for i, spec in table.loc[table["why"] == "", "dataset"].items():
        for criterion in criteria:
            if criterion == DUPLICATE and spec not in twins:
                continue
            decision = answers.get((spec, criterion))
            if decision is None and not stopped:
                said = ask(_question(spec, criterion, datasets[spec], twins))
                if said is not None:
                    decision = Decision(spec, criterion, said[0], who,
                                        datetime.date.today().isoformat(), said[1])
                    answers[spec, criterion] = decision
                    _append(path, decision)
                stopped = said is None
            if decision is None or not decision.keep:
                table.loc[i, "why"] = NOT_ANSWERED if decision is None else (
                    f"{criterion}: {decision.why}")
                break
    return list(answers.values())


def _question(spec: str, criterion: str, dataset: Dataset, twins: dict[str, list[str]]) -> Question:
    signs = (f"the same rows as {', '.join(twins[spec])}" if criterion == DUPLICATE
             else show_signs(dataset, criterion))
    return Question(spec, criterion, QUESTIONS[criterion], signs)


def read_decisions(path: str | Path) -> list[Decision]:
    """Read the answers kept in a CSV file; none where there is no file.

    A last line that was cut short when the power failed is left out.

    Raises
    ------
    SuiteError
        The file is not what `curate` writes.
    """
    path, names = Path(path), [f.name for f in fields(Decision)]
    if not path.exists():
        return []
    rows = list(csv.reader(io.StringIO(read_text(path, SuiteError), newline="")))
    if not rows or rows[0] != names:
        raise SuiteError(f"{path} holds no decisions: its first line must be {','.join(names)}.")
    wrong = [n for n, row in enumerate(rows[1:], 2)
             if len(row) != len(names) or row[2] not in ("yes", "no")]
    if wrong and wrong != [len(rows)]:
        raise SuiteError(f"{path}, line {wrong[0]}: a decision has {len(names)} fields, the third "
                         "yes or no. Mend the line or take it out.")
    return [Decision(*row[:2], row[2] == "yes", *row[3:])
            for n, row in enumerate(rows[1:], 2) if n not in wrong]


def _append(path: Path, decision: Decision) -> None:
    """Write one answer so that it survives whatever comes."""
    known, names = read_decisions(path), [f.name for f in fields(Decision)]
    if path.exists() and not path.read_bytes().endswith(b"\n"):
        with written_whole(path) as part:
            part.write_text(_lines(names, *map(_row, known)), encoding="utf-8")
    with open(path, "a", newline="", encoding="utf-8", opener=unlinked) as stream:
        if stream.tell() == 0:
            stream.write(_lines(names))
        stream.write(_lines(_row(decision)))
        stream.flush()
        os.fsync(stream.fileno())


def _row(decision: Decision) -> list[str]:
    return [v if isinstance(v, str) else "yes" if v else "no" for v in asdict(decision).values()]


def _lines(*rows: list[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _report(curation: Curation, filters: Sequence[Filter], criteria: list[str]) -> str:
    """Return the report: how many each step left out, and what became of every dataset."""
    table = curation.table
    lines = ["# Curation", "",
             f"{len(table)} candidates; {int(table['passes'].sum())} pass; "
             f"{curation.open} with open questions.", "",
             f"Filters: {' '.join(map(str, filters)) or 'none'}.", "",
             "| step | what | criteria |", "| --- | --- | --- |"]
    lines += [f"| {s.number} | {s.what} | {', '.join(c for c in s.criteria if c in criteria)} |"
              for s in STEPS]
    lines += ["", "## Left out", "", "| why | datasets |", "| --- | --- |"]
    counts = table.loc[~table["passes"], "why"].map(lambda w: w.splitlines()[0]).value_counts()
    lines += [f"| {why} | {n} |" for why, n in counts.items()]
    lines += ["", "## The same rows", "", *(f"- {', '.join(g)}" for g in curation.duplicates),
              "", "## Decisions", "", "| dataset | criterion | keep | who | when | why |",
              "| --- | --- | --- | --- | --- | --- |"]
    lines += ["| " + " | ".join(_row(d)) + " |" for d in curation.decisions]
    lines += ["", "## In the suite", "", *(f"- {s}" for s in table.loc[table["passes"], "dataset"])]
    return "\n".join(lines) + "\n"
