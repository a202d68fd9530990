"""Properties of tables and gains: what goes with winning, beside what chance gives."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from analysis.leaderboards.properties import FEWEST, correlate_properties, say_properties

NAMES = [f"d{k}" for k in range(24)]


@pytest.fixture
def tables():
    """Scores in which one method gains with the rows and one does not, and properties."""
    rng = np.random.default_rng(3)
    properties = pd.DataFrame(rng.standard_normal((24, 4)), NAMES, ["rows", "a", "b", "c"])
    scores = pd.DataFrame({"plain": rng.random(24)}, NAMES)
    scores["grows"] = scores["plain"] + 0.1 * properties["rows"] + 0.01 * rng.random(24)
    scores["chance"] = scores["plain"] + 0.1 * rng.standard_normal(24)
    return scores, properties.assign(sparse=0.0)


def test_what_goes_with_gains_is_found_and_chance_is_not(tables):
    scores, properties = tables
    found = correlate_properties(scores, properties.sample(frac=1, random_state=1), "plain")
    assert found.groupby("method").size().to_dict() == {"grows": 4, "chance": 4}  # none constant
    lead = found.drop_duplicates("method").set_index("method")
    assert lead.loc["grows", "property"] == "rows" and lead.loc["grows", "p_largest"] < 0.001
    assert lead.loc["chance", "p_largest"] > 0.05 and (lead["datasets"] == 24).all()
    gain = scores["chance"] - scores["plain"]  # paired by name, whatever the order of rows
    expected = spearmanr(properties["a"], gain).statistic
    assert found.set_index(["method", "property"]).loc[("chance", "a"), "rho"] == pytest.approx(
        expected)
    assert (found["p_largest"] >= found["p"] - 1e-12).all()
    said = say_properties(found)
    assert "grows: rows, correlation" in said and "Beyond chance: 1 of 2 methods" in said


def test_near_duplicates_count_once_and_failures_not(tables):
    scores, properties = tables
    twice = scores.loc[["d0", "d1"]].set_axis(["e0", "e1"])
    both = pd.concat([scores, twice])
    more = pd.concat([properties, properties.loc[["d0", "d1"]].set_axis(twice.index)])
    relatives = pd.Series([*NAMES, "d0", "d1"], both.index)
    pd.testing.assert_frame_equal(correlate_properties(both, more, "plain", relatives),
                                  correlate_properties(scores, properties, "plain"))
    scores.loc["d5", "grows"] = np.nan
    found = correlate_properties(scores, properties, "plain").groupby("method")["datasets"].max()
    assert found.to_dict() == {"grows": 23, "chance": 24}


@pytest.mark.parametrize(("spoil", "message"), [
    (lambda s, p: (s.drop(columns="plain"), p), "no scores of plain"),
    (lambda s, p: (s, p.set_axis([f"x{k}" for k in range(24)])), "None of the datasets")])
def test_what_lacks_is_named(tables, spoil, message):
    with pytest.raises(ValueError, match="correlation is spearman, pearson, kendall"):
        correlate_properties(*tables, "plain", correlation="rank")
    with pytest.raises(ValueError, match=message):
        correlate_properties(*spoil(*tables), "plain")


def test_too_few_datasets_say_so(tables):
    scores, properties = tables
    few = correlate_properties(scores.head(FEWEST - 1), properties, "plain")
    assert few.empty and f"that takes {FEWEST} datasets" in say_properties(few)
