"""Methods compared over tasks: leaderboards, orders with their worth, Elo, normalised places."""

from analysis.leaderboards.board import MISSING, leaderboard, leaderboard_intervals, rate_wins
from analysis.leaderboards.measures import MEASURES, normalize_among, place_among
from analysis.leaderboards.ordering import Order, order
from analysis.leaderboards.tables import load_results, shipped_studies

__all__ = ["MEASURES", "MISSING", "Order", "leaderboard", "leaderboard_intervals", "load_results",
           "normalize_among", "order", "place_among", "rate_wins", "shipped_studies"]
