"""Databases of learning curves and repositories of evaluations, each opened as one container.

Nothing is imported here: opening curves loads nothing of repositories.
"""
