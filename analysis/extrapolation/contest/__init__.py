"""The contest of extrapolators: cut curves of datasets that took no part, against what came."""

from analysis.extrapolation.contest.cuts import Challenge, cut_at_share
from analysis.extrapolation.contest.judge import judge, summarise_contest

__all__ = ["Challenge", "cut_at_share", "judge", "summarise_contest"]
