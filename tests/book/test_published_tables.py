"""The paper's numbers as CSV: consistent in themselves, and the same when read another way."""

import re
from collections import Counter

import pandas as pd
import pytest

from collection.containers.learner_names import LEARNERS, learner_name
from collection.project.paths import DATA, ROOT

PUBLISHED = ROOT / "book" / "published"
PAPER = ROOT.parent / "shared" / "papers" / "lcdb11.txt"
CC18, FULL, LCDB10 = "LCDB 1.1 CC-18", "LCDB 1.1 FULL", "LCDB 1.0"
SCALINGS = ("none", "minmax", "standard")
SHAPES = ("missing", "flat", "non_monotone", "non_convex", "ill_behaved", "peaking", "dipping")

needs_paper = pytest.mark.skipif(not PAPER.is_file(), reason=f"needs the paper's text, {PAPER}")


def read(name):
    return pd.read_csv(PUBLISHED / f"{name}.csv", dtype=str, keep_default_na=False)


def numbers(name):
    table = read(name)
    return table.assign(value=table["value"].astype(float))


# In themselves.

@pytest.mark.parametrize("table, rows", [
    ("table3", 32), ("table4", 7 * 7), ("table5", 6), ("table6", 3 * 12), ("table7", 6 * 6),
    ("table8", 2 * 24 * 21), ("table9", 4 * 6), ("table10", 265)])
def test_row_counts(table, rows):
    assert len(read(table)) == rows
    keys = [c for c in read(table).columns if c not in ("value", "unit")]
    assert not read(table).duplicated(keys).any()


def test_table4_is_the_mean_of_tables_6_to_8_without_dummy():
    per_learner = pd.concat([numbers("table6"), numbers("table7"), numbers("table8")])
    modern = {n.name for n in LEARNERS.values() if n.group == "modern"}
    counted = (per_learner["scaling"] == "none") | ~per_learner["learner"].isin(modern)
    kept = per_learner[(per_learner["learner"] != "DummyClassifier") & counted]
    mean = kept.groupby(["database", "scaling", "property"])["value"].agg(["mean", "size"])
    both = numbers("table4").join(mean, on=["database", "scaling", "property"], how="inner")
    both = both[(both["property"] != "flat") | (both["scaling"] != "none")]  # 24 learners' range
    assert len(both) == 40
    assert set(both["size"]) == {23, 27}
    assert ((both["value"] - both["mean"]).abs() < 0.11).all()


def test_table3_differs_from_table8_only_where_noted():
    per_learner = pd.concat([numbers("table6"), numbers("table7"), numbers("table8")])
    both = numbers("table3").merge(per_learner, on=["database", "scaling", "learner", "property"])
    differing = set(both.loc[both["value_x"] != both["value_y"], "learner"])
    noted = read("inconsistencies")["one_place"].str.extract(r"^Table 3, (\w+)$")[0].dropna()
    assert differing == set(noted)


def test_without_qda_the_headline_is_what_is_noted():
    rows = pd.concat([numbers("table6"), numbers("table7"), numbers("table8")])
    rows = rows[(rows["scaling"] == "none") & (rows["property"] == "ill_behaved")
                & ~rows["learner"].isin(["DummyClassifier", "QDA"])]
    noted = read("inconsistencies").set_index("other_place")["one_value"]
    for database, place in ((FULL, "FULL"), (CC18, "CC-18")):
        mean = rows.loc[rows["database"] == database, "value"].mean()
        assert f"{mean:.1f}" == noted[f"Table 4, {place}, no scaling, ill-behaved"]


def test_tables_agree_with_the_prose():
    prose = numbers("text")
    table = numbers("table4")
    keys = ["database", "scaling", "learner", "property"]
    both = prose[prose["qualifier"] == ""].merge(table, on=keys)
    assert len(both) == 5
    assert (both["value_x"] == both["value_y"]).all()


def test_table10_is_the_list_of_datasets_that_the_files_have():
    listed = pd.read_csv(DATA / "lcdb11_datasets.csv", dtype=str)
    columns = read("table10").columns
    pd.testing.assert_frame_equal(read("table10"), listed[columns])


# Read another way: the text as one stream of tokens, no line counted.

@pytest.fixture(scope="module")
def text():
    if not PAPER.is_file():
        pytest.skip(f"needs the paper's text, {PAPER}")
    return " ".join(PAPER.read_text().split())


def between(text, start, end):
    return text.split(start, 1)[1].split(end, 1)[0]


def values(table, **chosen):
    rows = read(table)
    for column, value in chosen.items():
        rows = rows[rows[column] == value]
    return rows["value"].tolist()


def test_second_reading_of_table3(text):
    table = between(text, "Table 3:", "The reported results cover")
    found = re.findall(r"(\d+(?:\.\d+)?)%", table)
    assert Counter(found) == Counter(values("table3"))
    for learner in LEARNERS.values():
        name = re.escape(learner.short).replace("Mix", "Mix ?")
        pattern = rf"(?<!\w){name}\)?(?: \[\d+\])?[ *]*? ([\d.]+)%"
        assert values("table3", learner=learner.name) == re.findall(pattern, table)[:1]


@pytest.mark.parametrize("table, start, end, properties", [
    ("table4", "Table 4:", "In Figure 4", SHAPES),
    ("table7", "Table 7:", "Table 8:", [s for s in SHAPES if s != "flat"]),
    ("table9", "Table 9:", "Appendix J", SHAPES[:1] + SHAPES[2:5])])
def test_second_reading_of_tables_with_a_row_per_shape(text, table, start, end, properties):
    found = re.findall(r"(\d+\.\d)%", between(text, start, end))
    columns = len(found) // len(properties)
    for k, shape in enumerate(properties):
        assert values(table, property=shape) == found[k * columns : (k + 1) * columns]


def test_second_reading_of_tables_5_and_6(text):
    found = re.findall(r"(\d+\.\d)%", between(text, "Table 5:", "Appendix C"))
    assert values("table5") == found
    found = re.findall(r"(\d+\.\d)%", between(text, "Table 6:", "Table 7:"))
    for k, learner in enumerate(("CatBoost", "TabNet", "RealMLP")):
        for j, database in enumerate((CC18, FULL)):
            start = 12 * k + 6 * j
            assert values("table6", learner=learner, database=database) == found[start : start + 6]


def test_second_reading_of_table8(text):
    table = between(text, "Table 8:", "Appendix E Observation")
    for learner in (n for n in LEARNERS.values() if n.group == "classic"):
        rows = re.findall(rf"(?<!\S){re.escape(learner.name)} ((?:\d+\.\d ){{21}})", table + " ")
        assert len(rows) == 2, learner.name
        for database, row in zip((CC18, FULL), rows, strict=True):
            stored = [v for s in SCALINGS for v in values(
                "table8", learner=learner.name, database=database, scaling=s)]
            assert stored == row.split()


def test_second_reading_of_table10(text):
    table = between(text, "Table 10:", "NeurIPS Paper Checklist").split("Ratio ", 1)[1]
    tokens = table.split()
    rows = [tokens[k : k + 6] for k in range(0, len(tokens), 6)]
    assert rows == read("table10").values.tolist()


def test_second_reading_of_table2(text):
    table = between(text, "Table 2:", "Data Splitting.")
    printed = {(row.database, row.property): row.value for row in read("table2").itertuples()}
    older, newer = table.split("LCDB 1.1 with and")
    assert f"{printed[LCDB10, 'learners']} {printed[LCDB10, 'datasets']} (claim " in older
    assert f"(claim {printed[LCDB10, 'datasets claimed']})" in older
    missing = f"{printed[LCDB10, 'missing']}% ({printed[LCDB10, 'missing in parentheses']}%) "
    assert missing + printed[LCDB10, "missing reason"] in older
    new = {p: v for (d, p), v in printed.items() if d == "LCDB 1.1"}
    assert (f"{new['anchors']} {new['learners']} {new['datasets']} {new['missing']}% "
            f"{new['missing reason']}") in newer


@needs_paper
def test_quotes_stand_in_the_paper_and_hold_the_number():
    paper = PAPER.read_text()
    words = {"10": "ten", "1": "one", "2": "twice", "4": "four", "800000": "800", "3000": "3,000"}
    for row in read("text").itertuples():
        assert row.quote in paper
        if row.property == "mse_ratio_convex":  # "the same applies to convex"
            continue
        assert row.value in row.quote or words[row.value] in row.quote


def test_learner_names_are_the_projects():
    for table in ("figure7", "notebooks"):
        for names in read(table)["learner"]:
            for name in names.split("; "):
                assert name == "all" or learner_name(name) == name
