"""Evaluations: one learner on one fold of a task, with predictions and inner bagging on request.

The second kind of work beside learning curves; both are jobs of the same engine
(`collection.running`).
"""
