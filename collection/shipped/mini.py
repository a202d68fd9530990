"""What ``mini`` consists of: batches of curves, in the order of their worth, cheap ones first.

A batch is a set of parameters of ``make collect``. Nothing here is special to ``mini`` but the
choice.
"""

from collection.containers.curves import LEAKAGES, SCALINGS
from collection.containers.learner_names import LEARNERS
from collection.project.paths import DATA
from collection.shipped.recipe import Batch, Recipe

FOLDER = DATA / "mini"

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

RECIPE = Recipe("mini", {
    "mini_curves": (
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
        Batch(AS_ON_OPENML[1:2], MLP_BATCHES, inner=(0,)),
        Batch(MODERN, ("CatBoost", "RealMLP")),
        Batch(SMALLEST, SLOW, SCALINGS, LEAKAGES),
        Batch(LARGER, QUICK),
    ),
    "mini_curves_some_anchors": (
        Batch(TABNET, ("TabNet", "TabNetSmallBatch"), outer=(0,), inner=(0, 1, 2),
              anchors=TABNET_ANCHORS),
    ),
})
