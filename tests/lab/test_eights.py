"""The best methods of a study tested alone, beside as many drawn at random."""

from lab.studies import EIGHT, EIGHTS, cells_of, eights


def test_the_best_eight_and_eights_at_random_are_ordered_alone():
    found = eights("num_embeddings").set_index("of")
    assert (found.loc[["best", "middle"], "neighbours"] == EIGHT - 1).all()
    assert found.loc["random", "neighbours"] == EIGHTS * (EIGHT - 1)
    assert (found["neighbours_apart"] <= found["neighbours"]).all()
    assert (found["families"] == len(cells_of("num_embeddings").families)).all()
    assert eights("rtdl_2021").empty  # twelve methods
