"""Compare learners of your own with logistic regression and the baselines, by PMLBmini's protocol.

``make compare LEARNER="sklearn.svm.SVC(probability=True)" SUITE=pmlbmini OUT=my_comparison``.
"""

from analysis.comparison.make import compare

__all__ = ["compare"]
