# What this room offers: read by the lazy loader, by type checkers and by editors.

from .compact import predict_compact as predict_compact
from .predict import LEVELS as LEVELS
from .predict import RECOMMENDED as RECOMMENDED
from .predict import predict as predict
from .predict import predict_seen as predict_seen
from .registry import EXTRAPOLATORS as EXTRAPOLATORS
from .seen import Seen as Seen
from .seen import see_curves as see_curves
