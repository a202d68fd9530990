"""The report held against what came, for the page on how much more data one needs.

`parts` measures parts of tables (sixty minutes of one core, in the cache), `row_judge` holds
the answers of the report and of the page's forecaster against what came (minutes) and `planned`
what look-alikes promise before any data (a minute). ``make recompute`` keeps what they find.
"""
