"""Run by Python when it starts, where this folder is on its path: plants a bug in a kernel."""

from benchmarks.faults.plants import plant

plant()
