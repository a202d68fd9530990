"""The ensembles whose learning curves are computed, by name: how members are chosen, and on what.

Each is a learner of the container beside its members, at every anchor and in every repeat.
"""

from dataclasses import dataclass

PORTFOLIO_SIZE = 3


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
    """

    name: str
    ensembler: str
    metric: str = "error_rate"
    of: int | None = None


ENSEMBLE_CURVES = {way.name: way for way in (
    EnsembleCurve("Caruana, as published", "greedy_published"),
    EnsembleCurve("Caruana", "greedy"),
    EnsembleCurve("Caruana, log-loss", "greedy", "log_loss"),
    EnsembleCurve("Equal weights", "equal_weights"),
    EnsembleCurve("Single best", "single_best"),
    EnsembleCurve("Stacking", "stacking"),
    EnsembleCurve("Portfolio, best", "single_best", of=PORTFOLIO_SIZE),
    EnsembleCurve("Portfolio, Caruana", "greedy", of=PORTFOLIO_SIZE),
)}
