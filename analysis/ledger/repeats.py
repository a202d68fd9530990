"""Published numbers that need every repeat: shapes, and what leakage changes."""

import pandas as pd
import xarray as xr

from analysis.databases.counted import CLASSIC
from analysis.databases.lcdb11.stray import without_stray
from analysis.ledger.means import COLUMNS, counted, selections, tidy_shares
from analysis.ledger.published import LCDB10
from analysis.preprocessing.leakage import leakage_differences
from analysis.shapes import detect_shapes
from analysis.shapes.words import VERDICTS

NOT_FLAT = tuple(s for s in VERDICTS if s != "flat")
CLAIMED = 246  # datasets of LCDB 1.0, as Table 2 has it


def shapes_of_lcdb10(curves: xr.Dataset, procedure: str) -> pd.DataFrame:
    """Shares of all curves of the paper's subset of LCDB 1.0, in % (Table 4)."""
    shapes = detect_shapes(_settled(curves), procedure)
    return pd.DataFrame([(LCDB10, "none", "all", s, 100 * float(shapes[s].mean()))
                         for s in VERDICTS], columns=COLUMNS)


def missing_of_lcdb10(curves: xr.Dataset) -> pd.DataFrame:
    """Curves that LCDB 1.0 misses of 196 datasets and of the 246 claimed, in % (Table 2)."""
    missing = detect_shapes(_settled(curves), "published")["missing"]
    claimed = CLAIMED * missing.sizes["learner"]
    return pd.DataFrame([
        (LCDB10, "", "all", "learners", missing.sizes["learner"]),
        (LCDB10, "", "all", "datasets", missing.sizes["dataset"]),
        (LCDB10, "", "all", "missing", 100 * float(missing.mean())),
        (LCDB10, "", "all", "missing in parentheses", 100 * (1 - int((~missing).sum()) / claimed)),
    ], columns=COLUMNS)


def shapes_of_lcdb11(curves: xr.Dataset, procedure: str) -> pd.DataFrame:
    """Shares of curves without leakage, in %, per learner and in all (Tables 3, 4, 6 to 9).

    Flat is left to `analysis.ledger.means`, where the learners to compare with are chosen. The
    corrected procedure leaves stray values out.
    """
    valid = curves["error_rate"].sel(split="valid", leakage="no", drop=True)
    valid = without_stray(valid) if procedure == "corrected" else valid
    by_scaling = [detect_shapes(valid.sel(scaling=[s]), procedure)[list(NOT_FLAT)]
                  for s in valid["scaling"].values]
    shapes = xr.concat(by_scaling, "scaling")
    return tidy_shares(
        (name, shares, shape) for shape in NOT_FLAT for name, verdicts in selections(shapes[shape])
        for shares in (100 * verdicts.mean("dataset"), counted(verdicts)))


def holm_shares(curves: xr.Dataset) -> pd.DataFrame:
    """Shares with the published Holm over the 23 classic learners but Dummy, in % (Table 9)."""
    table = shapes_of_lcdb11(curves.sel(learner=[*CLASSIC]), "holm_published")
    ill = table[(table["learner"] == "all") & (table["property"] == "ill_behaved")]
    return pd.concat([table, ill.assign(property="ill_behaved_holm")], ignore_index=True)


def leakage_changes(curves: xr.Dataset) -> pd.DataFrame:
    """Share of the 24 learners' curves that leakage changes, in % (Appendix B, Table 5).

    A curve changes where at any anchor a paired t-test over the repeats, its p-value times the
    number of anchors, is significant; see `analysis.preprocessing.leakage.leakage_differences`.
    """
    valid = curves["error_rate"].sel(split="valid", learner=[*CLASSIC])
    changed = xr.concat([leakage_differences(valid.sel(scaling=s))["different"]
                         for s in valid["scaling"].values], valid["scaling"])
    return tidy_shares(
        (name, 100 * verdicts.mean(["dataset", "learner"]).expand_dims(learner=["all"]),
         "leakage_changes")
        for name, verdicts in selections(changed))


def _settled(curves: xr.Dataset) -> xr.DataArray:
    """Return validation error rates without the dims that LCDB 1.0 has one label of."""
    return curves["error_rate"].sel(split="valid", drop=True).squeeze(
        ["scaling", "leakage"], drop=True)
