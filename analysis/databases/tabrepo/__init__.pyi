# What this room offers: read by the lazy loader, by type checkers and by editors.

from .container import TabRepo as TabRepo
from .container import TabRepoError as TabRepoError
from .container import as_evaluations as as_evaluations
from .container import as_labels as as_labels
from .container import as_predictions as as_predictions
from .container import check_tables as check_tables
from .container import default_folder as default_folder
from .container import find_context as find_context
from .container import find_tabrepo as find_tabrepo
from .container import official_contexts as official_contexts
from .layout import is_tabrepo as is_tabrepo
