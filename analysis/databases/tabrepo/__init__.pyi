# What this room offers: read by the lazy loader, by type checkers and by editors.

from .container import TabRepo as TabRepo
from .container import as_evaluations as as_evaluations
from .container import as_labels as as_labels
from .container import as_predictions as as_predictions
from .container import find_tabrepo as find_tabrepo
from .contexts import check_tables as check_tables
from .contexts import default_folder as default_folder
from .contexts import find_context as find_context
from .contexts import official_contexts as official_contexts
from .layout import TabRepoError as TabRepoError
from .layout import is_tabrepo as is_tabrepo
