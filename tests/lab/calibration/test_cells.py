from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from analysis.shapes import PROCEDURES
from collection.protocol.anchors import anchor_grid
from lab.calibration import count as made
from lab.calibration.count import COARSE, FINE, Cell, anchors_on, confirmation, design
from lab.shapes.noise import COLUMNS as NOISE_COLUMNS
from lab.shapes.noise import fitted_noise, kept_noise

ALL = tuple(PROCEDURES)


def test_every_procedure_is_calibrated_and_every_cell_has_a_name_of_its_own():
    cells = list(design())
    assert len({c.key for c in cells}) == len(cells)
    judged = {name for c in cells for name in c.procedures}
    assert judged == set(PROCEDURES)
    flat = [c for c in cells if c.truth == "flat" and c.procedures == ALL]
    assert {c.estimand for c in flat} == {"dataset", "population"}
    assert min(c.n for c in flat) >= 1000  # enough for an interval to lie below 5 %


def test_grids_are_those_of_the_databases():
    for rows, coarse, fine in ((200, 7, 27), (1000, 12, 46), (5000, 16, 64)):
        assert [anchors_on(rows, g) for g in (COARSE, FINE)] == [coarse, fine]
        grid = anchor_grid(up_to=round(0.81 * rows), per_doubling=COARSE)
        assert len(grid) == coarse == Cell("flat", rows=rows).anchors
    of = {grid: {c.truth for c in design() if c.per_doubling == grid and c.procedures != ALL}
          for grid in (COARSE, FINE)}
    assert {"flat", "peak", "dip", "phase_transition"} <= of[FINE]


def test_the_same_cell_gives_the_same_curves_whoever_judges():
    cell = Cell("peak", 0.05, n=3, per_doubling=1)
    other = Cell("peak", 0.05, n=3, per_doubling=1, procedures=("holm",))
    np.testing.assert_array_equal(made.simulate_cell(cell), made.simulate_cell(other))
    dips = Cell("dip", 0.05, n=3, per_doubling=1)
    assert not np.array_equal(made.simulate_cell(cell), made.simulate_cell(dips))


def test_counts_are_shares_of_the_curves_with_exact_intervals():
    cell = Cell("peak", 0.1, n=20, per_doubling=1, procedures=("corrected", "max_t"))
    table = made.count_cell(cell)
    assert list(table.columns) == list(made.COLUMNS)
    assert set(table["verdict"]) == set(made.VERDICTS)
    assert (table["low"] <= table["rate"]).all() and (table["rate"] <= table["high"]).all()
    none = table[table["rate"] == 0]["high"]
    assert none.tolist() == pytest.approx([100 * (1 - 0.025 ** (1 / 20))] * len(none))
    assert table["generator"].unique() == ["drawn, dataset"]


def test_cells_are_pooled():
    row = {"generator": "drawn, dataset", "procedure": "holm", "verdict": "peaking", "rows": 1000,
           "per_doubling": 2, "anchors": 12, "repeats": 25, "truth": "flat", "size": 0.0,
           "low": 0.0, "high": 0.0}
    cells = [row | {"rate": rate, "n": n} for rate, n in ((20.0, 10), (10.0, 30))]
    table = made.pooled(pd.DataFrame(cells))
    assert table[["rate", "n"]].values.tolist() == [[12.5, 40]]
    low, high = binomtest(5, 40).proportion_ci(method="exact")
    assert table[["low", "high"]].values.tolist() == [pytest.approx([100 * low, 100 * high])]


def test_what_confirms_had_no_part_in_the_choice():
    cells, fresh = list(design()), list(confirmation())
    assert not {c.key for c in cells} & {c.key for c in fresh}
    one = Cell("flat", n=3, rows=300, per_doubling=1)
    assert not np.array_equal(made.simulate_cell(one), made.simulate_cell(replace(one, draw=1)))


def test_the_noise_kept_is_that_of_the_curves():
    found = fitted_noise("lcdb10", ["LDA", "Perceptron"]).set_index("learner")
    kept = kept_noise().query("database == 'lcdb10'").set_index("learner").loc[found.index]
    for name in NOISE_COLUMNS:
        np.testing.assert_allclose(found[name], kept[name], rtol=0.01, atol=1e-3)
    assert found.loc["Perceptron", "octaves"] < found.loc["LDA", "octaves"]
