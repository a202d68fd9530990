# What this room offers: read by the lazy loader, by type checkers and by editors.

from .chart import draw as draw
from .charts import draw_bands as draw_bands
from .charts import draw_dots as draw_dots
from .charts import draw_heatmap as draw_heatmap
from .charts import figure as figure
from .curve import plot_curve as plot_curve
from .style import PALETTE as PALETTE
from .style import use_style as use_style
from .tables import interval_texts as interval_texts
from .tables import with_intervals as with_intervals
