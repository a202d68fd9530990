"""The ensembles whose learning curves are computed, by name: how members are chosen, and on what.

Each is a learner of the container beside its members, at every anchor and in every repeat.
"""

from collections.abc import Sequence
from dataclasses import dataclass

PORTFOLIO_SIZE = 3
EVERY = 4  # anchors: those that see few validation rows are computed at half octaves only


@dataclass(frozen=True)
class EnsembleCurve:
    """A way to make one predictor of the members, from their predictions on validation rows.

    Attributes
    ----------
    name : str
        What the container calls it, among its learners.
    ensembler : str
        A name in `analysis.ensembles.ENSEMBLERS`.
    metric : str
        The error it makes low on the validation rows.
    of : int, optional
        Only the first so many members of a portfolio learned on the other datasets take part.
    rows : int or str, optional
        Validation rows it may see: a number, or a name in `ROWS`; by default all of the protocol.
    """

    name: str
    ensembler: str
    metric: str = "error_rate"
    of: int | None = None
    rows: int | str | None = None

    def anchors(self, anchors: Sequence[int]) -> Sequence[int]:
        """Return those of a dataset's anchors that its curve has."""
        return anchors if self.rows is None else anchors[::EVERY]


#: Numbers of validation rows that depend on the training rows n.
ROWS = {"matched": lambda n: n, "ninth": lambda n: max(1, n // 9)}

CARUANA = EnsembleCurve("Caruana", "greedy")
SINGLE_BEST = EnsembleCurve("Single best", "single_best")
EQUAL_WEIGHTS = EnsembleCurve("Equal weights", "equal_weights")
PORTFOLIO_BEST = EnsembleCurve("Portfolio, best", "single_best", of=PORTFOLIO_SIZE)

FULL = (
    EnsembleCurve("Caruana, as published", "greedy_published"),
    CARUANA,
    EnsembleCurve("Caruana, log-loss", "greedy", "log_loss"),
    EQUAL_WEIGHTS,
    SINGLE_BEST,
    EnsembleCurve("Stacking", "stacking"),
    PORTFOLIO_BEST,
    EnsembleCurve("Portfolio, Caruana", "greedy", of=PORTFOLIO_SIZE),
)
CHOSEN_ON = (10, 20, 50, *ROWS)  # validation rows
FEW = tuple(
    EnsembleCurve(f"{way.name} on {rows}", way.ensembler, way.metric, rows=rows)
    for way in (CARUANA, FULL[2], SINGLE_BEST) for rows in CHOSEN_ON
)
ENSEMBLE_CURVES = {way.name: way for way in (*FULL, *FEW)}
