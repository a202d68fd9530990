"""The paper's printed numbers, and whether a computed one is the published one."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from collection.containers.learner_names import NOT_COUNTED
from collection.project.naming import UnknownNameError
from collection.project.paths import PRINTED

FOLDER = PRINTED
CC18, FULL, LCDB10 = "LCDB 1.1 CC-18", "LCDB 1.1 FULL", "LCDB 1.0"
PER_LEARNER = ("table6", "table7", "table8")
EQUAL, CLOSE, DIFFERENT = "equal as printed", "within tolerance", "different"
OWN_WAY = "only by the paper's own way"
WITHIN, OUTSIDE = "within the estimate's range", "outside the estimate's range"
NEEDS = "needs the official files"

# What a number stands for where the words around it make it a bound.
BOUNDS: dict[str, Callable[[float, float], bool]] = {
    "more than": lambda computed, bound: computed > bound,
    "at most": lambda computed, bound: computed <= bound,
    "fewer than": lambda computed, bound: computed < bound,
    "almost": lambda computed, bound: 0.75 * bound <= computed < bound,
}


@dataclass(frozen=True)
class Comparison:
    """A published and a computed number side by side.

    Attributes
    ----------
    printed : str
        The computed number, printed as the published one is.
    difference : float
        Computed minus published.
    verdict : str
        `EQUAL`, `CLOSE` (at most one unit of the last printed place apart) or `DIFFERENT`; of an
        estimate `WITHIN` or `OUTSIDE` its range.
    """

    printed: str
    difference: float
    verdict: str


def compare(published: str, computed: float, qualifier: str = "") -> Comparison:
    """Compare a computed number with one as printed.

    Parameters
    ----------
    published : str
        Such as ``9.9``, ``60`` or ``6.8e-09``: its decimals say how far to compare.
    computed : float
        In the same unit.
    qualifier : str
        A key of `BOUNDS`, by which the published number is a bound; any other is ignored.

    Raises
    ------
    ValueError
        Where `published` is no number.
    """
    value = float(published)
    printed = _printed_like(published, computed)
    difference = computed - value
    if qualifier in BOUNDS:
        verdict = EQUAL if BOUNDS[qualifier](computed, value) else DIFFERENT
    elif printed == _printed_like(published, value):
        verdict = EQUAL
    else:
        # Half a unit of the printing of each: the unit itself, and floating point's own error.
        verdict = CLOSE if abs(float(printed) - value) <= _unit(published) * 1.001 else DIFFERENT
    return Comparison(printed, difference, verdict)


def estimate(published: str, computed: float, low: float, high: float,
             qualifier: str = "") -> Comparison:
    """Compare an estimate and its range with a number as printed.

    Parameters
    ----------
    published, computed, qualifier
        As in `compare`.
    low, high : float
        Ends of a 95 % range, in the same unit.

    Returns
    -------
    Comparison
        The verdict is `WITHIN` where the range holds the number, give or take half a unit of its
        last place, or a value for which the bound holds; else `OUTSIDE`.
    """
    found, half = compare(published, computed), _unit(published) / 2 * 1.001
    if qualifier in BOUNDS:
        within = any(BOUNDS[qualifier](end, float(published)) for end in (low, computed, high))
    else:
        within = low - half <= float(published) <= high + half
    return Comparison(found.printed, found.difference, WITHIN if within else OUTSIDE)


def hold_against(claims: Iterable[tuple[str, str, object, str]]) -> pd.DataFrame:
    """Hold a paper's numbers and claims against what was computed.

    Parameters
    ----------
    claims : iterable of tuple
        What is claimed; the number as printed, "yes" for a claim in words, or a name; what was
        computed: a number, whether the claim holds, or a name; and how it was computed. Of a claim
        that comes several times the first is computed as the paper does.

    Returns
    -------
    pandas.DataFrame
        Columns ``claim, published, computed`` (printed as the published one, halves up), ``rule,
        verdict``: `EQUAL`, of numbers `CLOSE`, or `DIFFERENT`; `OWN_WAY` where the first is not
        different and another is. ``otherwise`` has what others came to, in words.
    """
    rows = []
    for claim, published, computed, rule in claims:
        if isinstance(computed, str | bool | np.bool_):
            said = computed if isinstance(computed, str) else "yes" if computed else "no"
            verdict = EQUAL if said == published else DIFFERENT
        else:
            found = compare(published, float(computed) + 1e-9)
            said, verdict = found.printed, found.verdict
        rows.append((claim, published, said, rule, verdict))
    every = pd.DataFrame(rows, columns=["claim", "published", "computed", "rule", "verdict"])
    later = every.duplicated("claim")
    found, others = every[~later].set_index("claim"), every[later]
    against = found.index.isin(others.loc[others["verdict"] == DIFFERENT, "claim"])
    found.loc[against & (found["verdict"] != DIFFERENT), "verdict"] = OWN_WAY
    found["otherwise"] = (others["computed"] + ": " + others["rule"]).groupby(
        others["claim"]).agg("; ".join)
    return found.reset_index()


def _printed_like(published: str, number: float) -> str:
    mantissa, e, _ = published.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    text = f"{number:.{decimals}{'e' if e else 'f'}}"
    return text.removeprefix("-") if float(text) == 0 else text


def _unit(published: str) -> float:
    """Return one unit of the last printed place."""
    mantissa, _, exponent = published.lower().partition("e")
    return 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def published_table(name: str) -> pd.DataFrame:
    """Return one of the paper's tables as tidy data.

    Parameters
    ----------
    name : str
        Name of a file in ``book/published``, without its ending.

    Returns
    -------
    pandas.DataFrame
        Columns as ``book/published/README.md`` explains; ``value`` as a number.

    Raises
    ------
    UnknownNameError
        If there is no such table.
    """
    path = FOLDER / f"{name}.csv"
    if not path.exists():
        raise UnknownNameError("published table", name, [p.stem for p in FOLDER.glob("*.csv")])
    return pd.read_csv(path)


def printed_shapes() -> pd.DataFrame:
    """Return the shares of shapes that Table 4 prints without scaling, percent, by database."""
    rows = published_table("table4").query("scaling == 'none'")
    return rows.pivot(index="property", columns="database", values="value").astype(float)


def printed_shares() -> pd.Series:
    """Return each learner's share of ill-behaved curves of LCDB 1.1 FULL, by Tables 6 to 8.

    Returns
    -------
    pandas.Series
        Percent by learner, without feature scaling: the 27 that Table 4 averages over, which
        leaves out the dummy classifier.
    """
    rows = pd.concat([published_table(name) for name in PER_LEARNER])
    rows = rows[(rows["database"] == FULL) & (rows["scaling"] == "none")
                & (rows["property"] == "ill_behaved")]
    return rows.set_index("learner")["value"].astype(float).drop("DummyClassifier")


def like_for_like() -> pd.DataFrame:
    """Return the paper's overall rates again, over the same learners for every scaling.

    Table 4 counts 27 learners without scaling and 23 with it, and a curve that could not be
    fitted as one that is not ill-behaved. Table 8 gives the rates of the 23 one by one.

    Returns
    -------
    pandas.DataFrame
        Columns ``database``, ``scaling``, ``printed`` (Table 4), ``same_learners`` (mean over
        the 23 of Table 8), ``always_there`` (over those of the 23 that are missing everywhere
        under no scaling); in percent.
    """
    each = published_table("table8")
    each = each[~each["learner"].isin(NOT_COUNTED)]
    missing = each[each["property"] == "missing"].groupby("learner")["value"].max()
    each = each[each["property"] == "ill_behaved"].assign(
        there=lambda t: t["learner"].map(missing) < 100)
    keys = ["database", "scaling"]
    same, always = (rows.groupby(keys, sort=False)["value"] for rows in (each, each[each["there"]]))
    printed = published_table("table4").query("property == 'ill_behaved'").set_index(keys)["value"]
    return pd.DataFrame({"printed": printed, "same_learners": same.mean(),
                         "always_there": always.mean()}).dropna().reset_index()
