"""Databases of learning curves and repositories of evaluations, each opened as one container.

What is offered is imported when it is first used: opening curves loads nothing of repositories.
"""

import analysis.rooms as _lazy
from analysis.retired import renamed as _renamed

__getattr__, __dir__, __all__ = _lazy.attach(__name__, submod_attrs={
    "description": ["beside_the_papers", "dictionary", "outcomes_table", "shipped_datasets"],
    "lcdb10": ["meta_features_table"],
    "naming": ["CLASSIC", "NOT_COUNTED", "database_name", "dataset_title", "learner_title",
               "target_meaning"],
    "own_curves": ["dataset_sources", "measure_curves", "named_learners"],
    "chapter_curves": ["NOT_IN_ALL", "compared_errors", "contenders", "counted_curves",
                     "database_title", "describe_databases", "feature_counts", "log_errors",
                     "paper_curves", "measured_curves", "validation_errors", "with_anew"],
    "strays": ["drop_copies"],
    "twins": ["quality_twins"]})
__getattr__ = _renamed(__getattr__, __name__, {"main_curves": "paper_curves",
                                               "counted_once": "drop_copies"})
