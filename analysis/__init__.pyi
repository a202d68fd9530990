# What `import analysis` offers: read by the lazy loader, by type checkers and by editors.

# The rooms, in which the rest lies: `analysis.ensembles.select_ensemble`.
from . import comparison as comparison
from . import databases as databases
from . import drawing as drawing
from . import ensemble_curves as ensemble_curves
from . import ensembles as ensembles
from . import extrapolation as extrapolation
from . import fitting as fitting
from . import leaderboards as leaderboards
from . import ledger as ledger
from . import portfolios as portfolios
from . import published as published
from . import report as report
from . import selection as selection
from . import shapes as shapes
from . import statistics as statistics
from . import trial as trial

# The functions that most notebooks use.
from .databases.evaluations import load_evaluations as load_evaluations
from .databases.evaluations import load_labels as load_labels
from .databases.evaluations import load_predictions as load_predictions
from .databases.load import find_dataset as find_dataset
from .databases.load import find_learner as find_learner
from .databases.load import get_curve as get_curve
from .databases.load import load_curves as load_curves
from .databases.own_curves import LearningCurveSplit as LearningCurveSplit
from .databases.own_curves import from_sklearn as from_sklearn
from .databases.own_curves import from_table as from_table
from .drawing.curve import plot_curve as plot_curve
from .fitting import fit_curves as fit_curves
from .leaderboards.tables import load_results as load_results
from .leaderboards.tables import load_table as load_table
from .notebook import Page as Page
from .shapes import detect_shapes as detect_shapes
from .statistics.summary import standard_error as standard_error
