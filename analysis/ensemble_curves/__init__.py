"""Learning curves of ensembles and portfolios, from predictions stored at every anchor."""
