"""The first page: a curve that is real, and what was found, by the facts of the chapters."""

import pandas as pd
from matplotlib.figure import Figure

from analysis.databases.load import get_curve, load_curves
from analysis.drawing.curve import draw_curves
from chapters.chapter import Chapter, Study
from chapters.cited import findings_facts, joined, paper_numbers


def compute() -> Study:
    """Take the linear discriminant's curve on *dilbert*, and read the chapters' facts."""
    curve = get_curve(load_curves("lcdb10", selection="paper"), "dilbert", "LDA")
    return Study({}, curve=curve.sel(split="valid"), facts=findings_facts())


def draw_first(study: Study) -> Figure:
    """Draw the curve."""
    return draw_curves({"linear discriminant": study.curve})


def facts(study: Study) -> pd.DataFrame:
    """Return what other chapters found, and the paper's numbers."""
    return joined(study.facts, paper_numbers())


chapter = Chapter("intro", compute, facts, charts={"first": draw_first})
