"""What a run ran with: versions, platform, and those versions that move a curve."""

import platform
import socket
from importlib.metadata import version

from collection.requirements import installed

MOVES_CURVES = ("numpy", "scipy", "pandas", "scikit-learn")
DEEP = ("catboost", "lightgbm", "xgboost", "torch", "pytorch-tabnet", "pytabkit", "tabpfn")


def curve_versions() -> dict[str, str]:
    """Return the versions of the libraries that all curves depend on (finding: they move them)."""
    return {name: version(name) for name in MOVES_CURVES}


def provenance() -> dict[str, object]:
    """Return what is recorded of a run: host, platform, Python, versions of the libraries."""
    return {
        "host": socket.gethostname(),
        "platform": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "python": platform.python_version(),
        "libraries": {name: found for name in (*MOVES_CURVES, *DEEP) if (found := installed(name))},
    }
