import sys

from collection.paths import ROOT

sys.path.insert(0, str(ROOT))  # for the loops in benchmarks/ that the fast code is held against
