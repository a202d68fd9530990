"""Who will be ahead with more rows, foretold from curves so far: the plan, and how it is judged.

**Plan**, set down before anything below was computed on curves gathered anew.

*Question.* Learners of one dataset were measured up to n rows (32, 64, …, 1,024) on validation
rows; which of two errs less on test rows at 2, 4 and 16 times n (means of all repeats), who will be
lowest, and what does it cost to stay with who is lowest now?

*Forecaster* (`analysis.selection.forecast_order`). On the scale of the root, a learner is where it
is now, plus a share of the change that the extrapolator *boosted* expects. Its doubt is what
repeats on the same splits say, drawn jointly (what learners share cancels from differences), and
the extrapolator's own spread, whose correlation between learners is measured on other datasets.
Four numbers for each of 2, 4 and 16 times are fitted on LCDB 1.0 alone, with the forecasts of the
fold that a dataset was left out of; nothing else is chosen.

*Rivals*: a constant, the chance that nothing changes; nothing changes, a logistic curve of the gap
now over its noise; the board of other datasets at the target size; these two mixed by one weight;
POW4 and MMF4, each learner alone; rows, features and classes, a ridge regression for each learner;
the report's posterior as it is; the forecaster mixed with the board. What a rival has to fit is
fitted on LCDB 1.0. Boards and regressions learn from all other families of the same database.

*Judged* on families of ``lcdb11-anew`` that took no part: in no fold of LCDB 1.0, not among the
sixteen small tables by which ranges were widened (``mini``), no table for tuning of
``data/row_tables.csv``. Each family counts alike at each multiple, families are resampled. Scores:
Brier and log score of pairs, whether a chance came in each tenth, regret of who is picked.

*Seen before*: on LCDB 1.0 in five folds the forecaster's Brier score is .064, .091, .125 at 2, 4,
16 times; nothing changes .068, .104, .152; board .19, .19, .18; their mix .066, .098, .131.

*Predictions.* (1) The forecaster's Brier score is below that of nothing changes at 4 and 16 times,
its interval without 0 at 4; at 2 times they cannot be told apart. (2) It is below the board's at 2
and 4 times. (3) The mix is as good at 16 times. (4) POW4 and MMF4 are worse than nothing changes.
(5) At 2 and 4 times each tenth came within 5 points of what was said; at 16 times not every one.
(6) Picking by forecast costs 0 to 0.3 points less at 16 times than staying; the interval holds 0.
"""
