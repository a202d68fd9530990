"""Are ill-behaved curves those of models that nobody would keep? A test, set down before it is run.

A look at the curves (the same rows for both questions, error on validation rows, repeats taken as
independent) had said: of the curves gathered anew that end above the constant classifier 27 % are
ill-behaved, of the others 5.7 %; on LCDB 1.0 32 and 9.1 %. One set of errors can make both: a
curve that ends high by chance looks useless and ill-behaved at once. So the two are told apart:

**Useful** is a curve whose mean error on *test* rows, over three of the five outer seeds, is below
the constant classifier's at the curve's last size. **Its shape** is judged on *validation* rows of
the two other outer seeds, by the corrected procedure with the larger standard error of either seed.
Counts are means over the ten ways to choose three seeds of five. On LCDB 1.0, which has no constant
classifier, its error is 1 less the share of the largest class. Unscaled features, the learners that
the paper's Table 4 counts; intervals resample families of datasets.

Predictions (``lcdb11-anew``; two outer seeds see less than five, so shares are below DA1's):

1. Ill-behaved: of curves that are not useful 10 to 25 %, of useful ones 1 to 5 %; the difference's
   interval is above 0. On LCDB 1.0: 12 to 30 and 3 to 8 %.
2. Not useful are 40 to 75 % of all ill-behaved curves; on LCDB 1.0 20 to 45 %.
3. The odds ratio within learners (Mantel and Haenszel) is 3 to 8, within datasets 3 to 12; on LCDB
   1.0 2 to 5 within learners.
4. By rank on those test rows: of the five best 1 to 4 %, of those beyond the tenth 8 to 16 %.
5. Standardised features mend shape mostly by mending uselessness: of curves useful without scaling
   the share of ill-behaved ones changes by less than 1.5 points, of the others it falls by at least
   4.
6. A race that drops at 64 rows whatever is not below the constant there (validation rows of the
   three seeds) drops 15 to 40 % of the learners, and the best of the rest at the end has at most
   .5 points more test error on the two other seeds than the best of all.

If useful curves are as often ill-behaved as others, or the difference is gone within learners, the
look was wrong, and is said to be. Families that are not yet gathered may confirm it later: these
are the same curves, divided anew.
"""
