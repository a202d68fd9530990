"""The official LCDB 1.1: fetch its files, open them, and open the means its site serves."""

from analysis.databases.lcdb11.open import open_lcdb11
from analysis.databases.lcdb11.summary import open_lcdb11_summary

__all__ = ["open_lcdb11", "open_lcdb11_summary"]
