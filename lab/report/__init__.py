"""The report held against what came, for the page on how much more data one needs.

`row_backtest` measures parts of tables (sixty minutes of one core, in the cache), `row_judge` holds
the report's answers against what came (minutes), `panel` the page's forecaster (seconds) and
`planned` what look-alikes promise before any data (a minute). ``make recompute`` keeps what they
find.
"""
