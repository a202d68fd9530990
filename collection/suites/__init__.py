"""Suites of tasks: what one is, how its tasks are chosen, its file, its bundle, its specs."""
