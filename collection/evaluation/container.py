"""The container of evaluations: dims, metrics, statuses.

One `xarray.Dataset`, wherever the evaluations come from. Missing is NaN in a metric *and* a
status that says why; validation is NaN in a metric where nothing was bagged.
"""

from dataclasses import replace

from collection import container
from collection.container import SPLITS, Metric

DIMS = ("task", "learner", "repeat", "fold", "split")
FIT_DIMS = DIMS[:-1]

METRICS = {
    m.name: m
    for m in (
        *(replace(container.METRICS[name], dims=DIMS)
          for name in ("error_rate", "f1", "auc", "log_loss")),
        Metric("rmse", "root mean squared error", "as the target", DIMS),
        Metric("mae", "mean absolute error", "as the target", DIMS),
        Metric("r2", "explained share of the variance (R²)", "1", DIMS, lower_is_better=False),
        replace(container.METRICS["train_time"], dims=FIT_DIMS),
        replace(container.METRICS["predict_time"], dims=DIMS),
    )
}
# How good a learner is, as against what it costs.
MEASURES = tuple(name for name in METRICS if not name.endswith("_time"))


def metric_columns(name: str) -> list[str]:
    """Return the columns that hold metric `name` in tables: one per split, or one."""
    return [name] if METRICS[name].dims == FIT_DIMS else [f"{name}_{split}" for split in SPLITS]


COLUMNS = [column for name in METRICS for column in metric_columns(name)]
