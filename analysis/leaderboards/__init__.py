"""Methods compared over tasks: leaderboards, win matrices, Elo, Pareto fronts."""

from analysis.leaderboards.board import MISSING, leaderboard, leaderboard_intervals
from analysis.leaderboards.elo import rate_wins
from analysis.leaderboards.measures import MEASURES
from analysis.leaderboards.pareto import pareto_front
from analysis.leaderboards.placing import normalize_among, place_among
from analysis.leaderboards.significance import critical_differences
from analysis.leaderboards.wins import win_matrix

__all__ = ["MEASURES", "MISSING", "critical_differences", "leaderboard", "leaderboard_intervals",
           "normalize_among", "pareto_front", "place_among", "rate_wins", "win_matrix"]
