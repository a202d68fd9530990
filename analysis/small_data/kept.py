"""What is kept of results that need PMLBmini's datasets or raw results."""

from analysis.small_data.facts import coded_gaps, dataset_facts, repeated_rows_effect, wider_grid
from analysis.small_data.margins import published_margins, published_tests

KEPT = {
    "small_data_facts": dataset_facts,
    "small_data_gaps": coded_gaps,
    "small_data_repeats": repeated_rows_effect,
    "small_data_grid": wider_grid,
    "small_data_margins": published_margins,
    "small_data_tests": published_tests,
}
