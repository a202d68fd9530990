"""What identifies one learning curve, when it is asked for, gathered and stored."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CurveKey:
    """One learner on one dataset, under one setting, in one repeat.

    Attributes
    ----------
    dataset : str
        Spec, such as ``keel:vehicle``, where curves are gathered; name, such as ``vehicle``, where
        they are stored.
    learner : str
        Name or spec; see `collection.learners.find_learner`.
    scaling : {"none", "minmax", "standard"}
    leakage : {"no", "yes"}
    outer, inner : int
        Seeds of the splits.
    """

    dataset: str
    learner: str
    scaling: str
    leakage: str
    outer: int
    inner: int

    @property
    def pair(self) -> tuple[str, str]:
        """What curves that cost about the same have in common."""
        return self.dataset, self.learner
