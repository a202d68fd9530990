"""What `make bench` leaves."""

import pandas as pd

from benchmarks.__main__ import keep


def test_benchmarks_that_are_run_again_take_the_place_of_theirs_alone(tmp_path):
    path = tmp_path / "benchmarks.csv"
    whole = pd.DataFrame({"benchmark": ["b", "b", "c"], "seconds": [1.25, 2.0, 1 / 3]})
    keep(whole, path)
    path.write_text(path.read_text().replace(pd.read_csv(path)["computed_on"][0], "2020-02-02"))
    keep(pd.DataFrame({"benchmark": ["a", "b"], "seconds": [0.5, 4.0]}), path)
    kept = pd.read_csv(path)
    assert kept[["benchmark", "seconds"]].values.tolist() == [["a", 0.5], ["b", 4.0],
                                                              ["c", 0.333333]]
    assert kept["computed_on"].eq("2020-02-02").tolist() == [False, False, True]
