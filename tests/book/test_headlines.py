"""Every loud sentence's number once more, by a second, short path from the results' tables."""

import re

import numpy as np
import pandas as pd
import pytest
from claims import _numbers, chapter_of, read_claims
from scipy.stats import kendalltau

from analysis import load_curves
from analysis.databases import NOT_IN_ALL, drop_copies
from collection.project.paths import PRINTED, RESULTS, ROOT

CLAIMS = read_claims()
LEADERS = 3  # learners with most ill-behaved curves


def read(name: str) -> pd.DataFrame:
    return pd.read_csv(RESULTS / f"{name}.csv")


def curves() -> pd.DataFrame:
    return read("da1/curves").query("procedure == 'corrected' and scaling == 'none'")


def of_leaders() -> pd.Series:
    own = curves()
    return own["learner"].isin(own.groupby("learner")["ill_behaved"].sum().nlargest(LEADERS).index)


def of_others() -> pd.DataFrame:
    return curves()[~of_leaders()]


def grid_step(price: str) -> float:
    return read("da1/decomposition").query(
        "price == @price and step.str.startswith('grid')")["change"].item()


def confirmed() -> float:
    found = read("trust/resolution").query("procedure == 'corrected, dense price'")
    found = found.sort_values("anchors")
    return found["confirmed_share"].iloc[-1] - found["confirmed_share"].iloc[0]


def useless() -> float:
    """Of ten ways to halve seeds: what is called sums to whole tenths of curves."""
    shares = read("da1/usefulness").query(
        "what == 'ill-behaved, %' and database not in ['LCDB 1.0', 'opened last']")
    shares = shares.set_index("of")
    called = (shares["value"] * shares["n"] / 100).round(1)
    return 100 * called["not useful"] / called[["useful", "not useful"]].sum()


def at_batch() -> float:
    drops = read("artefacts/largest_drops").query("learner == 'TabNet' and anchor == 1024")
    return (100 * drops["curves"] / drops["of"]).item()


def without_tabnet() -> float:
    said = [pd.read_csv(PRINTED / f"table{n}.csv").query(
        "database == 'LCDB 1.1 FULL' and scaling == 'none' and property == 'ill_behaved'")
        for n in (3, 8)]
    share = pd.concat(said[::-1]).drop_duplicates("learner").set_index("learner")["value"]
    left = [x for x in share.index if x.startswith(("Mix", "Dummy", "all", "TabNet"))]
    return share.drop(left).astype(float).mean()


def real_grids(size: float) -> float:
    found = read("trust/real_grids").query("procedure == 'corrected' and size == @size")
    return found["rate"].item()


def simulated(where: str) -> float:
    return read("trust/calibration").query(
        "rows == 1000 and per_doubling == 2 and repeats == 25 and size == 0 and "
        f"procedure == 'published' and {where}")["rate"].max()


def scaled(how: str) -> float:
    single = read("da2/paired").query(
        "measure == 'ill_behaved' and scaling == @how "
        "and not learner.isin(['all', 'DummyClassifier']) and not learner.str.startswith('Mix')")
    there = read("da2/paired").query("scaling == 'standard'")["learner"]  # negative features
    single = single[single["learner"].isin(there)]
    return np.average(single["difference"], weights=single["n_pairs"])


def leaked() -> float:
    return 100 * read("leakage/curves").query("scaling == 'minmax'")["different"].mean()


def worse_for_leaks() -> float:
    return read("leakage/by_size").query(
        "scaling == 'minmax' and anchor == 16")["change"].item()


def peaks_inside() -> float:
    row = read("closeup/lda_by_reach").query("inside and margin == 1").iloc[0]
    return 100 * row["peaks"] / row["curves"]


def kinds_apart() -> float:
    row = read("da3/cost").set_index("model").loc["best of its kind"]
    return row["ill"] - row["well"]


def more_regret() -> float:
    race = read("da4/races").query("way == 'drop one by one from 16 rows'")
    race = race.set_index("kind")["regret"]
    return race["cross most"] - race["cross least"]


def errs(scope: str, rival: str, others: list[str]) -> float:
    error = read("extrapolation/scores").query("scope == @scope and times == 'last'").set_index(
        "rival")["error"]
    return error[rival] / error[error.index.isin(others)].min()


def formulas() -> list[str]:
    return read("extrapolation/rivals").query("kind == 'formula'")["rival"].tolist()


def ranges_held(kind: str, role: str = "latest") -> float:
    found = read("how_much_more/row_ranges").query(
        "role == @role and method == 'report' and kind == @kind and times > 0")
    return 100 * np.average(found["coverage90"], weights=found["n_cases"])


def fall(role: str) -> float:
    error = read("beyond/curves").query("role == @role").pivot(
        index="dataset", columns="anchor", values="value")
    return 100 * (1 - (error[32768] / error[16384]).mean())


def forecasts_held() -> float:
    return 100 * read("beyond/forecasts").query(
        "method == method and method.str.contains('report')")["inside"].mean()


def ahead(rows: int) -> float:
    return 100 * read("how_many_rows/overtaking_three").query(
        "database == 'lcdb10' and problems == 'fixed' and learner == 'ens.RandomForest' "
        "and who == 'ahead now' and rows == @rows")["share"].item()


def neighbours(few: bool) -> float:
    studies = read("order/studies")
    studies = studies[(studies["methods"] <= 8) == few]
    return 100 * studies["neighbours_apart"].sum() / studies["neighbours"].sum()


def best_standing(papers: str) -> pd.Series:
    rows = read("ledger/all").query(papers)
    words = ["reproduced", "nearly", "in part", "undecided", "not reproduced",
             "within an estimate", "beyond an estimate", "cannot be told here"]
    place = rows["standing"].map(words.index)
    return place.groupby([rows["paper"], rows["source"].fillna(""), rows["item"]]).min().map(
        words.__getitem__)


def peaks_there() -> int:
    found = read("regression/peaks").query("learner == 'LeastSquares'")
    high = (found["at"] > 1.1 * found["before"]) & (found["at"] > 1.1 * found["after"])
    return (high & found["ratio"].between(1 / 1.2, 1.2)).sum()


def boards_agree() -> float:
    ranks = read("by_size/ranks").query("database == 'lcdb11-anew'").pivot(
        index="method", columns="size", values="mean_rank").round(9)
    return kendalltau(ranks.iloc[:, 0], ranks.iloc[:, -1]).statistic


def fits_failed() -> float:
    fits = read("database/outcomes")
    return fits.loc[fits["status"] != "ok", "percent"].sum()


def forest_ahead() -> float:
    """Of large datasets of LCDB 1.0: boosting less forest, at sizes that both have."""
    curves = drop_copies(load_curves("lcdb10", selection="paper").drop_sel(
        learner=NOT_IN_ALL, errors="ignore"))
    errors = curves["error_rate"].sel(split=["valid", "test"]).squeeze()
    errors = errors.mean([d for d in ("outer", "inner") if d in errors.dims])
    curve = errors.notnull().all("split")
    large = (curve["anchor"].where(curve).max(["learner", "anchor"]) > 10_000).values
    pair = errors.sel(learner=["ens.GradientBoosting", "ens.RandomForest"]).transpose(
        "split", "learner", "dataset", "anchor").values[:, :, large]
    pair = np.where(np.isnan(pair).any(axis=(0, 1)), np.inf, pair)
    pair = pair[:, :, np.isfinite(pair[0, 0]).any(axis=1)]
    at = pair[0].round(12).argmin(axis=-1)[..., None]
    boosting, forest = np.take_along_axis(pair[1], at, -1)[..., 0]
    return 100 * (boosting - forest).mean()


#: Chapter and key → the number, from tables alone.
SECOND = {
    "da1 ill_behaved": lambda: 100 * curves()["ill_behaved"].sum() / (
        1 - curves()["missing"]).sum(),
    "da1 leaders_share": lambda: 100 * curves().loc[of_leaders(), "ill_behaved"].sum()
    / curves()["ill_behaved"].sum(),
    "da1 others_share": lambda: 100 * of_others()["ill_behaved"].sum() / (
        1 - of_others()["missing"]).sum(),
    "da1 datasets_others": lambda: 100 * of_others().groupby("dataset")["ill_behaved"].max().mean(),
    "da1 grid_dense": lambda: grid_step("the dense grid's"),
    "da1 grid_own": lambda: grid_step("each grid its own"),
    "trust denser_more": confirmed,
    "da1 of_ill_anew": useless,
    "artefacts tabnet_at": at_batch,
    "artefacts no_tabnet": without_tabnet,
    "trust level_corrected": lambda: real_grids(0),
    "trust found_corrected": lambda: real_grids(0.02),
    "trust flat": lambda: simulated(
        "generator == 'drawn, dataset' and truth == 'flat' and verdict == 'ill_behaved'"),
    "da2 overall_standard": lambda: scaled("standard"),
    "da2 overall_minmax": lambda: scaled("minmax"),
    "leakage share_minmax": leaked,
    "leakage worse": worse_for_leaks,
    "closeup lda_ratio": lambda: read("closeup/peaks").query("learner == 'LDA'")["ratio"].median(),
    "closeup peaks_inside": peaks_inside,
    "da3 gap": kinds_apart,
    "da4 extra": more_regret,
    "extrapolation new_datasets": lambda: errs("new datasets", "boosted", formulas()),
    "extrapolation unseen_alone_formula": lambda: errs("error rates, unseen", "boosted, alone",
                                                       formulas()),
    "extrapolation anew_error": lambda: errs("lcdb11-anew", "boosted, alone",
                                             ["nothing changes"]),
    "extrapolation unseen_alone": lambda: errs("error rates, unseen", "boosted, alone",
                                               ["nothing changes"]),
    "how_much_more held_numbers_latest": lambda: ranges_held("numbers"),
    "how_much_more held_classes_latest": lambda: ranges_held("classes"),
    "beyond linear": lambda: fall("linear model"),
    "beyond xgboost": lambda: fall("XGBoost"),
    "beyond regret": lambda: read("beyond/ranks")["regret"].mean(),
    "beyond held": forecasts_held,
    "how_many_rows fixed_now_100": lambda: ahead(100),
    "how_many_rows fixed_now_1000": lambda: ahead(1000),
    "order neighbours_few": lambda: neighbours(True),
    "order neighbours_many": lambda: neighbours(False),
    "by_size tau": boards_agree,
    "order pairs_share": lambda: 100 * read("order/studies")["pairs_apart"].median(),
    "suite_worth swaps_classic": lambda: 100 * read("suite_worth/stability").query(
        "n_tasks == 10 and source == 'classic'")["swap_probability"].item(),
    "small_data equal": lambda: (read("small_data/claims")["verdict"] == "equal as printed").sum(),
    "cc18 pass": lambda: read("cc18/cc18_criteria")["decided_by"].isin(["kept", "manual"]).sum(),
    "when_methods_differ same_rows": lambda: (
        lambda t: (t["gain_of"] == t["meta_features_of"]).sum())(
            read("when_methods_differ/positions")),
    "repository ahead_all": lambda: read("repository/claim_parts").query(
        "part == 'against CatBoost' and claim.str.contains('portfolio')")["value"].iloc[0],
    "regression LeastSquares_there": peaks_there,
    "database equal_share": lambda: np.average(
        read("database/equal")["equal"], weights=read("database/equal")["means"]),
    "database failed": fits_failed,
    "ledger come_out": lambda: (best_standing("paper == paper") == "reproduced").sum(),
    "ledger different": lambda: (best_standing("paper == 'LCDB 1.1'") == "not reproduced").sum(),
    "performance optimism_own": lambda: read("performance/optimism").query(
        "database == 'lcdb11-anew' and pick == 'anchor'")["optimism"].item(),
    "performance large_ahead": forest_ahead}


def test_every_claim_has_a_second_path():
    assert set(SECOND) == {f"{chapter_of(c.file)} {c.key}" for c in CLAIMS.itertuples()}


#: Chapters whose numbers are of a few kinds for many rivals, named as they are made.
MANY = ("extrapolation", "how_much_more", "order")
#: What the page of findings cites of other pages: (page, key).
CITED = {tuple(each.split()[1:]) for each in re.search(
    r'CITED = """(.*?)"""', (ROOT / "book" / "findings.md").read_text(), re.DOTALL)[1].split(",")}


def kept(chapter: str) -> pd.DataFrame:
    """Return what a page of the last build kept, by key."""
    return _numbers(RESULTS / chapter / "numbers.csv")


@pytest.mark.book
@pytest.mark.parametrize("chapter", sorted({f.parent.name for f in RESULTS.glob("*/numbers.csv")}))
def test_what_nobody_cites_is_no_number(chapter):
    page = (ROOT / "book" / f"{chapter}.md").read_text()
    made = re.findall(r"""f["']([^"']*\{\w+[^"']*)["']""", page)  # keys that a loop makes
    loops = [re.compile(re.sub(r"\\\{.*?\\\}", r"\\w+", re.escape(key))) for key in made]
    idle = [key for key in kept(chapter).index if (chapter, key) not in CITED
            and not re.search(rf"glue:text\}}`{re.escape(key)}(\.\w+)?`|\{{{key}(\.\w+)?\}}", page)
            and not any(loop.fullmatch(key) for loop in loops)]
    assert len(idle) <= 3 or chapter in MANY, idle


@pytest.mark.book
@pytest.mark.parametrize("claim", list(CLAIMS.itertuples()), ids=lambda c: f"{c.file} {c.key}")
def test_a_second_path_comes_to_the_same_number(claim):
    chapter = chapter_of(claim.file)
    said = kept(chapter).loc[claim.key, "value"]
    assert SECOND[f"{chapter} {claim.key}"]() == pytest.approx(said, rel=1e-4)
