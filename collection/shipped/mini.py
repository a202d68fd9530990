"""What ``mini`` consists of: batches of curves, in the order of their worth, cheap ones first.

A batch is a set of parameters of ``make collect``. Nothing here is special to ``mini`` but the
choice.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from collection import command
from collection.container import LEAKAGES, SCALINGS, SEEDS
from collection.learners.names import LEARNERS
from collection.paths import DATA

FOLDER = DATA / "mini"
LACKING = "lacking.csv"  # what the recipe asks for and is not there

#: Small and varied: two or three classes, numeric or categorical, few or many features.
SMALL = ("sklearn:iris", "keel:tae", "keel:wine", "keel:lymphography-normal-fibrosis",
         "keel:housevotes", "keel:sonar", "keel:hayes-roth", "keel:haberman", "keel:breast",
         "keel:bupa")
SMALLEST = SMALL[:4]
#: Rows in OpenML's order, so that curves can be held against the published ones.
AS_ON_OPENML = ("sklearn:breast_cancer", "keel:vehicle", "sklearn:iris_uci", "keel:kr-vs-kp",
                "keel:imbalanced/pima")

#: Thousands of rows, in OpenML's order as well: for learners that are quick even there. (KEEL's
#: phoneme has OpenML's rows, too, but not its numbers: OpenML's are standardised.)
LARGER = ("keel:optdigits",)
QUICK = ("Decision Tree", "ExtraTree", "PassiveAggressive", "Perceptron", "RidgeClassifier",
         "SGDClassifier", "LDA", "BernoulliNB", "MultinomialNB", "ComplementNB", "GaussianNB",
         "KNN", "NearestCentroid", "DummyClassifier")

CLASSIC = tuple(n.name for n in LEARNERS.values() if n.group == "classic")
MIXED = tuple(n.name for n in LEARNERS.values() if n.group == "mixed")
SLOW = ("MLP", "ens.ExtraTrees", "ens.RandomForest", "ens.GradientBoosting")
CHEAP = tuple(name for name in CLASSIC if name not in SLOW)

#: Where CatBoost and RealMLP run, slow as they are.
MODERN = ("keel:tae", "sklearn:iris", "keel:lymphography-normal-fibrosis")
#: More training rows than TabNet's batch of 1,024, below which the published one does not learn.
TABNET = ("keel:kr-vs-kp",)
TABNET_ANCHORS = (16, 64, 256, 512, 725, 940, 1024, 1117, 1449, 2048, 2436)

#: MLP with other mini-batches than scikit-learn's 200 rows, to move its peak (Appendix E.1).
MLP_BATCHES = tuple(f"sklearn.neural_network.MLPClassifier(batch_size={n})" for n in (180, 203))

LIMITS = {"TIME_LIMIT": "600s", "MEMORY_LIMIT": "4GB"}


@dataclass(frozen=True)
class Batch:
    """Curves that are gathered together.

    Attributes
    ----------
    datasets, learners : tuple of str
        Specs of datasets, names of learners as the registry has them.
    scalings, leakage : tuple of str
    outer, inner : tuple of int
        Seeds.
    anchors : tuple of int, optional
        By default the whole grid. A store has one set of anchors, so such a batch has its own.
    """

    datasets: tuple[str, ...]
    learners: tuple[str, ...]
    scalings: tuple[str, ...] = SCALINGS[:1]
    leakage: tuple[str, ...] = LEAKAGES[:1]
    outer: tuple[int, ...] = SEEDS
    inner: tuple[int, ...] = SEEDS
    anchors: tuple[int, ...] | None = None

    @property
    def store(self) -> str:
        """Name of the folder that holds its store."""
        return "mini_curves" if self.anchors is None else "mini_curves_some_anchors"

    def arguments(self, folder: Path, **more: object) -> list[str]:
        """Return it as the arguments of ``python -m collection``."""
        chosen = {"DATASETS": self.datasets, "LEARNERS": map(repr, self.learners),
                  "SCALINGS": self.scalings, "LEAKAGE": self.leakage, "OUTER": self.outer,
                  "INNER": self.inner, "ANCHORS": self.anchors or ("all",)}
        texts = {key: " ".join(map(str, values)) for key, values in chosen.items()}
        texts |= LIMITS | {"OUT": folder / self.store} | more
        return [f"{key}={value}" for key, value in texts.items()]

    def curves(self) -> set[tuple]:
        """Return the curves: (spec, learner, scaling, leakage, outer, inner)."""
        return set(product(self.datasets, self.learners, self.scalings, self.leakage, self.outer,
                           self.inner))


RECIPE = (
    Batch(SMALL, CHEAP),
    Batch(AS_ON_OPENML[:3], (*CHEAP, "MLP")),
    Batch(SMALL, CHEAP, SCALINGS),
    Batch(SMALL, SLOW),
    Batch(AS_ON_OPENML[3:], CHEAP),
    Batch(AS_ON_OPENML[:1], SLOW),
    Batch(SMALL, SLOW, SCALINGS),
    Batch(AS_ON_OPENML[1:], SLOW),
    Batch(SMALL, MIXED, SCALINGS),
    Batch(SMALLEST, CHEAP, SCALINGS, LEAKAGES),
    Batch(TABNET, ("TabNet", "TabNetSmallBatch"), outer=(0,), inner=(0, 1, 2),
          anchors=TABNET_ANCHORS),
    Batch(AS_ON_OPENML[1:2], MLP_BATCHES, inner=(0,)),
    Batch(MODERN, ("CatBoost", "RealMLP")),
    Batch(SMALLEST, SLOW, SCALINGS, LEAKAGES),
    Batch(LARGER, QUICK),
)


def stores(folder: Path) -> list[Path]:
    """Return the folders that hold the stores of the recipe."""
    return [folder / name for name in dict.fromkeys(batch.store for batch in RECIPE)]


def wanted() -> set[tuple]:
    """Return all curves of the recipe; see `Batch.curves`."""
    return set().union(*(batch.curves() for batch in RECIPE))


def gather(folder: Path, more: Mapping[str, str]) -> dict[str, str]:
    """Gather what the recipe asks for and the stores lack; return the batches that are not whole.

    Parameters
    ----------
    folder : Path
        Of the stores.
    more : mapping of str to str
        Parameters of ``make collect`` for every batch, such as WORKERS.
    """
    return {f"batch {number}": "curves are missing" for number, batch in enumerate(RECIPE, 1)
            if command.main(batch.arguments(folder, **more))}


def write(folder: Path, to: Path, missing: Mapping[str, str]) -> int:
    """Write the shipped files, say what is left out; return 1 where something is missing, else 0.

    Raises
    ------
    ExportError
        Where the stores hold nothing whole, or do not fit together.
    """
    from collection.shipped.croissant import describe
    from collection.shipped.export import OUTSIDE, export

    left = export(stores(folder), wanted(), to)
    left[left["reason"] != OUTSIDE].to_csv(to / LACKING, index=False)
    describe(to)
    for reason, count in left["reason"].value_counts().items():
        print(f"Left out: {count} combinations of dataset, learner, scaling and leakage: {reason}.")
    size = sum(file.stat().st_size for file in to.iterdir())
    print(f"{to} holds {size / 1e6:.1f} MB.")
    return int(bool(missing))
