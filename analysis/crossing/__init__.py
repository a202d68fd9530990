"""Curves that cross: how often, when, and in which groups of learners (Appendix G)."""
