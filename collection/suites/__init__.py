"""Suites of tasks: what one is, its file, its bundle, and what the spec of a task stands for."""
