"""Run many fits: each in a process that can be stopped, on one machine or on a cluster."""
