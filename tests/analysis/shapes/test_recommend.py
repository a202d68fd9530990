import pandas as pd

from analysis.shapes.recommend import confirmed, levels_kept, power_at, recommended

CELL = {"generator": "drawn, dataset", "rows": 1000, "per_doubling": 2, "repeats": 25, "size": 0.0,
        "verdict": "peaking", "truth": "flat", "low": 0.0, "n": 1000}


def table(*rows):
    return pd.DataFrame([CELL | row for row in rows])


def row(procedure, rate, high, **more):
    return {"procedure": procedure, "rate": rate, "high": high} | more


CASES = table(
    row("max_t", 4.0, 4.9), row("max_t", 3.0, 5.4, truth="power_law", n=50),
    row("holm", 1.0, 2.0), row("published", 4.0, 5.1),
    *(row(name, 0.0, 0.5, truth="power_law") for name in ("max_t", "holm", "published")),
    row("clustered", 1.0, 2.0), row("clustered", 90.0, 95.0, truth="peak", size=0.05, n=100),
    *(row(name, power, power + 5, truth="peak", size=0.05, n=100)
      for name, power in (("max_t", 80.0), ("holm", 40.0), ("published", 95.0))),
    row("holm", 8.0, 9.0, truth="noise_labels", generator="learned, population"),
)


def test_a_level_is_kept_where_the_interval_is_below_it_and_curves_are_enough():
    table = levels_kept(CASES)
    assert set(table["per_doubling"]) == {2}  # nothing was tried on the other grid
    kept = table.set_index(["estimand", "procedure"])["kept"]
    assert kept.to_dict() == {("dataset", "max_t"): True, ("dataset", "holm"): True,
                              ("dataset", "published"): False, ("population", "holm"): False,
                              ("dataset", "clustered"): False}  # not tried on every kind


def test_recommended_is_who_finds_most_of_those_that_keep_it():
    finer = CASES.assign(per_doubling=8)
    finer = finer[(finer["procedure"] != "max_t")]
    best = recommended(pd.concat([CASES, finer])).set_index(["per_doubling", "estimand", "verdict"])
    assert best.loc[(2, "dataset", "peaking"), "procedure"] == "max_t"
    assert best.loc[(2, "dataset", "peaking"), "power"] == 80
    assert best.loc[(2, "population", "peaking"), "procedure"] == ""
    assert tuple(best.loc[(8, "dataset", "peaking")]) == ("holm", 40)


def test_confirmed_is_what_keeps_its_level_on_fresh_curves_as_well():
    fresh = table(row("max_t", 4.0, 5.2), row("holm", 1.0, 2.0),
                  row("max_t", 70.0, 75.0, truth="peak", size=0.05, n=100))
    (only,) = confirmed(recommended(CASES), fresh).query("verdict == 'peaking'").itertuples()
    assert only.per_doubling == 2
    assert (only.estimand, only.procedure, only.worst) == ("dataset", "max_t", 4.0)
    assert not only.kept and only.power == 70


def test_power_is_of_the_shapes_for_which_the_verdict_is_right():
    assert power_at(CASES, "peaking").to_dict() == {"clustered": 90, "holm": 40, "max_t": 80,
                                                       "published": 95}
    assert power_at(CASES, "dipping").empty
