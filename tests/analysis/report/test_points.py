"""Points that somebody measured: read, or refused with the line that is wrong."""

import numpy as np
import pytest

from analysis.report.points import PointsError, read_points

GOOD = "size,error\n100,0.4\n200,0.3\n400,0.25\n800,0.22\n"


def write(tmp_path, text):
    path = tmp_path / "points.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize("text", [GOOD, GOOD.replace(",", ";").replace("0.", "0,")])
def test_points_become_a_curve(tmp_path, text):
    curve = read_points(write(tmp_path, text))
    assert curve.dims == ("learner", "repeat", "anchor")
    assert curve["anchor"].values.tolist() == [100, 200, 400, 800]
    np.testing.assert_allclose(curve.values.ravel(), [0.4, 0.3, 0.25, 0.22])


def test_repeats_and_learners(tmp_path):
    rows = "".join(f"{n};{e};{r};{m}\n" for m in ("A", "B") for r in (1, 2)
                   for n, e in ((10, 0.5), (20, 0.4), (40, 0.3), (80, 0.2)))
    curve = read_points(write(tmp_path, "size;error;repeat;learner\n" + rows))
    assert dict(curve.sizes) == {"learner": 2, "repeat": 2, "anchor": 4}


@pytest.mark.parametrize(("text", "words"), [
    (GOOD + "-5,0.2\n", "line 6: size -5"),
    (GOOD + "0,0.2\n", "line 6: size 0"),
    (GOOD + "1600,1.2\n", "line 6: error 1.2"),
    (GOOD + "1600,-0.1\n", "line 6: error"),
    (GOOD + "1600,good\n", "line 6: error is 'good'"),
    (GOOD + "800,0.2\n", "size 800 is there more than once"),
    ("size,error\n100,0.4\n200,0.3\n", "2 different sizes"),
    (GOOD + '"1,600",0.2\n', "line 6: size is '1,600'"),
    ("size,error\n", "no rows below"),
    (GOOD + "1e300,0.2\n", "line 6: size 1e.300"),
    ("n,error\n100,0.4\n", "no column size"),
    ("", "cannot be read"),
])
def test_bad_points_are_refused_with_what_to_do(tmp_path, text, words):
    with pytest.raises(PointsError, match=words):
        read_points(write(tmp_path, text))


def test_no_such_file(tmp_path):
    with pytest.raises(PointsError, match="There is no file"):
        read_points(tmp_path / "none.csv")
