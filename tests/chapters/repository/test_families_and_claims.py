"""Families as methods, what portfolios need, the winner's curse, and the claims' verdicts."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.ensembles import fit_ensemble, measure_errors, select_ensemble
from analysis.portfolios.opening import TaskPredictions, TaskRecord
from analysis.portfolios.study import with_places
from chapters.repository import automl
from chapters.repository.claims import (
    FAILS,
    HOLDS,
    IN_PART,
    OPEN,
    UNTESTABLE,
    Claim,
    composition_claims,
    cost_claims,
    family_claims,
    judge,
    need_claims,
    portfolio_claims,
)
from chapters.repository.families import (
    BEST,
    ENSEMBLED,
    KINDS,
    PORTFOLIO,
    family_positions,
    family_results,
    over_seeds,
    portfolio_results,
    summarise_methods,
    vary_configs,
    vary_datasets,
    vary_setting,
)
from chapters.repository.optimism import GREEDY, OTHERS, greedy_less, mean_gains, repaired

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


@pytest.fixture(scope="module")
def results(records):
    table = pd.concat([family_results(records, FAMILIES), portfolio_results(records, size=5)])
    return with_places(table, records)


def test_default_tuned_and_ensembled_are_what_they_say(records, results):
    table = results.set_index(["method", "dataset", "fold"])
    record = records[3]
    key = record.dataset, record.fold
    for family, order in family_positions(FAMILIES).items():
        assert table.loc[(f"{family} (default)", *key), "error"] == record.test_error[order[0]]
        best = order[record.valid_error[order].argmin()]
        assert table.loc[(f"{family} (tuned)", *key), "error"] == record.test_error[best]
        said = record.load(order)
        assert len(order) <= BEST
        made = select_ensemble(said.valid, said.valid_labels, "auc", 40, "published")
        expected = measure_errors((made.weights @ said.test)[None], said.test_labels, "auc")[0]
        row = table.loc[(f"{family} ({KINDS[2]})", *key)]
        assert row["error"] == pytest.approx(expected)
        assert row["train_time"] == pytest.approx(record.train_time[order].sum())
        assert row["configs"] == len(order)


def test_places_are_among_all_configs(records, results):
    best = results[results["kind"] == "default"].merge(
        pd.DataFrame([(r.dataset, r.fold, r.test_error.min(), np.median(r.test_error))
                      for r in records], columns=["dataset", "fold", "least", "median"]))
    expected = ((best["error"] - best["least"]) / (best["median"] - best["least"])).clip(0, 1)
    np.testing.assert_allclose(best["normalized_error"], expected)
    assert results["rank"].between(1, len(FAMILIES) + 1).all()
    summary = summarise_methods(results)
    assert summary["normalized_error"].is_monotonic_increasing
    assert (summary["low"] <= summary["normalized_error"]).all()
    assert (summary["datasets"] == 6).all()


def test_variations_meet_the_study_where_nothing_varies(records):
    whole = portfolio_results(records, size=5)
    error = whole.loc[whole["method"] == ENSEMBLED, "error"].to_numpy()
    by_name = {
        "configs": vary_configs(records, FAMILIES, [1, 4], seeds=2, size=5),
        "datasets": vary_datasets(records, [1, 5], seeds=2, size=5),
        "size": vary_setting(records, "size", [1, 5]),
        "members": vary_setting(records, "members", [1, 40], size=5)}
    for table in by_name.values():
        most = table[(table["value"] == table["value"].max()) & (table["seed"] == 0)]
        np.testing.assert_allclose(most["error"], error)
    for name, told in (("members", "members"), ("size", "configs")):
        table = by_name[name]
        assert (table.loc[table["value"] == 1, told] == 1).all()
    averaged = over_seeds(with_places(by_name["datasets"], records))
    assert len(averaged) == 2 * len(records)


def test_selection_among_noise_promises_what_it_does_not_keep():
    def noise(dataset):
        generator = np.random.default_rng(dataset)
        labels = np.tile([0, 1], 20)
        said = generator.uniform(size=(30, 80))
        errors = [measure_errors(said[:, part], labels, "auc")
                  for part in (slice(0, 40), slice(40, 80))]

        def load(configs):
            return TaskPredictions(said[configs, :40], labels, said[configs, 40:], labels)

        return TaskRecord(f"d{dataset}", 0, "auc", *errors, np.ones(30), np.ones(30), load)

    table = mean_gains(repaired([noise(d) for d in range(12)], members=10)).set_index("way")
    greedy, fitted = table.loc["greedy, as published"], table.loc["greedy, cross-fitted"]
    assert greedy["low"] > 0 and greedy["promised"] > 20 > abs(greedy["test"])
    assert fitted["promised"] < greedy["promised"] / 2
    for way in ("equal weights", OTHERS):
        assert abs(table.loc[way, "optimism"]) < greedy["optimism"] / 2


def below(mean: float, n: int = 20) -> pd.Series:
    """Return paired values of n datasets around a mean, none like another."""
    return pd.Series(mean + np.linspace(-1, 1, n), [f"own:{k}" for k in range(n)])


@pytest.mark.parametrize(("means", "verdict"), [
    ((-2, -1.5), HOLDS), ((-2, 0), IN_PART), ((0.1, -0.1), OPEN), ((-2, 2), FAILS), ((2,), FAILS)])
def test_verdicts_follow_the_rule(means, verdict):
    claims, parts = judge([Claim("it is so", "", {str(m): below(m) for m in means})])
    assert claims["verdict"].item() == verdict
    assert claims["clear"].item() == sum(m <= -1.5 for m in means)
    assert (parts["p_adjusted"] >= parts["p"]).all()


def test_a_part_has_to_be_clear_by_interval_and_by_the_adjusted_test():
    """Five datasets: their interval is below 0, but no test of five is below 2 / 32."""
    few = Claim("few", "", {"a": below(-5, 5)})
    claims, parts = judge([few])
    assert parts["high"].item() < 0 and parts["p"].item() == pytest.approx(2 / 32)
    assert claims["verdict"].item() == OPEN
    many = [Claim(str(k), "", {"a": below(0)}) for k in range(200)]
    close = Claim("close", "", {"a": below(-0.5)})
    assert judge([close])[0]["verdict"].item() == HOLDS
    assert judge([close, *many])[0]["verdict"].iloc[0] == OPEN


def test_near_duplicates_are_one_observation():
    twins = pd.Series([-1.0] * 11, ["12", "14", "16", "18", "22", *"abcdef"])
    _, parts = judge([Claim("it", "", {"a": twins})])
    assert parts["n"].item() == 7  # five sets of features of the same digits are one family



def test_every_claim_has_a_verdict(records, results):
    rival = results[results["method"] == f"CatBoost ({KINDS[2]})"]
    needs = {name: with_places(vary_setting(records, setting, numbers), records)
             for name, setting, numbers in (("configs of the portfolio", "size", [1, 3, 15, 30]),
                                            ("picks of the ensemble", "members", [15, 40]))}
    needs |= {"configs per family": needs["picks of the ensemble"],
              "training datasets": needs["configs of the portfolio"]}
    claims, parts = judge([*family_claims(results), *portfolio_claims(results, results[:0]),
                           *need_claims(needs, rival, below(-2))])
    assert set(claims["verdict"]) <= {HOLDS, IN_PART, FAILS, OPEN, UNTESTABLE}
    assert claims["claim"].is_unique and (claims["evidence"] != "").all()
    assert ((parts["low"] <= parts["value"]) & (parts["value"] <= parts["high"])).all()
    found = parts.set_index(["claim", "part"])["value"]
    means = results.groupby("method")["normalized_error"].mean()
    assert found["The ensembled portfolio beats its best config alone", PORTFOLIO] == (
        pytest.approx(means[ENSEMBLED] - means[PORTFOLIO]))
    assert found["15 members suffice", "15 less 40"] == pytest.approx(
        -0.01 - _change(needs["picks of the ensemble"], 40, 15))
    assert found["More than 15 configs bring more", "30 less 15"] == pytest.approx(
        _change(needs["configs of the portfolio"], 30, 15))


def _change(table, one, other):
    means = table.groupby("value")["normalized_error"].mean()
    return means[one] - means[other]


def test_claims_on_picks_count_portfolios():
    families = ["CatBoost", "NeuralNetTorch", "LightGBM", "XGBoost", "KNeighbors"]
    as_printed = {"a": [0, 1, 2, 4, 3], "b": [0, 1, 2, 4]}
    first, fourth = composition_claims(as_printed, families)
    assert first.verdict == fourth.verdict == HOLDS and "before XGBoost in 2" in fourth.counted
    first, fourth = composition_claims({"a": [0, 1, 3, 4], "b": [0, 1, 3, 4]}, families)
    assert first.verdict == FAILS and fourth.verdict == IN_PART
    _, late = composition_claims({"a": [3, 0, 4], "b": [3, 4]}, families)
    assert late.verdict == FAILS


def test_a_family_costs_what_its_mean_config_does():
    times = pd.DataFrame([(f"own:{d}", family, seconds) for d in range(12) for family, seconds in
                          (("CatBoost", 90), ("CatBoost", 110), ("KNeighbors", 1),
                           ("KNeighbors", 1), ("LinearModel", 9), ("Guest", 1e6))],
                         columns=["dataset", "family", "train_time"])
    found = cost_claims(times, FAMILIES)
    claims, parts = judge(found)
    assert claims["verdict"].tolist() == [HOLDS, UNTESTABLE, UNTESTABLE]
    assert parts["value"].tolist() == pytest.approx([-1])  # a tenth of CatBoost's
    dear = judge(cost_claims(times.replace({"train_time": {9: 9000}}), FAMILIES))[0]
    assert dear["verdict"].iloc[0] == FAILS
    assert {c.verdict for c in cost_claims(times, ["KNeighbors"])} == {UNTESTABLE}


def test_gains_are_over_the_mean_config_and_others_weights_are_of_other_datasets(records):
    table = repaired(records, members=5).set_index(["way", "dataset", "fold"])
    record, said = records[0], records[0].load(np.arange(len(FAMILIES)))
    best = record.valid_error.argmin()
    row = table.loc[("single best", record.dataset, record.fold)]
    assert row["promised"] == pytest.approx(
        1 - record.valid_error[best] / record.valid_error.mean())
    assert row["test"] == pytest.approx(1 - record.test_error[best] / record.test_error.mean())
    kept = []
    for other in records:
        if other.dataset != record.dataset:
            theirs = other.load(np.arange(len(FAMILIES)))
            weights = fit_ensemble("greedy_published", theirs.valid, theirs.valid_labels, "auc",
                                   5).weights
            error = measure_errors((weights @ said.test)[None], said.test_labels, "auc")[0]
            kept.append(1 - error / record.test_error.mean())
    assert len(kept) == 10  # two folds of five datasets
    own = table.loc[(OTHERS, record.dataset, record.fold)]
    assert own["test"] == pytest.approx(np.mean(kept))
    for other, what in ((OTHERS, "optimism"), ("equal weights", "test")):
        value, low, high = greedy_less(table.reset_index(), other, what)
        wide = table[what].unstack("way")
        assert value == pytest.approx(100 * (wide[GREEDY] - wide[other]).mean())
        assert low <= value <= high


def test_autogluon_is_beside_a_portfolio_that_has_the_same_time(records):
    known = pd.DataFrame([(r.dataset, r.fold, 0.1, 50.0, 1.0) for r in records[:3]],
                         columns=["dataset", "fold", "error", "train_time", "infer_time"])
    table = automl.beside_portfolio(records, known)
    assert table.groupby("method").size().to_dict() == {automl.AUTOGLUON: 3, automl.PORTFOLIO: 3}
    slow = [replace(r, train_time=np.full(len(FAMILIES), automl.SECONDS / 2.5)) for r in records]
    ours = automl.beside_portfolio(slow, known)
    ours = ours[ours["method"] == automl.PORTFOLIO]
    assert ours["train_time"].tolist() == pytest.approx([2 * automl.SECONDS / 2.5] * 3)
    assert automl.beside_portfolio(records, known.assign(dataset="another")).empty
    both = with_places(pd.concat([table, portfolio_results(records)]), records)
    *_, claim = portfolio_claims(both.assign(kind="default"), both)
    assert claim.parts[f"{automl.SECONDS} s each"].notna().all()
