# What `import collection` offers: read by the lazy loader, by type checkers and by editors.

from .by_hand import collect as collect
from .by_hand import evaluate as evaluate

__version__: str
