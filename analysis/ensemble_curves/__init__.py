"""Learning curves of ensembles and portfolios, from predictions stored at every anchor."""

import analysis.rooms as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, submod_attrs={
    "compared": ["advantages", "common_means", "compare_with_members", "ensemble_names",
                 "judged_errors", "member_names"],
    "few_rows": ["load_few_rows"]})
