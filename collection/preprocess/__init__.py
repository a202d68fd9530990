"""Preprocessing for all prefixes of a training set together: impute, encode, scale.

`encode` turns a dataset into numbers once; `fit_statistics` gathers what imputers, encoders and
scalers learn from every prefix in one pass; `Designs` applies it and hands out matrices.
"""

from collection.preprocess.designs import FORMS, Design, Designs, prepare
from collection.preprocess.encoded import Encoded, Statistics, encode, fit_statistics

__all__ = ["FORMS", "Design", "Designs", "Encoded", "Statistics", "encode", "fit_statistics",
           "prepare"]
