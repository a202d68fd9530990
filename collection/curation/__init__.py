"""Choosing the tasks of a suite: candidates, criteria, duplicates, the protocol, publishing."""
