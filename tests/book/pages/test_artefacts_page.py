"""What software makes of shapes: of the tables that are kept."""

import pytest


def test_causes_are_of_what_is_kept(page):
    numbers = page.numbers["value"]
    points = page.table("causes").set_index("cause")["points"]
    assert numbers["no_tabnet"] - numbers["printed"] == pytest.approx(points.iloc[0])
    assert numbers["bump"] == page.table("mlp_bend_places")["anchor"][0]
