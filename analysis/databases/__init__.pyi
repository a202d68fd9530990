# What this room offers: read by the lazy loader, by type checkers and by editors.

from .chapter_curves import NOT_IN_ALL as NOT_IN_ALL
from .chapter_curves import compared_errors as compared_errors
from .chapter_curves import contenders as contenders
from .chapter_curves import counted_curves as counted_curves
from .chapter_curves import database_title as database_title
from .chapter_curves import describe_databases as describe_databases
from .chapter_curves import drop_copies as drop_copies
from .chapter_curves import feature_counts as feature_counts
from .chapter_curves import log_errors as log_errors
from .chapter_curves import paper_curves as paper_curves
from .chapter_curves import repeats_of as repeats_of
from .chapter_curves import validation_errors as validation_errors
from .chapter_curves import with_anew as with_anew
from .description import beside_the_papers as beside_the_papers
from .description import outcomes_table as outcomes_table
from .description import shipped_datasets as shipped_datasets
from .lcdb10 import meta_features_table as meta_features_table
from .naming import CLASSIC as CLASSIC
from .naming import NOT_COUNTED as NOT_COUNTED
from .naming import database_name as database_name
from .naming import dataset_title as dataset_title
from .naming import learner_title as learner_title
from .naming import target_meaning as target_meaning
from .own_curves import dataset_sources as dataset_sources
from .twins import quality_twins as quality_twins
