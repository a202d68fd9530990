# What this room offers: read by the lazy loader, by type checkers and by editors.

from .compared import advantages as advantages
from .compared import common_means as common_means
from .compared import ensemble_names as ensemble_names
from .compared import judged_errors as judged_errors
from .compared import member_names as member_names
from .compared import refitted_pick as refitted_pick
