"""Families as methods, their places in portfolios and their time."""

import numpy as np
import pytest

from analysis import portfolios
from analysis.ensembles import measure_errors, select_ensemble
from analysis.portfolios import TaskPredictions, TaskRecord

FAMILIES = ["CatBoost"] * 4 + ["KNeighbors"] * 4 + ["LinearModel"] * 2
ROWS = 60


def make_record(dataset: int, fold: int) -> TaskRecord:
    """Configs that see the classes through noise of their own, families alike."""
    generator = np.random.default_rng([dataset, fold])
    labels = np.tile([0, 1], ROWS)
    said = np.empty((len(FAMILIES), 2 * ROWS))
    for k in range(len(FAMILIES)):
        noise = 0.5 + 0.1 * k + generator.uniform(0, 0.3)
        said[k] = 1 / (1 + np.exp(-(2 * labels - 1) - noise * 2 * generator.normal(size=2 * ROWS)))
    valid, test = said[:, :ROWS], said[:, ROWS:]
    errors = [measure_errors(part, labels[:ROWS], "auc") for part in (valid, test)]

    def load(configs):
        return TaskPredictions(valid[configs], labels[:ROWS], test[configs], labels[:ROWS])

    cost = generator.uniform(0.1, 1, len(FAMILIES))
    return TaskRecord(f"d{dataset}", fold, "auc", *errors, cost, cost / 10, load)


@pytest.fixture(scope="module")
def records():
    return [make_record(d, f) for d in range(6) for f in range(2)]


def test_default_tuned_and_ensembled_are_what_they_say(records):
    table = portfolios.compare_families(records, FAMILIES).set_index(["method", "dataset", "fold"])
    record = records[3]
    key = record.dataset, record.fold
    for family in dict.fromkeys(FAMILIES):
        order = np.flatnonzero(np.array(FAMILIES) == family)
        assert table.loc[(f"{family} (default)", *key), "error"] == record.test_error[order[0]]
        best = order[record.valid_error[order].argmin()]
        assert table.loc[(f"{family} (tuned)", *key), "error"] == record.test_error[best]
        said = record.load(order)
        made = select_ensemble(said.valid, said.valid_labels, "auc", 40, "published")
        expected = measure_errors((made.weights @ said.test)[None], said.test_labels, "auc")[0]
        row = table.loc[(f"{family} (tuned + ensemble)", *key)]
        assert row["error"] == pytest.approx(expected)
        assert row["train_time"] == pytest.approx(record.train_time[order].sum())
        assert row["configs"] == len(order)


def test_a_portfolio_is_varied_in_what_it_learns_from(records):
    varied = portfolios.vary_portfolios(records, FAMILIES, 3, sizes=[2], members=5, seeds=[0])
    assert varied.groupby("method", sort=False).size().to_dict() == dict.fromkeys(
        ["2 configs", "5 members", "defaults", "1 config a family", "1 dataset"], len(records))
    wide = varied.set_index(["method", "dataset", "fold"])["error"]
    for record in records[::5]:
        order = np.array([FAMILIES.index(family) for family in dict.fromkeys(FAMILIES)])
        row = portfolios.evaluate_portfolio(order, record, ensemblers=["greedy_published"])[0]
        assert wide["defaults", record.dataset, record.fold] == row["error"]
    two = portfolios.leave_one_out(records, 2, ensemblers=["greedy_published"])
    assert wide["2 configs"].tolist() == two["error"].tolist()


def test_a_record_of_some_configs_counts_them_anew(records):
    few = portfolios.take_configs(records[0], np.array([4, 1]))
    assert few.test_error.tolist() == records[0].test_error[[4, 1]].tolist()
    np.testing.assert_array_equal(few.load(np.array([1])).test, records[0].load([1]).test)


def test_families_by_place_are_percent_of_the_portfolios_that_reach_it():
    table = portfolios.picks_by_place([["a", "b", "a"], ["a", "c"], ["b", "a"], ["a"]])
    share = table.pivot(index="place", columns="family", values="share")
    assert share.loc[1].tolist() == [75, 25, 0]  # a, b, c: the most picked first
    assert share.loc[2].tolist() == pytest.approx([100 / 3] * 3) and share.loc[3, "a"] == 100
    assert table["family"].unique().tolist() == ["a", "b", "c"]


def test_the_slowest_tenth_takes_its_share_of_the_time(records):
    table = portfolios.time_shares(records, FAMILIES)
    assert table.groupby("family")["share"].sum().to_numpy() == pytest.approx([100] * 4)
    times = np.sort(np.concatenate([r.train_time for r in records]))[::-1]
    first = table.query("family == 'all' and tenth == 1").iloc[0]
    assert first["share"] == pytest.approx(100 * times[:12].sum() / times.sum())
    assert first["seconds"] == times[11] and table["family"].iloc[0] == "all"
    every = table.drop_duplicates("family").set_index("family")["total"]
    assert every["all"] == pytest.approx(every.drop("all").sum())
