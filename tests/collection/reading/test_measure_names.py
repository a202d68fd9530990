"""Names of measures: read from the outside in, asked where a part is not understood."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.leaderboards.cells import ResultsError
from analysis.leaderboards.tables import load_results
from collection.reading.directions import directions_of
from collection.reading.names import lower_is_better, measure_of

NAMES = json.loads(Path(__file__).with_name("measure_names.json").read_text())
CASES = [(name, way == "lower") for way, names in NAMES.items() for name in names]
rng = np.random.default_rng(0)
LEVELS = {"GBM": 0.9, "RF": 0.87, "LR": 0.82, "KNN": 0.77}
TABLE = pd.DataFrame([(f"d{k}", m, v + 0.01 * rng.random()) for k in range(8)
                      for m, v in LEVELS.items()], columns=["dataset", "model", "value"])


def judged(name, lower):
    """Return whether higher is better by a measure's name: of the values' column, of a metric's.

    The corner of a wide table is judged as a column of values; files, by every tenth name, below.
    """
    long = valued(name, lower)
    for found, _ in (directions_of(long, name), directions_of(long.assign(metric=name), "score")):
        yield None if found is None else not found.any()


def valued(name, lower):
    """Return a table of results as its measure's name has them."""
    negative = measure_of(name).form == "negative"
    value = -(1 - TABLE["value"]) if negative and not lower else (
        1 - TABLE["value"] if lower else TABLE["value"])
    return TABLE.assign(value=value, task=TABLE["dataset"], method=TABLE["model"])


def tables(name, lower):
    """Return a measure three ways: a column of values, of metrics, the corner of a wide table."""
    long = valued(name, lower)[["dataset", "model", "value"]]
    yield long.rename(columns={"value": name})
    yield long.rename(columns={"value": "score"}).assign(metric=name)
    yield long.pivot(index="dataset", columns="model", values="value").rename_axis(
        name).reset_index()


def read(table):
    """Return whether higher is better by a table; None where it asks."""
    try:
        return bool(load_results(table)["higher_is_better"].all())
    except ResultsError:
        return None


def test_no_name_is_turned_and_a_tenth_at_most_is_asked():
    assert len({name for name, _ in CASES}) == len(CASES) >= 425
    found = [(name, lower, way) for name, lower in CASES for way in judged(name, lower)]
    found += [(name, lower, read(t)) for name, lower in CASES[::10] for t in tables(name, lower)]
    assert not [name for name, lower, higher in found if higher == lower]
    assert sum(higher is None for *_, higher in found) <= len(found) / 10


@pytest.mark.parametrize(("name", "lower"), [
    ("accuracy wobble", None), ("rmse quotient", None), ("log loss", True), ("error score", None)])
def test_what_is_not_understood_has_a_witness_less(name, lower):
    value = TABLE["value"] if lower is None else 1 - TABLE["value"]
    table = TABLE.assign(value=value).rename(columns={"value": name})
    assert read(table) == (None if lower is None else not lower)
    assert measure_of(name).whole == (lower is not None)


@pytest.mark.parametrize(("name", "core", "form"), [
    ("1 - AUC", "auc", "complement"), ("neg_log_loss", "log loss", "negative"),
    ("error reduction", "error", "derived"), ("AUC", "auc", ""),
    ("1-shot accuracy", "accuracy", "")])
def test_what_a_measure_is_made_of(name, core, form):
    assert (measure_of(name).name, measure_of(name).form) == (core, form)


def test_a_header_that_contradicts_its_measure_is_asked():
    assert read(TABLE.rename(columns={"value": "Brier ↑"})) is None
    assert lower_is_better("Brier ↑")
