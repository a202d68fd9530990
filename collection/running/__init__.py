"""Fit curves and evaluate on tasks: many fits, each in a process that can be stopped."""
