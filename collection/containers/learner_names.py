"""The 32 learners of LCDB 1.1 by the paper's names (its Table 3), with the names others gave them.

Light on purpose: the analyses need the names, not the libraries.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

from collection.project.naming import UnknownNameError


@dataclass(frozen=True)
class LearnerName:
    """Names of one learner.

    Attributes
    ----------
    name : str
        As in the published data and this project.
    short : str
        Abbreviation of Table 3.
    title : str
        In words.
    lcdb10 : str or None
        Its name in LCDB 1.0, which has 20 of the classic ones.
    group : str
        ``classic`` (the 24 of scikit-learn), ``mixed`` (naive Bayes) or ``modern``.
    """

    name: str
    short: str
    title: str
    lcdb10: str | None
    group: str


def _rows(name: str) -> list[dict[str, str | None]]:
    """Return the rows of a table beside this module; a cell without text is None."""
    with (Path(__file__).parent / name).open(encoding="utf-8", newline="") as file:
        return [{key: cell or None for key, cell in row.items()} for row in csv.DictReader(file)]


LEARNERS = {row["name"]: LearnerName(**row) for row in _rows("learners.csv")}
#: By group, in the order of the official files: the 24 of scikit-learn, which are the learners of
#: Table 8; those of Appendix C, which Section 5.1 leaves out; those that prepare features
#: themselves, which Table 4 counts without scaling only.
CLASSIC, MIXED, MODERN = (tuple(n.name for n in LEARNERS.values() if n.group == group)
                          for group in ("classic", "mixed", "modern"))
#: Learners that Table 4 does not count: the mixed ones, and the one that learns nothing.
NOT_COUNTED = (*MIXED, "DummyClassifier")
#: MLP with other mini-batches than scikit-learn's 200 rows, to move its peak (Appendix E.1).
MLP_BATCHES = tuple(f"sklearn.neural_network.MLPClassifier(batch_size={n})" for n in (180, 203))
#: Learners of ``lcdb11-anew`` that are beside its suite alone.
EXTRA = (*MIXED, *MLP_BATCHES, "TabNetSmallBatch")

#: Regressors in words, where they are no classifiers of the same name.
REGRESSOR_TITLES = {
    "LeastSquares": "least squares", "Ridge": "ridge regression", "Lasso": "lasso",
    "SGD": "stochastic gradient descent", "HistGradientBoosting": "histogram gradient boosting",
    "Dummy": "the mean",
}

#: Class of scikit-learn, LightGBM or XGBoost → learner of another name, of classes and of numbers.
CLASSES = {kind: {row["class"]: row["name"] for row in _rows("classes.csv")
                  if row["predicts"] == kind} for kind in ("classes", "numbers")}
NAMES_IN_HELP = "or the class's, as people know it: " + ", ".join(
    f"{known} is {name}" for classes in CLASSES.values() for known, name in classes.items())

FROM_LCDB10 = {n.lcdb10: n.name for n in LEARNERS.values() if n.lcdb10}


def learner_name(label: str, known=None) -> str:
    """Return the project's name of a learner called by any other, its class's too.

    Parameters
    ----------
    label : str
        Case, spaces and underscores do not matter.
    known : iterable of str, optional
        Names to choose among; by default the 32 learners.

    Raises
    ------
    UnknownNameError
        With the close names.
    """
    known = list(LEARNERS if known is None else known)
    if label in known:
        return label
    aliases = {_plain(cls): name for classes in CLASSES.values() for cls, name in classes.items()
               if name in known}
    aliases |= {_plain(name): name for name in known}
    for n in LEARNERS.values():
        if n.name in known:
            aliases.update({_plain(a): n.name for a in (n.short, n.lcdb10 or n.name)})
    if _plain(label) not in aliases:
        classes = (cls for of in CLASSES.values() for cls, name in of.items() if name in known)
        raise UnknownNameError("learner", label, [*known, *classes])
    return aliases[_plain(label)]


def _plain(label: str) -> str:
    return "".join(c for c in str(label).lower() if c.isalnum() or c == ".")
