"""Forecasts of the order: what is cut, what other families say, what is fitted and scored."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from analysis.extrapolation.seen import UNSEEN
from analysis.selection.next_order import FITTED, joint_moments, pair_chances
from lab import next_order

ANCHORS = np.array([16, 23, 32, 45, 64, 128, 256, 512])
LEARNERS = ["own0", "own1", "own2"]


@pytest.fixture(scope="module")
def errors():
    """Ten datasets on which learners fall at rates of their own."""
    rng = np.random.default_rng(0)
    end, height = rng.uniform(0.05, 0.3, (2, 10, 3, 1))
    mean = end + 2 * height / np.sqrt(ANCHORS)
    noise = 0.02 * rng.normal(size=(10, 3, 8, 2, 2, 2))
    return xr.DataArray(
        (mean[..., None, None, None] + noise).clip(0.001, 1),
        {"dataset": [f"made{k}" for k in range(10)], "learner": LEARNERS, "anchor": ANCHORS,
         "split": ["valid", "test"]},
        ("dataset", "learner", "anchor", "outer", "inner", "split"))


@pytest.fixture(scope="module")
def found(errors):
    facts = pd.DataFrame({"rows": 2.0, "features": 4.0, "classes": 2.0}, [
        f"made{k}" for k in range(10)])
    others = next_order.Others(errors, facts)
    told = [next_order.tell(scene, others, False) for scene in next_order.scenes(errors)]
    return tuple(pd.concat(parts, ignore_index=True) for parts in zip(*told, strict=True))


def test_curves_are_cut_where_they_go_on(errors):
    cut = list(next_order.scenes(errors.isel(dataset=[0])))
    assert [scene.size for scene in cut] == [32, 64, 128, 256]
    first = cut[0]
    assert first.fold == UNSEEN and first.errors["anchor"].values.tolist() == [16, 23, 32]
    one = errors.sel(dataset="made0", anchor=512, split="test").mean(["outer", "inner"])
    assert first.truth[:, 2] == pytest.approx(one.values)
    assert np.isnan(cut[-1].truth[:, 1:]).all()


def test_boards_are_of_other_families(errors):
    scene = next(next_order.scenes(errors.isel(dataset=[3])))
    means = errors.sel(anchor=64, split="test").mean(["outer", "inner"]).drop_sel(dataset="made3")
    ahead = (means.sel(learner="own0") < means.sel(learner="own1")).sum().item()
    others = next_order.Others(errors, pd.DataFrame(columns=["rows"]))
    assert others.board(scene, 64)[0, 1] == (ahead + 1) / 11


def test_what_pairs_are_told_by_is_what_the_forecast_says(errors, found):
    scene = next(next_order.scenes(errors.isel(dataset=[0])))
    chance = pair_chances(*joint_moments(
        scene.level, scene.errors.isel(anchor=-1).values, scene.quantiles, np.log2([2, 4, 16])))
    said = next_order.by_rival(found[0], found[0]).query("dataset == 'made0' and size == 32")
    one, other = np.triu_indices(3, 1)
    assert said[next_order.CHOICE].to_numpy() == pytest.approx(chance[:, one, other].ravel())


def test_the_forecast_is_fitted_and_scored(found):
    fitted = next_order.fit_forecast(*found)
    assert list(fitted) == list(FITTED)
    assert all(-1 < alike < 1 and min(noise, doubt) > 0 <= comes
               for _, noise, doubt, alike, comes in fitted.values())
    said = next_order.by_rival(found[0], found[0])
    table = next_order.scores(said, found[1]).set_index(["times", "rival"])
    rivals = set(table.index.get_level_values("rival"))
    assert {next_order.NOW, next_order.BOARD, next_order.BOTH} <= rivals
    assert (table.xs(next_order.CHOICE, level="rival")[["worse", "costs"]] == 0).all(None)
    assert (table["regret"].dropna() >= 0).all()


def test_chances_that_are_right_come_as_often_as_said():
    rng = np.random.default_rng(1)
    chance = rng.uniform(size=20_000)
    pairs = pd.DataFrame({"times": 2, "family": rng.integers(40, size=20_000).astype(str),
                          next_order.CHOICE: chance,
                          "came": (rng.uniform(size=20_000) < chance) * 1.0})
    table = next_order.tenths(pairs)
    assert table["tenth"].tolist() == [5, 6, 7, 8, 9]
    assert (table["said"] - table["came"]).abs().max() < 0.03
    assert table["pairs"].sum() == 20_000


def test_who_took_part_is_not_judged(monkeypatch, found):
    asked = found[0].assign(fold=np.where(found[0]["dataset"] == "made0", 0, UNSEEN))
    monkeypatch.setattr(next_order, "told", lambda *_: (asked, found[1].assign(fold=UNSEEN)))
    monkeypatch.setattr(next_order, "learnt", lambda: found)
    monkeypatch.setattr(next_order, "tuned_families", lambda: {"made1"})
    table = next_order.judged("made")[0]
    assert set(table["families"]) == {8}
