"""Judge a curve of your own: whether its error rises, bulges or peaks beyond chance."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import ShuffleSplit, learning_curve

import analysis

X, y = make_classification(600, n_features=40, n_informative=10, random_state=0)
sizes, train, test = learning_curve(
    LinearDiscriminantAnalysis(), X, y, train_sizes=np.arange(16, 120, 8),
    cv=ShuffleSplit(25, test_size=0.5, random_state=0))
curves = analysis.from_sklearn(sizes, train, test, learner="LDA", dataset="made up")

curve = analysis.get_curve(curves, "made up", "LDA").sel(split="valid")
found = analysis.detect_shapes(curve, procedure="corrected")
for shape in ("non_monotone", "non_convex", "peaking", "dipping"):
    print(f"{shape.replace('_', '-')}: {'yes' if found[shape] else 'no'}")
print(f"The largest rise is {100 * float(found['violation_mono']):.1f} points, from "
      f"{int(found['mono_i'])} to {int(found['mono_j'])} rows; the data have 40 features.")

figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
analysis.plot_curve(curve, ax)
ax.set_title("A linear discriminant on 40 features")
figure.savefig("judge_my_curve.png", dpi=150)
