"""From one database's share to the other's, on curves made for it and on the numbers kept."""

import numpy as np
import pytest
import xarray as xr
from curve_examples import labelled

from analysis.published.computed import recall
from collection.protocol.anchors import anchor_grid
from lab import decomposition as steps


@pytest.fixture
def repeats():
    """Curves of two learners, half of which rise, with noise that repeats share along a curve."""
    rng = np.random.default_rng(0)
    anchors = anchor_grid(up_to=1024)
    shape = (30, 2, 5, 5, len(anchors))
    rise = np.where(np.arange(30) % 2, 0.2, 0)[:, None, None, None, None]
    values = (0.3 + rise * np.linspace(0, 1, len(anchors)) - 0.1 * np.log(anchors / 16) / 10
              + rng.normal(0, 0.05, (*shape[:-1], 1)) + rng.normal(0, 0.004, shape))
    return labelled(values, "dataset learner outer inner anchor", learner=["KNN", "LDA"],
                    anchor=anchors)


def test_a_calibrated_reconstruction_finds_the_curves_that_rise(repeats):
    check = steps.reconstruction_check(repeats).iloc[0]
    assert check["curves"] == 60 and check["by_repeats"] == 30
    assert check["both"] == check["by_means"] == 30


def test_ratios_are_violations_in_standard_errors():
    means = labelled([[0.3, 0.2, 0.25, 0.1]], "dataset anchor", anchor=[16, 18, 20, 22])
    stderr = xr.full_like(means, 0.01)
    ratios = steps.violation_ratios(means, stderr)
    assert ratios["mono"].item() == pytest.approx(0.05 / np.sqrt(2 * 0.01**2))
    # the line from (18, .2) to (22, .1) is at .15 at 20: the bulge is .1, its weights a half each
    assert ratios["conv"].item() == pytest.approx(0.1 / np.sqrt(1.5 * 0.01**2))
    stricter = steps.reconstructed(ratios, 1.0, xr.DataArray([10**6], dims="dataset"))
    assert steps.reconstructed(ratios, 1.0).item() and not stricter.item()


def test_the_sparse_grid_is_corrected_for_the_anchors_in_between(repeats):
    means = repeats.mean(["outer", "inner"])
    ratios, between = steps.on_sparse_grid(means, xr.full_like(means, 0.01))
    assert (ratios["n_anchors"] == len(anchor_grid(up_to=1024, per_doubling=2))).all()
    assert (between == means.sizes["anchor"]).all()


def made_up(seed):
    rng = np.random.default_rng(seed)

    def draw(chance, datasets, learners):
        return labelled(rng.random((len(datasets), len(learners))), "dataset learner",
                        dataset=datasets, learner=learners) < chance
    old_at = ([1, 2, 3, 4, 6, 7, 8], ["KNN", "LDA"])
    new_at = ([1, 2, 3, 4, 5, 6, 9], ["KNN", "LDA", "MLP"])
    there, new = draw(0.8, *old_at), draw(0.9, *new_at)
    return steps.Verdicts({name: draw(0.4, *old_at) & there for name in ("published", "rounding",
                                                                  "anchors")},
                          there, {"dense": draw(0.6, *new_at) & new,
                                  "sparse": draw(0.5, *new_at) & new,
                                  "sparse own": draw(0.6, *new_at) & new}, new)


@pytest.mark.parametrize("seed", range(5))
def test_the_faults_change_the_share_of_all_curves_of_the_old_database(seed):
    found = made_up(seed)
    table = steps.decomposition(found)
    assert (table["low"] <= table["high"]).all() and len(table) == len(steps.STEPS)
    moved = 100 * float(found.old["anchors"].mean() - found.old["published"].mean())
    assert table[table["step"] != steps.GRID_STEP]["change"].sum() == pytest.approx(moved)


def test_the_grid_step_compares_what_it_names():
    """The coarse grid's own verdicts are on the one path, those corrected for all on the other."""
    found = made_up(3)
    shared = [1, 2, 3, 4, 6, 7, 8]
    new = found.new_there.reindex(dataset=shared, fill_value=False).sel(learner=["KNN", "LDA"])

    def share(verdicts):
        own = verdicts.reindex(dataset=shared, fill_value=False).sel(learner=["KNN", "LDA"])
        return 100 * float((own & new).sum() / new.sum())
    table = steps.decomposition(found).set_index(["price", "step"])["change"]
    for price, coarse in ((steps.DENSE_PRICE, "sparse"), (steps.OWN_PRICE, "sparse own")):
        assert table[price, steps.GRID_STEP] == pytest.approx(
            share(found.new["dense"]) - share(found.new[coarse]))


def test_what_is_kept_are_the_steps_that_are_told():
    kept = recall("da1_decomposition")
    assert list(kept.columns[:5]) == ["price", "step", "change", "low", "high"]
    assert list(zip(kept["price"], kept["step"], strict=True)) == list(steps.STEPS)
