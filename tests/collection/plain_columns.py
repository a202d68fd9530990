"""The preprocessing of the protocol as one would write it with scikit-learn."""

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler

SCALERS = {"none": [], "minmax": [MinMaxScaler], "standard": [StandardScaler]}


def plain_columns(dataset, scaling, form="onehot"):
    """Return what makes a dataset's features a matrix, of one-hot columns or of ranks."""
    numeric = make_pipeline(
        SimpleImputer(strategy="median"), *(make() for make in SCALERS[scaling]))
    onehot = [SimpleImputer(strategy="most_frequent"),
              OneHotEncoder(sparse_output=False, handle_unknown="ignore")]
    ordinal = [SimpleImputer(strategy="most_frequent"),
               OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan),
               SimpleImputer(strategy="most_frequent")]
    scaled = [StandardScaler()] if scaling == "standard" and form == "onehot" else []
    encoder = make_pipeline(*(onehot if form == "onehot" else ordinal), *scaled)
    return ColumnTransformer([("numeric", numeric, dataset.numeric),
                              ("categorical", encoder, dataset.categorical)])
