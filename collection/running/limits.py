"""What one fit may use."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What one fit may use.

    Attributes
    ----------
    time : float
        Wall time to fit, predict and score, in seconds.
    memory : float
        Resident memory of the process that fits, its libraries and data included, in bytes;
        looked at every 20 ms. Processes that a learner starts itself do not count.
    """

    time: float
    memory: float
