"""How much more data does one need: the report and the page, held against what came."""

from chapters.chapter import Chapter
from chapters.how_much_more.sample_sizes import size_words
from chapters.how_much_more.study import (
    compute,
    draw_coverage,
    facts,
    headline_words,
    panel_words,
    range_words,
    stratum_words,
    tables,
)

chapter = Chapter("how_much_more", compute, tables, facts, charts={"coverage": draw_coverage},
                  shown={"panel": panel_words, "row_ranges": range_words,
                         "row_strata": stratum_words, "headlines": headline_words,
                         "sample_sizes": lambda found: size_words(found.sizes)})
