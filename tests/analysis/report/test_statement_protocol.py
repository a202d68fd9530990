"""Published sample sizes for prediction models come out; what cannot be is refused."""

import numpy as np
import pandas as pd
import pytest
from own_tables_here import AMPLE, measure_here

from analysis.report.protocol import (
    explained_by,
    rows_for_classes,
    rows_for_numbers,
    rows_to_evaluate,
)
from analysis.report.report import answer_table, read_input
from analysis.report.settings import check_report
from analysis.report.statement import statement, write_statement
from collection.project.parameters import SettingsError
from collection.project.paths import PRINTED

PUBLISHED = pd.read_csv(PRINTED / "sample_sizes.csv")


@pytest.mark.parametrize("row", list(PUBLISHED.itertuples()),
                         ids=lambda row: f"{row.what} {row.rows}")
def test_published_examples_come_out(row):
    found = {"classes": lambda: rows_for_classes(int(row.parameters), row.prevalence, row.r2),
             "numbers": lambda: rows_for_numbers(int(row.parameters), row.r2),
             "evaluate": lambda: rows_to_evaluate(row.prevalence, row.c)}[row.what]()
    assert found[row.criterion] == row.rows


def test_the_second_criterion_of_the_published_example():
    """pmsampsize 1.0 rounded the largest share to 0.60 and printed 668."""
    assert rows_for_classes(24, 0.174, 0.288)["optimism"] == 662


def test_a_c_statistic_is_an_explained_share():
    """pmsampsize 1.1.3 simulates 0.158 for 0.78 at 0.2, with 30 parameters 1,556 rows."""
    assert explained_by(0.78, 0.2) == pytest.approx(0.158, abs=0.001)
    assert max(rows_for_classes(30, 0.2, 0.158).values()) == pytest.approx(1556, abs=2)
    assert explained_by(0.5, 0.3) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("bad", [(24, 0.174, 0.7), (24, 0.0, 0.1), (0, 0.2, 0.1), (24, 0.2, -0.1)])
def test_what_no_model_can_explain_is_refused(bad):
    with pytest.raises(ValueError, match="not between 0 and"):
        rows_for_classes(*bad)
    with pytest.raises(ValueError, match="no share"):
        rows_for_numbers(bad[0], 1.5)


@pytest.mark.parametrize(("classes", "more", "words"), [
    ("abc", {}, "has 3 classes"), ("ab", {"LEARNERS": "KNN"}, "LEARNERS=LogisticRegression")])
def test_what_no_statement_can_be_of_is_refused_before_anything_is_measured(tmp_path, classes,
                                                                            more, words):
    noise(list(classes)).to_csv(tmp_path / "t.csv", index=False)
    settings = check_report({"CSV": str(tmp_path / "t.csv"), "TARGET": "y", "STATEMENT": "yes",
                             **more})
    with pytest.raises(SettingsError, match=words):
        read_input(settings)


def test_a_model_that_explains_nothing_has_no_number_and_costs_no_report(monkeypatch):
    measure_here(monkeypatch)
    table = noise(np.random.default_rng(2).normal(size=150))
    answers = answer_table(table, "y", AMPLE, learners=["Ridge"])
    found = statement(answers).set_index("by")
    assert found.loc["criteria", "rows"] != found.loc["criteria", "rows"]  # NaN
    assert "explains nothing" in found.loc["criteria", "aim"]
    assert "<td>–</td><td>criteria</td>" in write_statement(answers)


def noise(values):
    """Return a table whose columns say nothing of the target."""
    rng = np.random.default_rng(1)
    return pd.DataFrame(rng.normal(size=(150, 5)), columns=list("vwxyz")).assign(
        y=values if len(values) == 150 else rng.choice(values, 150))
