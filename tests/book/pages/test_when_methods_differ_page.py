"""The page on meta-features: what it says comes from its tables, whatever effect is asked for."""

GIVEN = {"rho": 0.8}


def test_the_page_says_what_its_tables_hold(page):
    at = page.numbers["value"]
    assert (at["same_rows"], at["problems"], at["leaders_come_out"]) == (2, 40, 3)
    assert at["holm"] == at["bh"] == 0 and at["own"] == 5
    assert at["power_search"] > 50 and "no property clearly goes" in page.said
    first, largest = page.table("first"), page.table("largest").dropna()
    assert len(first) == 8
    assert first.loc[first["rho"].isna(), ["low", "high"]].isna().all(axis=None)
    assert len(largest) == 9 and (largest["high"] > largest["value"]).all()
