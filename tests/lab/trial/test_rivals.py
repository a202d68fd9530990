"""The rivals of the trial, on curves whose end is known."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from small_trial import small_trial

from analysis.trial import open_trial
from analysis.trial.tasks import LEVELS, PARTS, open_forecasts
from lab.training.examples import Source
from lab.trial import lcpfn
from lab.trial.laws import LAWS, by_law, by_process
from lab.trial.rivals import MIDDLE, RIVALS, WITHDRAWN, forecasts, seen_of, with_neighbours

QUANTILES = [str(level) for level in LEVELS]


def test_kept_forecasts_are_of_every_rival_and_ascend():
    kept = open_forecasts()
    assert set(kept["rival"]) == {*RIVALS, *WITHDRAWN} and not set(RIVALS) & set(WITHDRAWN)
    assert not kept.duplicated(["task", "times", "rival"]).any()
    assert (np.diff(kept[QUANTILES].to_numpy(), axis=1) >= -1e-4).all()
    first, *later = (open_trial((part,)).asked for part in PARTS)
    counts = kept[kept["task"].isin(first["task"])].groupby(
        "rival", observed=True).size() / len(first)
    seen_by_training = counts["small networks"]  # LCDB 1.0 trained it: there it has none
    assert seen_by_training < 0.8 and counts.drop("small networks").min() > 0.98
    for asked in later:  # what was added has every rival that is computed
        counts = kept[kept["task"].isin(asked["task"])]["rival"].value_counts()
        assert (counts[counts > 0] == len(asked)).all()
        assert set(counts[counts > 0].index) == set(RIVALS)


SIZES = 16 * 2.0 ** np.arange(0, 8, 0.5)
Z = SIZES / SIZES[11]


@pytest.mark.parametrize(("name", "curve"), [
    ("M1", lambda z: 0.3 * z**-0.4), ("M2", lambda z: 0.1 + 0.2 * z**-0.5),
    ("M3", lambda z: 0.05 + 0.2 * (1 / z + 0.3) ** 0.6),
    ("M4", None), ("BNSL", lambda z: 0.05 + 0.2 * z**-0.2 * (1 + (z / 0.2) ** 2) ** -0.2)])
def test_a_law_continues_its_own_curve(name, curve):
    own = LAWS[name].curve(Z, 0.05, np.log(0.3), 0.5, np.log(0.7), 0.5) if curve is None \
        else curve(Z)
    found = by_law(SIZES[:12], own[:12], SIZES[12:], name)
    assert_allclose(found, own[12:], rtol=0.04)


def test_a_process_goes_on_and_knows_less_far_away():
    error = 0.1 + 0.4 * (SIZES / 16) ** -0.5
    found = by_process(SIZES[:10], error[:10], SIZES[10:], "GP power law", LEVELS)
    assert_allclose(found[:, MIDDLE], error[10:], atol=0.02)
    width = found[:, -1] - found[:, 0]
    assert width[-1] > width[0] and (np.diff(found, axis=1) >= 0).all()


ODD = {"two sizes": ([16, 32], [0.5, 0.4]), "constant": ([16, 32, 64, 128], [0.3] * 4),
       "rising": ([16, 32, 64, 128], [0.2, 0.23, 0.25, 0.29]),
       "holes": ([16, 45, 64, 1024], [0.5, 0.4, 0.38, 0.2]),
       "zero": ([16, 32, 64, 128], [0.1, 0.0, 0.0, 0.0]),
       "loss above 1": ([1e6, 1e7, 1e8], [5.1, 4.0, 3.3])}


@pytest.mark.parametrize("name", [name for name, rival in RIVALS.items()
                                  if rival.kind != "LC-PFN" and rival.sees == "curve"])
def test_an_odd_curve_has_a_forecast_too(name, monkeypatch):
    asked = {one: [("2", 2 * sizes[-1], 0.2), ("last", 8 * sizes[-1], 0.1)]
             for one, (sizes, _) in ODD.items()}
    trial = small_trial(ODD, asked)
    rng = np.random.default_rng(0)
    past = small_trial({f"c{k}": (SIZES[:8], 0.1 + 0.4 * rng.random() * SIZES[:8] ** -0.3)
                        for k in range(4)}, {f"c{k}": [("last", 4096, 0.1)] for k in range(4)})
    seen, _ = seen_of(past)
    later = 2.0 ** rng.uniform(8, 13, (4, 4))
    monkeypatch.setattr("lab.trial.laws.EVALUATIONS", 500)  # one that does not end makes 25,000
    monkeypatch.setattr("lab.trial.rivals.calibration_curves",
                        lambda: (seen, later, rng.uniform(0, 0.3, later.shape)))
    with np.errstate(all="ignore"):
        found = forecasts(RIVALS[name], trial)
    assert np.isfinite(found[:, [0, 3]]).all() and np.isnan(found[:, [1, 2]]).all()
    assert (found[:, [0, 3]] >= 0).all() and (np.diff(found[:, [0, 3]], axis=2) >= 0).all()
    if name == "nothing changes":
        assert_allclose(found[:, 3, MIDDLE], [errors[-1] for _, errors in ODD.values()])


def test_neighbours_are_seen_as_far_as_the_task_is(monkeypatch, power_curves):
    curves, seen = power_curves(), []
    monkeypatch.setattr("lab.trial.rivals.own_curves", lambda: {"mine": curves})
    trial = small_trial({"it": ([16, 23, 32], [0.5, 0.4, 0.3])}, {"it": [("last", 128, 0.1)]})
    trial.tasks[["source", "dataset", "learner"]] = "mine", "d1", "LDA"
    found = with_neighbours(trial, np.full((1, 4), 128.0), lambda scene, at: (
        seen.append(scene), np.repeat(scene.level[:, None], 4, axis=1))[1])
    assert seen[1].learner.tolist() == ["KNN", "LDA"] and set(seen[1].sizes[seen[1].last]) == {32}
    own = curves.sel(dataset="d1", learner="LDA", anchor=32).mean()
    assert found == pytest.approx(float(own))


@pytest.fixture
def package():
    pytest.importorskip("lcpfn.model", reason="lcpfn is not installed")
    pytest.importorskip("torch")


def test_priors_and_real_curves_are_drawn_alike_by_one_seed():
    rng = np.random.default_rng(0)
    errors = rng.random((3, 2, 2, 2, 9))
    errors[0, 0, ..., 7:] = np.nan
    source = Source(errors, 16 * 2.0 ** np.arange(9), np.array(["a", "b", "c"]),
                    np.array(["a", "b", "c"]), ("x", "y"), np.array([0, 0, 1]))
    draw = lcpfn.real_curves(source, 1)
    one, other = (draw(np.random.default_rng(1), 5, 3) for _ in range(2))
    assert all((a == b).all() for a, b in zip(one, other, strict=True))
    assert one[0].shape == one[1].shape and (np.diff(one[0], axis=0) > 0).all()
    assert ((one[1] >= 0) & (one[1] <= 1)).all() and draw.longest == 9


def test_a_tiny_net_trains_resumes_and_answers(package, tmp_path, monkeypatch):
    monkeypatch.setattr(lcpfn, "SAVED", 2)
    monkeypatch.setattr(lcpfn, "POOL", 200)
    draw = lcpfn.own_prior(np.random.default_rng(0))
    monkeypatch.setattr(lcpfn, "BATCH", 4)
    whole = lcpfn.train(draw, 4, range(2), tmp_path / "whole")
    again = lcpfn.train(draw, 4, range(2), tmp_path / "whole")  # nothing is left to do
    for one, other in zip(whole, again, strict=True):
        assert all((a == b).all() for a, b in zip(one.parameters(), other.parameters(),
                                                  strict=True))
    assert any((a != b).any() for a, b in zip(*(net.parameters() for net in whole), strict=True))
    found = lcpfn._ask(whole[1], np.arange(1.0, 6), np.linspace(0.5, 0.8, 5),
                       np.array([6.0, 12.0]), LEVELS)
    assert found.shape == (2, 7) and (np.diff(found, axis=1) >= 0).all()
