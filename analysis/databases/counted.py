"""Which learners an analysis counts, and which the authors' files and tables have.

Written out, not taken from the registry: another learner there leaves the axes of the official
files, the rows of Table 8 and what Table 4 counts as they are.
"""

#: The 24 of scikit-learn: the learners of Table 8, in the order of the official files.
CLASSIC = (
    "SVM_Linear", "SVM_Poly", "SVM_RBF", "SVM_Sigmoid", "Decision Tree", "ExtraTree",
    "LogisticRegression", "PassiveAggressive", "Perceptron", "RidgeClassifier", "SGDClassifier",
    "MLP", "LDA", "QDA", "BernoulliNB", "MultinomialNB", "ComplementNB", "GaussianNB", "KNN",
    "NearestCentroid", "ens.ExtraTrees", "ens.RandomForest", "ens.GradientBoosting",
    "DummyClassifier",
)
#: The learners of Appendix C, which Section 5.1 leaves out.
MIXED = ("MixBernoulliNB", "MixMultinomialNB", "MixComplementNB", "MixGaussianNB")
#: Learners that Table 4 does not count: these, and the one that learns nothing.
NOT_COUNTED = (*MIXED, "DummyClassifier")
#: Learners that prepare features themselves: Table 4 counts them without scaling only.
MODERN = ("CatBoost", "TabNet", "RealMLP", "TabPFNv2")
