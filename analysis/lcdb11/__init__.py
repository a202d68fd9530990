"""The official LCDB 1.1: fetch its files, open them, and open the means its site serves."""

from analysis.lcdb11.open import open_lcdb11

__all__ = ["open_lcdb11"]
