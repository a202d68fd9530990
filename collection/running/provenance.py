"""What a run ran with: versions, platform, and those versions that move a curve."""

import hashlib
import platform
import socket
from importlib.metadata import version

from collection.project.requirements import installed

MOVES_CURVES = ("numpy", "scipy", "pandas", "scikit-learn")
DEEP = ("catboost", "lightgbm", "xgboost", "torch", "pytorch-tabnet", "pytabkit", "tabpfn")


def curve_versions() -> dict[str, str]:
    """Return the versions of the libraries that all curves depend on (finding: they move them)."""
    return {name: version(name) for name in MOVES_CURVES}


def machine() -> str:
    """Return what tells this machine from others without its name, which does not travel."""
    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]


def provenance() -> dict[str, object]:
    """Return what is recorded of a run: `machine`, platform, Python, versions of the libraries."""
    return {
        "host": machine(),
        "platform": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "python": platform.python_version(),
        "libraries": {name: found for name in (*MOVES_CURVES, *DEEP) if (found := installed(name))},
    }
