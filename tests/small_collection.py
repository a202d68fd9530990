"""Two small datasets, collected with predictions."""

from own_tables_here import fit_here

from collection.running.curve_plan import make_plan
from collection.running.curve_settings import check_settings
from collection.running.work import run

#: The third fails on standardised features, the fourth has scores but no probabilities.
LEARNERS = "KNN LDA GaussianNB MultinomialNB RidgeClassifier"


def gather(folder, **changes):
    """Collect two datasets in two repeats at every fourth anchor."""
    settings = check_settings({
        "DATASETS": "sklearn:iris sklearn:wine", "LEARNERS": LEARNERS, "OUT": str(folder),
        "SCALINGS": "standard", "OUTER": "0 1", "INNER": "0", "SEEDS": "paper",
        "PREDICTIONS": "yes", "ANCHORS": "16 18 20 21 23 27 32 91", "WORKERS": "1"} | changes)
    with fit_here():
        return run(settings, make_plan(settings))
