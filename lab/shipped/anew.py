"""LCDB 1.1 gathered anew: which datasets and sizes, and a file of curves for each that is whole.

Datasets are those of the shipped suite `SUITE`, whose file says why the others are left out. Where
one repeat of the 24 learners would take more than `SECONDS`, estimated from fits of up to 1,024
rows before any curve was gathered, the curves of that dataset end earlier: `PLAN` says where. Those
that cost least come first, and a file is written once, when all repeats of its part are there.
Nineteen of those left are sealed (``data/trial/tasks3.csv``): who gathers them computes what the
trial asks, and opens the seal. Their files are in the folder ``opened``: what is judged on curves
that nobody had looked at stays apart.

Small tables were gathered before the suite was written: four are outside its rule, and some have
further learners (`BESIDE`). Sixteen, listed in ``sample.csv``, are what ``mini`` opens.
"""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from collection.containers.curves import LEAKAGES, SCALINGS
from collection.containers.learner_names import CLASSIC, MIXED, MLP_BATCHES
from collection.project.paths import DATA, shipped
from collection.protocol.anchors import anchor_grid
from collection.protocol.splits import SEEDS
from collection.shipped.anew import FOLDER, PLAN, SUITE, read_plan
from collection.suites.specs import find_suite
from lab.shipped.export import export_described, export_portion
from lab.shipped.recipes import Batch

SECONDS = 120
#: Part of a dataset's curves → of which learners, and how features are prepared. The first comes
#: first everywhere.
PARTS = {"": (CLASSIC, SCALINGS[:1], LEAKAGES[:1]),
         "_scaled": (CLASSIC, SCALINGS[1:], LEAKAGES[:1]),
         "_leaked": (CLASSIC, SCALINGS[1:], LEAKAGES[1:]),
         **{f"_{name.lower()}": ((name,), SCALINGS[:1], LEAKAGES[:1])
            for name in ("CatBoost", "TabNet", "RealMLP")}}

#: Learners whose curves are gathered again with inner seeds that are all distinct, to files in the
#: folder of that name, whose ``plan.md`` says why.
DISTINCT = "distinct"
SEEDED = ("DummyClassifier", "PassiveAggressive", "SGDClassifier", "Perceptron", "QDA", "LDA",
          "GaussianNB", "Decision Tree")
#: Where the files of sealed datasets are, and which these are.
OPENED = "opened"
SEALED = DATA / "trial" / "tasks3.csv"
#: Outside the suite's rule: another copy of its irises, too few rows, other targets.
OUTSIDE = ("sklearn:iris", "keel:lymphography-normal-fibrosis", "keel:hayes-roth", "keel:bupa")
SMALLEST = ("keel:tae", "sklearn:wine", *OUTSIDE[:2])
SMALL = (*SMALLEST, *OUTSIDE[2:], "keel:housevotes", "keel:sonar", "keel:haberman", "keel:breast")
#: More training rows than TabNet's batch of 1,024, below which the published one does not learn.
TABNET_ANCHORS = (16, 64, 256, 512, 725, 940, 1024, 1117, 1449, 2048, 2436)
#: Part of what is beside the suite → of which tables, and a batch's settings.
BESIDE = {
    **{part: (OUTSIDE[:n], dict(zip(("learners", "scalings", "leakage"), PARTS[part], strict=True)))
       for part, n in {"": 4, "_scaled": 4, "_leaked": 2, "_catboost": 4, "_realmlp": 2}.items()},
    "_mixed": (SMALL, {"learners": MIXED, "scalings": SCALINGS}),
    "_leaked_unscaled": (SMALLEST, {"learners": CLASSIC, "leakage": LEAKAGES[1:]}),
    "_batches": (("keel:vehicle",), {"learners": MLP_BATCHES, "inner": SEEDS[:1]}),
    "_tabnets": (("keel:chess",), {"learners": ("TabNet", "TabNetSmallBatch"), "outer": SEEDS[:1],
                                   "inner": SEEDS[:3], "anchors": TABNET_ANCHORS}),
}


@dataclass(frozen=True)
class Portion:
    """Curves of one dataset that share a file.

    Attributes
    ----------
    name : str
        Of the file, without its ending, and of the store that it is gathered in.
    batch : Batch
    """

    name: str
    batch: Batch


def portions() -> Iterator[Portion]:
    """Yield what is to be gathered, in that order.

    Raises
    ------
    ValueError
        Suite and plan are not of the same datasets.
    """
    plan, sealed = read_plan(), set(pd.read_csv(shipped(SEALED))["dataset"])
    if set(plan["dataset"]) != {task.dataset for task in find_suite(SUITE).tasks}:
        raise ValueError(f"{PLAN} and the suite {SUITE} are not of the same datasets.")
    for part, settings in PARTS.items():
        for row in plan.itertuples():
            anchors = tuple(anchor_grid(row.last_anchor).tolist())
            place = f"{OPENED}/" if row.dataset.rpartition("/")[2] in sealed else ""
            yield Portion(place + _stem(row.dataset) + part,
                          Batch((row.dataset,), *settings, anchors=anchors))
    for part, (tables, more) in BESIDE.items():
        yield from (Portion(_stem(table) + part, Batch((table,), **more)) for table in tables)
    for row in pd.read_csv(shipped(FOLDER / DISTINCT / PLAN.name)).itertuples():
        anchors = tuple(anchor_grid(row.last_anchor).tolist())
        yield Portion(f"{DISTINCT}/{_stem(row.dataset)}",
                      Batch((row.dataset,), SEEDED, anchors=anchors, seeds=DISTINCT))


def _stem(dataset: str) -> str:
    return dataset.partition(":")[2].replace("/", "-")


def gather(folder: Path, more: Mapping[str, str], to: Path = FOLDER) -> dict[str, str]:
    """Gather what has no file yet, and write each file when its curves are whole.

    Several may do so side by side where ``ONLY`` gives each its own portions.

    Parameters
    ----------
    folder : Path
        Of the stores, one a portion; gathering goes on with what they hold.
    more : mapping of str to str
        Parameters of ``make collect`` for all, such as WORKERS; ``ONLY``, names of portions
        separated by blanks.
    to : Path
        Of the files.

    Returns
    -------
    dict of str to str
        Portion → why it is not whole.

    Raises
    ------
    KeyboardInterrupt
        Where it was stopped: the next portion is not begun.
    """
    more, missing = dict(more), {}
    only = more.pop("ONLY", "").split()
    for portion in portions():
        file = to / f"{portion.name}.parquet"
        if file.exists() or (only and portion.name not in only):
            continue
        print(f"{SUITE}: {portion.name}", file=sys.stderr)
        store = folder / portion.name
        try:
            lost = portion.batch.gather(store, **more)
        except (ValueError, OSError, RuntimeError) as error:  # the others go on
            lost = {str(error): 1}
        if lost:
            missing[portion.name] = "; ".join(lost)
            continue
        export_portion(store, portion.batch.curves(), file)
    return missing


def write(folder: Path, to: Path, missing: Mapping[str, str]) -> int:
    """Write the table of datasets, say how much is there; return 1 where something is missing.

    Parameters
    ----------
    folder : Path
        Of the stores; `gather` has written what they hold whole.
    to : Path
        Of the files.
    missing : mapping of str to str
        What `gather` returned.
    """
    for name, why in missing.items():
        print(f"{SUITE}: {name} is not whole: {why}", file=sys.stderr)
    files = list(to.rglob("*.parquet"))
    for place in sorted({file.parent for file in files} | {to}):
        export_described(place)
    size = sum(file.stat().st_size for file in files)
    print(f"{to} holds {len(files)} of {len(list(portions()))} files, {size / 1e6:.1f} MB.")
    return int(bool(missing))
