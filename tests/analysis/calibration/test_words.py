"""What chapters say of the calibration is what was kept of it."""

from analysis.calibration.words import believed, called, false_on, in_short
from analysis.records.computed import recall


def test_the_share_believed_is_the_one_kept_for_who_is_recommended():
    share = believed()
    kept = recall("calibration_rates").query(
        "database == 'lcdb10' and verdict == 'ill_behaved' and min_violation == 0.02")
    kept = kept.set_index("procedure").loc[share["procedure"]]
    assert share["rate"] == kept["rate"] and share["low"] < share["rate"] < share["high"]


def test_sentences_hold_the_numbers_with_their_intervals():
    words = in_short()
    for row in (believed(), called("corrected"), called(believed()["procedure"])):
        assert f"{row['rate']:.1f} % ({row['low']:.1f} to {row['high']:.1f})" in words
    strict = false_on("flat", "nadeau_bengio", generator="drawn, population")
    assert f"{strict['rate']:.1f} %" in words and strict["high"] < 5
