"""The steps from the published procedure to the corrected one, and the paper's column."""

import pytest

import analysis
from analysis.databases import chosen
from analysis.published.printed import published_table
from analysis.shapes.rates import curves_table, shape_rates
from analysis.shapes.verdicts import VERDICTS
from chapters.da1.correction_steps import correction_steps, priced
from collection.naming import UnknownNameError


@pytest.fixture(scope="module")
def valid():
    return chosen.validation_errors("lcdb10").load()


def test_published_procedure_gives_the_papers_column(valid):
    shapes = analysis.detect_shapes(valid, procedure="published")
    rates = shape_rates(curves_table(shapes, "lcdb10", "published")).iloc[0]
    paper = published_table("table4").query("database == 'LCDB 1.0'").set_index("property")
    assert rates["n_curves"] == 3920
    for verdict in VERDICTS:
        assert rates[verdict] == pytest.approx(float(paper.loc[verdict, "value"]), abs=0.06)


def test_steps_begin_with_published_and_end_with_corrected(valid):
    some = valid.isel(dataset=slice(0, 20))
    tried = chosen.tried_curves(chosen.main_curves("lcdb10"), some)
    steps = correction_steps(some, tried)
    assert len(steps) == 5
    for end, procedure in ((0, "published"), (4, "corrected")):
        shapes = analysis.detect_shapes(some, procedure)
        for verdict in VERDICTS:
            assert steps[verdict][end] == pytest.approx(100 * float(shapes[verdict].mean()))


def test_the_last_step_is_a_cheaper_correction_and_nothing_else(valid):
    some = valid.isel(dataset=slice(0, 20))
    own = analysis.detect_shapes(some, "corrected")
    same = priced(own, own["n_anchors"])
    assert all((same[v] == own[v]).all() for v in VERDICTS)
    dear = priced(own, 4 * own["n_anchors"])
    for kind, verdict in (("mono", "non_monotone"), ("peak", "peaking")):
        assert not (dear[verdict] & ~own[verdict]).any()
        assert ((dear[f"p_{kind}"] < 0.05) == dear[verdict]).all()
    assert dear["ill_behaved"].sum() < own["ill_behaved"].sum()


def test_unknown_published_table_names_the_close_ones():
    with pytest.raises(UnknownNameError, match="table4"):
        published_table("tabel4")
