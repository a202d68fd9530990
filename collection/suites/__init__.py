"""Suites of tasks: their file, the filters and criteria they are chosen by, duplicates, bundles."""
