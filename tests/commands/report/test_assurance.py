"""Published sample sizes for prediction models come out; what cannot be is refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from collection.project.paths import PRINTED
from commands import COMMANDS
from commands.report import assurance
from commands.report.assurance import LookAlikes
from commands.report.settings import check_report

PUBLISHED = pd.read_csv(PRINTED / "sample_sizes.csv")


@pytest.mark.parametrize("row", list(PUBLISHED.itertuples()),
                         ids=lambda row: f"{row.what} {row.rows}")
def test_published_examples_come_out(row):
    found = {"classes": lambda: assurance.rows_for_classes(int(row.parameters), row.prevalence,
                                                           row.r2),
             "numbers": lambda: assurance.rows_for_numbers(int(row.parameters), row.r2),
             "evaluate": lambda: assurance.rows_to_evaluate(row.prevalence, row.c)}[row.what]()
    assert found[row.criterion] == row.rows


def test_the_second_criterion_of_the_published_example():
    """pmsampsize 1.0 rounded the largest share to 0.60 and printed 668."""
    assert assurance.rows_for_classes(24, 0.174, 0.288)["optimism"] == 662


def test_a_c_statistic_is_an_explained_share():
    """pmsampsize 1.1.3 simulates 0.158 for 0.78 at 0.2, with 30 parameters 1,556 rows."""
    assert assurance.explained_by(0.78, 0.2) == pytest.approx(0.158, abs=0.001)
    assert max(assurance.rows_for_classes(30, 0.2, 0.158).values()) == pytest.approx(1556, abs=2)
    assert assurance.explained_by(0.5, 0.3) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("r2", [0.3, 0.6])
def test_intervals_of_numbers_are_as_wide_as_said_where_so_many_are_drawn(r2):
    rows, rng = assurance.rows_to_evaluate_numbers(r2), np.random.default_rng(0)
    for name, width in (("r2", 0.1), ("slope", 0.2), ("spread", None)):
        said = rng.normal(scale=np.sqrt(r2), size=(2000, rows[name]))
        left = rng.normal(scale=np.sqrt(1 - r2), size=said.shape)
        slope = 1 + (said * left).mean(1) / (said**2).mean(1)
        found = {"r2": 1 - (left**2).mean(1) / (said + left).var(1), "slope": slope,
                 "spread": left.std(1) / np.sqrt(1 - r2)}[name]
        low, high = np.percentile(found, [2.5, 97.5])
        assert high - low == pytest.approx(width or 0.183, rel=0.06)


@pytest.mark.parametrize("bad", [(24, 0.174, 0.7), (24, 0.0, 0.1), (0, 0.2, 0.1), (24, 0.2, -0.1)])
def test_what_no_model_can_explain_is_refused(bad):
    with pytest.raises(ValueError, match="not between 0 and"):
        assurance.rows_for_classes(*bad)


@pytest.mark.parametrize(("error", "prevalence"), [
    (0.05, 0.5), (0.15, 0.2), (0.19, 0.2), (1e-6, 0.5)])
def test_an_error_says_the_c_statistic_of_normal_scores(error, prevalence):
    c = assurance.c_statistic_of(error, prevalence)
    apart, rng = np.sqrt(2) * norm.ppf(c), np.random.default_rng(0)
    truth = rng.uniform(size=400_000) < prevalence
    score = rng.normal(size=400_000) + apart * truth
    cut = apart / 2 + np.log(1 / prevalence - 1) / apart
    assert ((score > cut) != truth).mean() == pytest.approx(error, abs=0.002)
    explained = assurance.explained_by(c, prevalence)
    assert max(assurance.rows_for_classes(5, prevalence, explained).values()) > 0


def made(ends, reached=4, n=30):
    """Return look-alikes of one kind: half the guess's error until `reached`, then a tenth."""
    sizes = np.array([16, 32, 64, 128, 256, 512])
    lasting = np.where(np.arange(6) < np.asarray(reached)[..., None], 0.5, 0.1) * np.ones((n, 1))
    lasting[np.arange(6) >= np.asarray(ends)[..., None] * np.ones((n, 1))] = np.nan
    traits = np.stack([np.arange(n) // 2 % 2 * 2.0 - 1] * 3, axis=1)  # all as far from 0
    return LookAlikes(np.array([f"f{k}" for k in range(n)], object), traits, sizes, lasting,
                      np.full(n, 0.5))


def test_chances_are_shares_of_curves_measured_there():
    few = made(ends=6, reached=np.where(np.arange(30) < 24, 2, 9))  # six never reach it
    chances = few.chances(np.zeros(3), 0.2)
    assert chances[:2].tolist() == [0, 0] and chances[2:] == pytest.approx([0.8] * 4)
    assert (few.chances(np.zeros(3), 0.6) == 1).all()
    assert few.chances(np.zeros(3), 0.2, without="f0")[3] == pytest.approx(23 / 29)


def test_curves_that_end_before_are_unknown_and_few_of_them_say_nothing():
    ends = np.where(np.arange(30) % 2, 6, 4)
    cut = made(ends=ends, reached=np.where(np.arange(30) % 2, 2, 9))
    chances = cut.chances(np.zeros(3), 0.2)
    assert chances[3] == pytest.approx(0.5)  # half of all are known, and half reached it
    assert (chances[4:] == 1).all()  # those that end before do not count as failures
    scarce = made(ends=np.where(np.arange(30) < 5, 6, 4))
    assert np.isnan(scarce.chances(np.zeros(3), 0.2)[4:]).all()
    twins = replace(cut, family=np.array(["one"] * 30, object))
    assert np.isnan(twins.chances(np.zeros(3), 0.2)).all()


def test_errors_that_rise_again_were_not_reached_for_good():
    curves = pd.DataFrame({"metric": "error_rate", "dataset": [3, 6], "features": [4, 5],
                           "classes": [2, 2], "guess": [0.5, 0.4], "learner": "KNN",
                           "16": [0.1, 0.2], "32": [0.3, 0.1], "64": [0.2, np.nan]})
    found = assurance.look_alikes(curves)
    np.testing.assert_allclose(found.lasting, [[0.6, 0.6, 0.4], [0.5, 0.25, np.nan]])
    both = assurance.look_alikes(pd.concat([curves, curves.assign(learner="LDA", **{"32": 0.05})]))
    assert both.lasting[0].tolist() == [0.4, 0.4, 0.4]
    assert (assurance.look_alikes(curves, ["KNN"]).lasting[0] == found.lasting[0]).all()
    ranked = assurance.look_alikes(curves.assign(metric="auc"), metric="auc")  # 1 − it, of 0.5
    np.testing.assert_allclose(ranked.lasting, [[0.6, 0.6, 0.4], [0.4, 0.2, np.nan]])


def test_a_plan_has_a_page_of_its_own(tmp_path, capsys):
    main, out = COMMANDS["report"].run, tmp_path / "out"
    assert main(["FEATURES=20", "WANTED=15%", "MAJORITY=80%", f"OUT={out}"]) == 0
    table, said = pd.read_csv(out / "plan.csv"), capsys.readouterr().out
    assert table["by"].unique().tolist() == ["look-alikes", "criteria"]
    assert table["rows"].gt(0).all() and "reached with 80 %" in said and "report.html" in said
    page = (out / "report.html").read_text()
    assert "By look-alikes" in page and "Before any data: 20 features, 2 classes, 80%" in page
    rows = table[table["purpose"] == "development"].groupby("by")["rows"].max()
    assert said.startswith(f"Plan {rows.max():,.0f} rows to develop") and said.count("Plan ") == 1
    assert f"is wanted with {rows['look-alikes']:,.0f}," in said and said.split("\n")[0] in page
    assert said.count("against overfitting:") == 1


def test_an_auc_is_planned_for_by_auc(tmp_path, capsys):
    out = tmp_path / "out"
    assert COMMANDS["report"].run(["FEATURES=20", "WANTED=0.7", "METRIC=auc", "MAJORITY=80%",
                                   f"OUT={out}"]) == 0
    table, said = pd.read_csv(out / "plan.csv"), capsys.readouterr().out
    assert "an AUC of 0.7 is reached with 80 %" in said and "C-statistic 0.70," in said
    more = assurance.plan_rows(check_report(
        {"FEATURES": 20, "WANTED": 0.75, "MAJORITY": 0.8, "METRIC": "auc"}))
    assert (more["rows"].head(1) > table["rows"].head(1)).all()  # the better ranking takes more


def test_a_number_is_planned_for_by_its_criteria(tmp_path, capsys):
    given = ["FEATURES=25", "REGRESS=yes", "WANTED=20%", f"OUT={tmp_path / 'out'}"]
    assert COMMANDS["report"].run(given) == 0
    said = capsys.readouterr().out
    assert "Begin with 918," in said and "plan 1,538 others" in said and "no number of rows" in said
    assert "25 features, a number to predict" in (tmp_path / "out" / "report.html").read_text()
    assert check_report({"FEATURES": 25, "METRIC": "r2", "WANTED": 0.2}).metric == "r2"


@pytest.mark.parametrize(("more", "words"), [
    ({"WANTED": 0.01}, "at most"), ({"FEATURES": 10**9, "CLASSES": 10}, "fewer than 10 families")])
def test_a_plan_that_look_alikes_cannot_answer_says_so(more, words):
    plan = check_report({"FEATURES": 20, "WANTED": 0.05, **more})
    table = assurance.plan_rows(plan)
    first = table.iloc[0]
    assert np.isnan(first["rows"]) and words in first["assumed"]
    assert "<td>–</td><td>look-alikes</td>" in assurance.plan_page(plan, table)
    assert "No number of rows is sure" in assurance.advice(table)
    assert ("Begin with" in assurance.advice(table)) == (plan.classes == 2)
    if plan.classes > 2:
        assert "two classes" in table.set_index("by").loc["criteria", "aim"]


@pytest.mark.parametrize(("values", "words"), [
    ({"FEATURES": "0"}, "FEATURES: 0 is out of range"), ({"CLASSES": "1"}, "CLASSES: 1 is out"),
    ({"WANTED": "60%"}, "errs by 0.5"), ({"WANTED": ""}, "WANTED is missing"),
    ({"METRIC": "f1"}, "Unknown metric of a plan"), ({"METRIC": "auc"}, "AUC between 0.5 and 1"),
    ({"METRIC": "auc", "WANTED": "0.8", "CLASSES": "3"}, "of two classes"),
    ({"METRIC": "r2", "CLASSES": "3"}, "without CLASSES"), ({"METRIC": "r2", "WANTED": "2"}, "R²"),
    ({"METRIC": "r2", "WANTED": "0.5", "LEARNERS": "KNN"}, "and LEARNERS"),
    ({"METRIC": "auc", "REGRESS": "yes"}, "belong together"),
    ({"METRIC": "r2", "REGRESS": "no"}, "belong together"),
    ({"MAJORITY": "40%"}, "share of 0.5 or more"), ({"CSV": "a.csv"}, "Give one of"),
    ({"LEARNERS": "KNNN"}, "Did you mean 'KNN'"), ({"LEARNERS": "Ridge"}, "Unknown learner"),
    ({"FEATURES": "", "POINTS": "a.csv"}, "CLASSES cannot be used")])
def test_what_cannot_be_planned_is_refused(values, words):
    with pytest.raises(ValueError, match=words):
        check_report({"FEATURES": "5", "CLASSES": "2", "WANTED": "5%", **values})
