"""When two means count as equal."""

#: A smaller difference of two means, or range of values, is rounding: far above what floating point
#: does to an error rate, far below what one row makes.
TIE = 1e-12
