# What this room offers: read by the lazy loader, by type checkers and by editors.

from .entry import all_forecasts as all_forecasts
from .entry import place as place
from .entry import read_entry as read_entry
from .entry import shipped_entries as shipped_entries
from .scoring import by_family as by_family
from .scoring import order_rivals as order_rivals
from .scoring import ratio as ratio
from .scoring import scopes as scopes
from .scoring import score as score
from .scoring import summarise as summarise
from .tasks import Trial as Trial
from .tasks import open_trial as open_trial
