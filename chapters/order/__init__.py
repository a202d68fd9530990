"""What an order is worth: the atlas of studies, and the simulation behind the intervals."""

from chapters.chapter import Chapter
from chapters.order import figures, study

chapter = Chapter("order", study.compute, study.tables, study.facts, charts={
    "fields": figures.draw_fields, "coverage": figures.draw_coverage, "power": figures.draw_power,
}, shown={"studies": study.shown_studies, "fields": study.shown_fields,
          "replications": study.shown_replications})
