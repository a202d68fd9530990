"""Suites of tasks: how one was chosen, what is in it twice, and what a ranking on it is worth."""
