"""The curation protocol of the paper's Appendix C, steps 1a to 2e, as one command.

What can be automated is done first. What is left to a person is written to ``questions.csv``, a
question a line, with the signs that the data show. With the answers filled in, it is read again,
until none is open. It ends in a suite.
"""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import pandas as pd

from collection.datasets.files import read_cells
from collection.project.naming import check_known
from collection.project.results_folder import written_as_own
from collection.project.shown import write_csv
from collection.suites.create import Candidates, choose
from collection.suites.criteria import CRITERIA, show_signs
from collection.suites.duplicates import find_duplicates, group_duplicates
from collection.suites.qualities import Filter
from collection.suites.suite import Decision, SuiteError

QUESTIONS, CANDIDATES = "questions.csv", "candidates.csv"
DUPLICATE = "duplicate"
NOT_ANSWERED = "not answered yet"
# Steps 1b, 1d and 1f; 1a, 1c and 1e are seen to as datasets are read, and by filters.
AUTOMATIC = ("rows", "one_hot_features", "class_rows", "class_ratio", "dense",
             "several_attributes", "no_perfect_tree")
# Steps 2a to 2e.
ASKED = ("not_artificial", "no_time", "no_groups", "whole", "own_target", DUPLICATE, "referenced")
TWICE = "Should it be kept beside, or instead of, those with the same rows?"
ANSWER = [f.name for f in fields(Decision)]


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


def curate(candidates: Candidates, folder: Path, who: str, answers: str | Path | None = None,
           filters: Sequence[Filter] = (),
           criteria: Iterable[str] = (*AUTOMATIC, *ASKED)) -> Curation:
    """Go through the protocol with the answers that there are, and write down the questions.

    Parameters
    ----------
    candidates : Candidates
        From `collection.suites.create.load_candidates`.
    folder : Path
        Where the questions (`QUESTIONS`) and what became of each candidate (`CANDIDATES`) go.
    who : str
        Who answers; recorded where an answer does not say.
    answers : path, optional
        The questions, answered; see `read_decisions`.
    filters : sequence of Filter
        Conditions of steps 1b to 1e beyond the criteria.
    criteria : iterable of str
        Those to go through; all unless given.

    Raises
    ------
    UnknownNameError
        For a criterion that is none.
    SuiteError
        Where nobody is named, or an answer is none.
    """
    criteria = list(criteria)
    check_known("criterion", criteria, [*AUTOMATIC, *ASKED])
    if not who:
        raise SuiteError("Who decides? Give a name with WHO=…; it is recorded with each answer.")
    known = {(d.dataset, d.criterion): d for d in (read_decisions(answers, who) if answers else ())}
    table = choose(candidates, filters, [c for c in AUTOMATIC if c in criteria])
    regression = table["dataset"].map(
        lambda s: s in candidates.datasets and candidates.datasets[s].is_regression)
    table.loc[table["passes"] & regression, "why"] = "a classification problem"
    twins, groups = _same_rows(candidates, table.loc[table["why"] == "", "dataset"])
    questions = []
    for row, spec in table.loc[table["why"] == "", "dataset"].items():
        asked = [c for c in ASKED if c in criteria and (c != DUPLICATE or spec in twins)]
        decided = [known.get((spec, criterion)) for criterion in asked]
        against = [f"{d.criterion}: {d.why}" for d in decided if d and not d.keep]
        table.loc[row, "why"] = next(iter(against), "" if all(decided) else NOT_ANSWERED)
        questions += [_question(spec, c, candidates, twins, known.get((spec, c))) for c in asked]
    table = table.assign(passes=table["why"] == "")
    for name, written in ((QUESTIONS, pd.DataFrame(questions)), (CANDIDATES, table)):
        with written_as_own(folder / name) as part:
            write_csv(written, part)
    return Curation(table, tuple(known.values()), groups,
                    int((table["why"] == NOT_ANSWERED).sum()))


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
