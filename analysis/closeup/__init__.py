"""Shapes up close: where peaks are, and what causes them (Appendix E)."""
