"""Build ensembles from stored predictions, and see what is gained over one config."""

import matplotlib.pyplot as plt
import numpy as np

import analysis

runs = analysis.load_evaluations("evaluations")  # 46 configs, with their predictions
gains = {}
for task in runs["task"].values[:6]:
    metric = str(runs["metric"].sel(task=task).item())
    said, true = {}, {}
    for split in ("valid", "test"):
        said[split] = analysis.load_predictions("evaluations", task, fold=0, split=split)
        true[split] = analysis.load_labels("evaluations", task, fold=0, split=split).values
    picked = analysis.ensembles.select_ensemble(said["valid"].values, true["valid"], metric, 20)
    errors = [analysis.ensembles.measure_errors(values.values, true[split], metric)
              for split, values in said.items()]
    best = np.argmin(errors[0])  # chosen on the validation rows, as the ensemble is
    mixed = analysis.ensembles.combine(said["test"].values, picked.weights)[None]
    ensemble = analysis.ensembles.measure_errors(mixed, true["test"], metric)[0]
    gains[task] = 100 * (1 - ensemble / errors[1][best])
    error = "1 − AUC" if metric == "auc" else metric
    print(f"{task}: {error} {errors[1][best]:.3f} alone, {ensemble:.3f} together")

figure, ax = plt.subplots(figsize=(6, 3.0), layout="constrained")
ax.barh(list(gains), list(gains.values()))
ax.axvline(0, color="black", lw=0.8)
ax.set(xlabel="test error less than the best single config's [%], one fold")
ax.set_title("An ensemble of stored predictions")
figure.savefig("ensemble_without_training.png", dpi=150)
