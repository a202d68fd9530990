"""The rivals of the trial of forecasts; `__main__` computes their forecasts."""
