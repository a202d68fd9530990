# What this room offers: read by the lazy loader, by type checkers and by editors.

from .batch import FitStatus as FitStatus
from .by_shape import BEST as BEST
from .by_shape import ILL as ILL
from .by_shape import SHAPE_CLASSES as SHAPE_CLASSES
from .by_shape import WELL as WELL
from .by_shape import best_of_each_kind as best_of_each_kind
from .by_shape import compare_kinds as compare_kinds
from .by_shape import fit_ratios as fit_ratios
from .by_shape import monotone_floor as monotone_floor
from .by_shape import predict_ends as predict_ends
from .by_shape import with_classes as with_classes
from .curves import fit_curves as fit_curves
from .lmfit_models import fit_one as fit_one
from .lmfit_models import lmfit_model as lmfit_model
from .registry import MODELS as MODELS
