"""The page on how many rows: what it says of curves of one's own, and of the kept trial."""

import numpy as np
import pytest
from notebook_runs import run
from stored_curves import write

from analysis.published import recall
from collection.containers.curves import CurveKey, Status
from collection.running.curve import Fit


def gathered(folder, datasets, learners, error=lambda dataset, learner, n: 0.3):
    """Store curves of one repeat at 16 to 128 rows; `error` is that of the test rows."""
    curves = {CurveKey(dataset, learner, "none", "no", 0, 0): [
        Fit(n, Status.ok, "", *[(np.nan, np.nan, error(dataset, learner, n))] * 4, 1.0,
            (1.0, 1.0, 1.0)) for n in (16, 32, 64, 128)]
        for dataset in datasets for learner in learners}
    return str(write(folder, curves))


BOTH = ["LogisticRegression", "ens.RandomForest"]


@pytest.mark.parametrize(("datasets", "learners", "said"), [
    (1, ["KNN"], "lacks some of them"), (2, BOTH, "Of fewer than five problems"),
    (2, ["KNN", "LDA", "MLP", *BOTH[:1]], "lacks some of them")])
def test_too_few_curves_lack_something(tmp_path, datasets, learners, said):
    own = gathered(tmp_path / "own", [f"d{k}" for k in range(datasets)], learners)
    page = run("how_many_rows", tmp_path, database=own, many=128, few=32)
    assert said in page.said and page.numbers.empty
    assert "minmax" in run("how_many_rows", tmp_path, database=own, scaling="minmax").said
    wrong = run("how_many_rows", tmp_path, database=own, many=32, few=128)
    assert "128 and then 32 rows" in wrong.said and wrong.numbers.empty


@pytest.fixture(scope="module")
def flat(tmp_path_factory):
    folder = tmp_path_factory.mktemp("flat")
    own = gathered(folder / "own", [f"d{k}" for k in range(6)], BOTH)
    return run("how_many_rows", folder, database=own, many=128, few=32)


def test_flat_curves_are_ahead_nowhere(flat):
    assert flat.numbers.loc["fixed_now_32", "value"] == 0
    assert "At no size up to 128 rows" in flat.said and "tuned" not in flat.said


def test_a_learner_that_overtakes_is_ahead_of_all_from_there(tmp_path):
    def error(dataset, learner, n):
        return 0.3 if learner == BOTH[0] else 0.4 if n < 64 else 0.2

    own = gathered(tmp_path / "own", [f"d{k}" for k in range(6)], BOTH, error)
    page = run("how_many_rows", tmp_path, database=own, many=128, few=32)
    assert "It is ahead on all problems at 100 rows" in page.said
    assert page.numbers.loc[["fixed_now_32", "fixed_now_128"], "value"].tolist() == [0, 100]
    assert page.numbers.loc[["auc_32", "auc_128"], "value"].tolist() == [100, 0]  # higher is better
    assert "with 128 on " in page.said
    three = page.table("overtaking_three").query("rows == 100").set_index("who")["share"]
    assert three["ahead for good"] == 1 and three["logistic regression stays ahead"] == 0


def test_the_rules_cost_what_loops_say(flat):
    tried = recall("small_data_decision").query("rows == 100")
    costs = []
    for _, own in tried.groupby("dataset"):
        errs = [row.forest if row.cv_forest < row.cv_logistic else row.logistic
                for row in own.itertuples()]
        costs.append(100 * (np.mean(errs) - min(own["logistic"].mean(), own["forest"].mean())))
    numbers = flat.numbers["value"]
    assert numbers["tables_100"] == len(costs) == 21
    assert numbers["regret_trial_100"] == pytest.approx(np.mean(costs), rel=1e-5)
