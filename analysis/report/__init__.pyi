# What this room offers: read by the lazy loader, by type checkers and by editors.

from .answers import Costs as Costs
from .answers import Report as Report
from .posterior import forecast_curves as forecast_curves
from .report import answer_table as answer_table
