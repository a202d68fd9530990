"""Lowest errors of LCDB 1.1's published means, by size: seconds; read by *performance*."""

from analysis.selection.lowest import sizes_of_summary

#: What is kept for those who lack the means.
KEPT = {"lcdb11_sizes": sizes_of_summary}
