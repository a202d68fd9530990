"""How the learned extrapolators are trained; `__main__` runs it."""
