"""The verdicts on a curve: their names, and words for a page."""

#: The verdicts on a curve, with words for a page; the order in which tables list them.
SHAPE_LABELS = {
    "missing": "missing",
    "flat": "flat",
    "non_monotone": "non-monotone",
    "non_convex": "non-convex",
    "ill_behaved": "ill-behaved",
    "peaking": "peaking",
    "dipping": "dipping",
}
VERDICTS = tuple(SHAPE_LABELS)
