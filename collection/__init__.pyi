# What `import collection` offers: read by the lazy loader, by type checkers and by editors.

from .running.by_hand import collect as collect
from .running.by_hand import evaluate as evaluate

__version__: str
