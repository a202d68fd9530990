"""What the chapter on fits and extrapolation shows: its tables and its facts."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import xarray as xr
from lmfit.model import ModelResult

import analysis
from analysis.databases.chosen import database_title, least_leakage, validation_errors
from analysis.fitting.lmfit_models import confidence_intervals, fit_one
from analysis.fitting.registry import MODELS
from analysis.published.printed import published_table
from analysis.statistics.families import families
from analysis.statistics.summary import interval_texts
from chapters.da3 import fits as fitted
from chapters.da3 import predictions as ahead
from chapters.da3.critical_difference import rank_models
from chapters.da3.effects import compare_fits, relate_to_violation
from chapters.da3.required import OUTCOMES, end_of_part, required_sizes
from chapters.facts import Facts
from chapters.shapes.gallery import find_examples
from chapters.sufficient import lacks_shapes, sufficient_database

PAPER_MODELS = ("POW4", "MMF4", "WBL4")
DRAWN = ("LAST1", "POW2", "POW3", "POW4", "MMF4", "WBL4", "ILOG2")
PROCEDURES = ("published", "corrected")
WELL, ILL = "well-behaved", "ill-behaved"


@dataclass(frozen=True)
class Da3:
    """Curves, their shapes, their fits and predictions; tables are made when asked for.

    Attributes
    ----------
    database, note : str
        The database that the text is about, and why not the one asked for, if so.
    errors, means : dict of str to DataArray
        Validation error rates by database, and their means over the repeats.
    shapes : dict of str to dict of str to Dataset
        Database → procedure → what `analysis.detect_shapes` returns.
    fits : dict of str to Dataset
        From `analysis.fit_curves`, the paper's three models.
    """

    database: str
    note: str
    errors: dict[str, xr.DataArray]
    means: dict[str, xr.DataArray]
    shapes: dict[str, dict[str, xr.Dataset]]
    fits: dict[str, xr.Dataset]

    @property
    def plain(self) -> xr.Dataset:
        """Fits of unscaled curves of the main database."""
        return self.fits[self.database].sel(scaling="none")

    @property
    def corrected(self) -> xr.Dataset:
        """Verdicts on these curves by the corrected procedure."""
        return self.shapes[self.database]["corrected"].sel(scaling="none")

    @cached_property
    def table(self) -> pd.DataFrame:
        """Every fit with its curve's verdicts."""
        return pd.concat([fitted.fits_table(self.fits[n], self.shapes[n], n) for n in self.fits],
                         ignore_index=True)

    @cached_property
    def summary(self) -> pd.DataFrame:
        """Ill- against well-behaved curves, by database, procedure, model and verdict."""
        errors = {n: fits["mse"].sel(scaling="none") for n, fits in self.fits.items()}
        table = pd.concat([
            fitted.fit_summary(errors[n], s.sel(scaling="none")).assign(database=n, procedure=p)
            for n in errors for p, s in self.shapes[n].items()], ignore_index=True)
        first = ["database", "procedure", "model", "verdict"]
        return table[[*first, *table.columns.drop(first)]]

    @property
    def chosen(self) -> pd.DataFrame:
        """The rows of `summary` that the text is about."""
        return self.summary.query("database == @self.database and procedure == 'corrected'")

    @cached_property
    def floor(self) -> xr.DataArray:
        """What no monotone model gets below, by curve."""
        return fitted.monotone_floor(self.means[self.database].sel(scaling="none"))

    @cached_property
    def excess(self) -> pd.DataFrame:
        """`compare_fits` of what is left above the floor, by model."""
        left = (self.plain["mse"] - self.floor).where(~self.corrected["flat"])
        return compare_fits(left, self.corrected["non_monotone"]).set_index("model")

    @cached_property
    def examples(self) -> pd.DataFrame:
        """The largest peak, dip and phase transition."""
        return find_examples(self.unscaled, self.corrected, per_shape=1)

    @property
    def unscaled(self) -> xr.DataArray:
        """Error rates of the main database without scaling."""
        return self.errors[self.database].sel(scaling="none")

    @cached_property
    def classes(self) -> dict[str, xr.DataArray]:
        """The one class that each curve is counted in."""
        return {n: fitted.shape_classes(s["corrected"].sel(scaling=["none"]))
                for n, s in self.shapes.items()}

    @cached_property
    def predictions(self) -> dict[str, pd.DataFrame]:
        """Every prediction of a last anchor, by database."""
        told = {n: ahead.extrapolate(m.sel(scaling=["none"])) for n, m in self.means.items()}
        return {n: fitted.with_classes(table, self.classes[n]) for n, table in told.items()}

    @property
    def mine(self) -> pd.DataFrame:
        """The main database's predictions."""
        return self.predictions[self.database]

    @property
    def half(self) -> pd.DataFrame:
        """Of these, those from the first half of the anchors."""
        return self.mine[self.mine["share"] == 0.5]

    @cached_property
    def cost(self) -> pd.DataFrame:
        """What ill-behaviour costs who predicts, judged on the whole curve."""
        table = pd.concat([ahead.ill_behaviour_cost(p).assign(database=n)
                           for n, p in self.predictions.items()], ignore_index=True)
        return table[["database", *table.columns.drop("database")]]

    @property
    def hindsight(self) -> pd.DataFrame:
        """The main database's `cost` from half of the anchors, by model."""
        return self.cost.query("share == 0.5 and database == @self.database").set_index("model")

    @cached_property
    def foresight(self) -> pd.DataFrame:
        """The same where shapes are judged on the half that was seen."""
        whole = self.errors[self.database].sel(scaling=["none"])
        end = end_of_part(self.means[self.database].sel(scaling=["none"]), 0.5)
        early = fitted.shape_classes(analysis.detect_shapes(whole.where(whole["anchor"] <= end)))
        rows = self.half.drop(columns=["shape", "group"])
        return ahead.ill_behaviour_cost(fitted.with_classes(rows, early)).set_index("model")

    @cached_property
    def both_sights(self) -> pd.DataFrame:
        """`hindsight` and `foresight`, one below the other."""
        rows = {"whole curve": self.hindsight.drop(columns="database"),
                "first half": self.foresight}
        return pd.concat(rows, names=["judged on"]).reset_index()

    @cached_property
    def all_data(self) -> pd.DataFrame:
        """What training on all data costs against the best size by validation, by curve."""
        name = self.database
        stored = analysis.load_curves(name, selection="paper")["error_rate"].sel(scaling=["none"])
        test = stored.sel(split="test", leakage=least_leakage(stored), drop=True).load()
        loss = ahead.cost_of_all_data(self.errors[name].sel(scaling=["none"]).mean("inner"),
                                      test.mean("inner"))
        loss = loss.groupby(["dataset", "learner", "scaling"], as_index=False)["points"].mean()
        return fitted.with_classes(loss, self.classes[name]).assign(database=name)

    @cached_property
    def needs(self) -> pd.DataFrame:
        """Whether and when an error lower by a tenth is reached, in truth and by prediction."""
        curves = self.means[self.database].sel(scaling=["none"])
        table = fitted.with_classes(required_sizes(curves, PAPER_MODELS),
                                    self.classes[self.database])
        return table.assign(database=self.database)

    @cached_property
    def thinned(self) -> pd.DataFrame:
        """Fits of mini's curves on all anchors and on every fourth."""
        return fitted.thinning_effect(self.means["mini"].sel(scaling="none"),
                                      self.shapes["mini"]["corrected"].sel(scaling="none"))


def study(database: str = "lcdb10") -> Da3:
    """Open a database and mini, judge the shapes of their curves, and fit the paper's models."""
    database, note = sufficient_database(database, lacks_shapes)
    errors = {name: validation_errors(name).load() for name in dict.fromkeys([database, "mini"])}
    means = {name: e.mean(["outer", "inner"]) for name, e in errors.items()}
    shapes = {name: {p: analysis.detect_shapes(e, procedure=p) for p in PROCEDURES}
              for name, e in errors.items()}
    fits = {name: analysis.fit_curves(mean, PAPER_MODELS) for name, mean in means.items()}
    return Da3(database, note, errors, means, shapes, fits)


def results(found: Da3) -> dict[str, pd.DataFrame]:
    """Return the tables that go to ``results/da3``, by name."""
    written = pd.concat([
        ahead.summarise(p, ["share", "octaves", "group", "shape"]).assign(database=n)
        for n, p in found.predictions.items()], ignore_index=True)
    return {"fits": found.table, "summary": found.summary, "floor": floor_table(found),
            "extrapolation": written[["database", *written.columns.drop("database")]],
            "shape_leaders": ahead.shape_leaders(found.half), "cost": found.cost,
            "foresight": found.both_sights, "all_data": found.all_data,
            "required_sizes": found.needs, "thinned": found.thinned}


def model_table() -> pd.DataFrame:
    """Return the curve models: name, formula, parameters, source."""
    return pd.DataFrame([
        {"model": m.name, "formula": rf"\({m.formula}\)", "parameters": m.n_parameters,
         "enter linearly": ", ".join(m.linear) or "none", "source": m.source}
        for m in MODELS.values()])


def status_table(found: Da3) -> pd.DataFrame:
    """Return what became of every fit, in curves."""
    counts = found.table.groupby(["database", "model", "status"], sort=False).size()
    return counts.unstack(fill_value=0).rename(
        columns=lambda c: c.replace("_", " ")).reset_index()


def single_fit(found: Da3) -> tuple[xr.DataArray, ModelResult]:
    """Return a typical well-behaved curve and POW3 fitted to it by lmfit."""
    curve = fitted.typical_curve(found.means[found.database].sel(scaling="none"), found.corrected)
    return curve, fit_one(curve, "POW3")


def parameter_table(fit: ModelResult) -> pd.DataFrame:
    """Return a fit's parameters with standard errors and profile intervals."""
    return confidence_intervals(fit)[["parameter", "estimate", "standard_error", "low", "high"]]


def gap_table(found: Da3) -> pd.DataFrame:
    """Return ill- against well-behaved curves, in ratios and effect sizes."""
    names = {"non_monotone": "monotone", "non_convex": "convex"}
    keys = ["database", "compared", "model"]
    shown = found.summary.assign(compared=found.summary["verdict"].map(names))
    shown["ratio"] = interval_texts(shown, "ratio", "cluster_low", "cluster_high")
    wide = shown.pivot(index=keys, columns="procedure", values="ratio").add_suffix(
        ": ill / well")
    one = shown[shown["procedure"] == "corrected"].set_index(keys)
    return wide.loc[one.index, [f"{p}: ill / well" for p in PROCEDURES]].assign(**{
        "Hedges' g": interval_texts(one, "hedges_g", "g_low", "g_high", 2),
        "same learner and dataset": interval_texts(one, "own_ratio", "own_low", "own_high"),
        "Welch p": [f"{p:.0e}" for p in one["welch_p"]]}).reset_index()


def violation_table(found: Da3) -> pd.DataFrame:
    """Return how errors of fits go with the size of violations."""
    names = {"non_monotone": "monotonicity", "non_convex": "convexity"}
    shown = found.summary.assign(violation=found.summary["verdict"].map(names))
    shown["Spearman"] = interval_texts(shown, "spearman", "spearman_low", "spearman_high", 2)
    shown["slope"] = interval_texts(shown, "slope", "slope_low", "slope_high")
    wide = shown.pivot(index=["database", "violation", "model"], columns="procedure",
                       values=["Spearman", "slope"])
    wide = wide.loc[:, [(v, p) for v in ("Spearman", "slope") for p in PROCEDURES]]
    wide.columns = [f"{v}, {p}" for v, p in wide.columns]
    return wide.reset_index()


def floor_table(found: Da3) -> pd.DataFrame:
    """Return how much of the fits' error on non-monotone curves no monotone model can avoid."""
    mse, floor, verdicts = found.plain["mse"], found.floor, found.corrected
    risen = verdicts["non_monotone"] & ~verdicts["flat"]
    bound = fitted.violation_floor(verdicts["violation_mono"], found.plain["n_anchors"])
    full = found.chosen.query("verdict == 'non_monotone'").set_index("model")
    models = list(PAPER_MODELS)
    return pd.DataFrame({
        "model": models,
        "fits below the floor": [int((mse.sel(model=m) < floor - 1e-15).sum()) for m in models],
        "floor's share of the MSE, in % (median)": [
            100 * float((floor / mse.sel(model=m)).where(risen).median()) for m in models],
        "of this the largest violation, in %": 100 * float((bound / floor).where(risen).median()),
        "MSE ill / well": [full.loc[m, "ratio"] for m in models],
        "the same above the floor": interval_texts(found.excess.loc[models], "ratio", "ratio_low",
                                                   "ratio_high")})


def prediction_table(found: Da3) -> pd.DataFrame:
    """Return every model's errors at the last anchor, from the first half of the anchors."""
    table = ahead.summarise(found.half)
    shares = {"beats_last1": "closer than LAST1 [%]", "clipped": "outside 0…1 [%]",
              "not_converged": "not converged [%]"}
    return table.assign(**{c: 100 * table[c] for c in shares}).rename(columns=shares | {
        "n": "predictions", "mean_points": "mean error [points]",
        "median_points": "median error [points]", "mean_rank": "mean rank"})


def ranks(found: Da3) -> dict[str, tuple]:
    """Rank the models over families of datasets, well- and ill-behaved curves apart."""
    rows = found.half.assign(family=families(found.half["dataset"]))
    return {f"{group} curves": rank_models(part, ["family"])
            for group, part in rows.groupby("group", sort=False)}


def leaders_table(found: Da3) -> pd.DataFrame:
    """Return the closest model and what LAST1 does, by shape."""
    return ahead.shape_leaders(found.half).rename(columns={
        "model": "closest model", "points": "its error", "last1": "error of LAST1",
        "last1_place": "place of LAST1"})


def cost_table(found: Da3) -> pd.DataFrame:
    """Return mean errors on well- and ill-behaved curves and their gap, with intervals."""
    shown = found.cost[(found.cost["share"] == 0.5) & found.cost["model"].isin(DRAWN)]
    titles = {"well": WELL, "ill": ILL, "cost": "gap", "same_learner": "gap, same learner"}
    return shown[["database", "model"]].assign(**{
        title: interval_texts(shown, c, f"{c}_low", f"{c}_high") for c, title in titles.items()})


def sight_table(found: Da3) -> pd.DataFrame:
    """Return the gap where shape is judged in hindsight and in advance."""
    rows = found.both_sights
    rows = rows.assign(gap=interval_texts(rows, "cost", "cost_low", "cost_high"))
    wide = rows[rows["model"].isin(DRAWN)].pivot(index="model", columns="judged on", values="gap")
    return wide.loc[list(DRAWN), ["whole curve", "first half"]].reset_index()


def all_data_table(found: Da3) -> pd.DataFrame:
    """Return what training on all data costs, by the shape of the curve."""
    table = found.all_data.groupby("shape").agg(
        curves=("points", "size"), mean=("points", "mean"), median=("points", "median"),
        worst=("points", "max"))
    return table.reindex([s for s in fitted.SHAPE_CLASSES if s in table.index]).reset_index()


def required_table(found: Da3) -> pd.DataFrame:
    """Return how often a target is reached, in truth and by prediction, in percent of curves."""
    keys = ["group", "model"]
    outcomes = found.needs.groupby(keys)["outcome"].value_counts(normalize=True).unstack()
    outcomes = outcomes.reindex(columns=list(OUTCOMES.values())).fillna(0.0)
    close = found.needs.assign(close=found.needs["doublings"].abs() <= 1).dropna(
        subset="doublings").groupby(keys)["close"].mean()
    return (100 * outcomes).assign(**{"of both: within a factor of 2": 100 * close}).reset_index()


def paper_table(found: Da3) -> pd.DataFrame:
    """Return the paper's numbers (text and notebooks) beside those of this chapter."""
    theirs = published_table("notebooks").set_index("property")["value"]
    said = published_table("text").set_index("property")["value"]
    rows = []
    own = found.summary.query("database == @found.database and model == 'POW4'")
    for short, verdict in (("monotone", "non_monotone"), ("convex", "non_convex")):
        ours = own[own["verdict"] == verdict].set_index("procedure")
        for label, paper, column, form in (
            ("MSE ill / well (geometric means)", f"more than {said[f'mse_ratio_{short}']}",
             "ratio", ".1f"),
            ("Welch p", f"{theirs[f'welch_p_{short}']:.0e}", "welch_p", ".0e"),
            ("Welch p, MSE without logarithm", "–", "welch_p_raw", ".0e"),
            ("Spearman", f"{theirs[f'spearman_{short}']:.2f}", "spearman", ".2f"),
            ("slope of log MSE", f"{theirs[f'slope_{short}']:.1f}", "slope", ".1f"),
            ("intercept of log MSE", f"{theirs[f'intercept_{short}']:.1f}", "intercept", ".1f"),
        ):
            rows.append({"verdict": short, "quantity, POW4": label,
                         "paper (LCDB 1.1 CC-18)": paper} | {
                f"{p} verdicts, here": format(ours.loc[p, column], form) for p in PROCEDURES})
    return pd.DataFrame(rows)


def facts(found: Da3) -> pd.DataFrame:
    """Return the chapter's numbers (`chapters.facts`)."""
    rows = Facts()
    rows.update({"title": database_title(found.database), "note": found.note})
    _single_facts(rows, found)
    _fit_facts(rows, found)
    _prediction_facts(rows, found)
    _required_facts(rows, found)
    _paper_facts(rows, found)
    return rows.table()


def _single_facts(rows: Facts, found: Da3) -> None:
    curve, three = single_fit(found)
    four = fit_one(curve, "POW4").params
    level = three.params["a"]
    rows.add("asymptote3", f"{level.value:.3f} ± {level.stderr:.2g}")
    spread = f" ± {four['a'].stderr:.2g}" if four["a"].stderr else ""
    rows.add("asymptote4", f"{four['a'].value:.3f}{spread}" if four["c"].value > 0
             else "no level at all")
    first = found.examples.query("shape == 'phase transition'").head(1)
    for row in first.itertuples():
        mse = found.plain["mse"].sel(dataset=row.dataset, learner=row.learner).to_series()
        rows.update({"transition_best": mse.idxmin(), "transition_worst": mse.idxmax()})
        rows.add("transition_share", 100 * mse.min() / mse.max(), unit="%")


def _fit_facts(rows: Facts, found: Da3) -> None:
    pick = found.chosen.set_index(["verdict", "model"])
    for short, verdict in (("mono", "non_monotone"), ("conv", "non_convex")):
        rows.add(f"ratio_{short}", *pick.loc[(verdict, "POW4"), [
            "ratio", "cluster_low", "cluster_high"]], digits=1,
            note="geometric means of the MSE, ill- over well-behaved")
    shares = floor_table(found)["floor's share of the MSE, in % (median)"]
    rows.add("floor_share", f"{shares.min():.0f} to {shares.max():.0f} %")
    for model in PAPER_MODELS:
        rows.add(f"full_{model}", pick.loc[("non_monotone", model), "ratio"], digits=1)
        rows.add(f"excess_{model}", found.excess.loc[model, "ratio"], digits=1)
    mine = found.summary[found.summary["database"] == found.database]
    both = mine.pivot(index=["model", "verdict"], columns="procedure", values="ratio")
    apart = both["published"] / both["corrected"]
    rows.add("procedures_differ", apart.where(apart > 1, 1 / apart).max(), digits=2)
    for key, column, least in (("worse", "cluster_low", 1), ("rise", "spearman_low", 0)):
        rows.add(f"{key}_count", f"{(mine[column] > least).sum()} of {len(mine)}")


def _prediction_facts(rows: Facts, found: Da3) -> None:
    ranked, first = found.hindsight, found.hindsight["well"].idxmin()
    own = ranked.loc[first]
    rows.update({"first_well": first, "few": str(MODELS[first].n_parameters)})
    for key, column in (("best_well", "well"), ("best_ill", "ill"), ("gap", "cost"),
                        ("gap_same", "same_learner")):
        rows.add(key, *own[[column, f"{column}_low", f"{column}_high"]], digits=1, unit="points")
    rows.add("gap_seen", *found.foresight.loc[first, ["cost", "cost_low", "cost_high"]],
             digits=1, unit="points")
    rows.add("n_ill", ranked["n_ill"].iloc[0])
    rows.add("n_ill_seen", found.foresight["n_ill"].iloc[0])
    rows.add("last1_ill", ranked.loc["LAST1", "ill"], digits=1, unit="points")
    places = ahead.shape_leaders(found.half).set_index("shape")
    for key, shape in (("dips", "dipping"), ("transitions", "phase transition")):
        rows.add(f"last1_{key}", f"number {places.loc[shape, 'last1_place']} of "
                 f"{places.loc[shape, 'models']} models" if shape in places.index
                 else "not compared, on too few datasets,")
    for model in PAPER_MODELS:
        rows.add(f"well_{model}", ranked.loc[model, "well"], digits=1)
    overall = ahead.ill_behaviour_cost(found.all_data, by=("database",)).iloc[0]
    for short in ("ill", "well"):
        rows.add(f"all_data_{short}", *overall[[short, f"{short}_low", f"{short}_high"]],
                 digits=2, unit="points")


def _required_facts(rows: Facts, found: Da3) -> None:
    table = required_table(found).query("group == @WELL")
    wrong = 100 - table[["both", "neither"]].sum(axis=1)
    close = table["of both: within a factor of 2"]
    rows.add("required_wrong", f"{wrong.min():.0f} to {wrong.max():.0f} %")
    rows.add("required_close", f"{close.min():.0f} to {close.max():.0f} %")
    truth = (table["both"] + table["only in truth"]).iloc[0]
    rows.add("required_truth", truth, unit="%", note="well-behaved curves that reach the target")
    rows.add("required_always", 100 - truth, unit="%", note="wrong, were one always to say yes")


def _paper_facts(rows: Facts, found: Da3) -> None:
    verdicts = found.corrected
    bound = fitted.violation_floor(verdicts["violation_mono"], found.plain["n_anchors"])
    alone = relate_to_violation(
        bound.where(verdicts["non_monotone"] & ~verdicts["flat"]).expand_dims(model=["floor"]),
        verdicts["violation_mono"].where(verdicts["non_monotone"])).iloc[0]
    rows.add("alone_spearman", alone["spearman"], digits=2)
    rows.add("alone_slope", alone["slope"], digits=1)
    low, high = found.chosen.set_index(["verdict", "model"]).loc[
        ("non_monotone", "POW4"), ["cluster_low", "cluster_high"]]
    said = published_table("text").set_index("property")["value"]["mse_ratio_monotone"]
    rows.add("ten", "inside" if low <= said <= high else "outside")
    ours = found.summary.query("database == @found.database and model == 'POW4' "
                               "and verdict == 'non_convex' and procedure == 'published'").iloc[0]
    paper = np.log10(published_table("notebooks").set_index("property")["value"]["welch_p_convex"])
    nearer = abs(paper - np.log10(ours["welch_p_raw"])) < abs(paper - np.log10(ours["welch_p"]))
    rows.add("welch_nearer", "a test of the MSE itself" if nearer else "a test of its logarithm")
    thin = found.thinned.drop_duplicates("anchors").set_index("anchors")  # of non-monotone curves
    for key, anchors in (("before", "all"), ("after", "thinned")):
        rows.add(f"thin_{key}", *thin.loc[anchors, ["ratio", "cluster_low", "cluster_high"]],
                 digits=1)
