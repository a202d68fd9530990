"""Judge a curve of your own: whether its error rises, bulges or peaks beyond chance."""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import ShuffleSplit, learning_curve

import analysis

X, y = load_breast_cancer(return_X_y=True)
sizes, train, test = learning_curve(
    LinearDiscriminantAnalysis(), X, y,
    train_sizes=[12, 16, 20, 24, 28, 32, 40, 56, 80, 120],
    cv=ShuffleSplit(25, test_size=0.5, random_state=0))
curves = analysis.from_sklearn(sizes, train, test, scoring="accuracy", learner="LDA",
                               dataset="breast cancer")

curve = analysis.get_curve(curves, "breast cancer", "LDA").sel(split="valid")
found = analysis.detect_shapes(curve, procedure="corrected")
for shape in ("non_monotone", "non_convex", "peaking", "dipping"):
    print(f"{shape.replace('_', '-')}: {'yes' if found[shape] else 'no'}")
print(f"The largest rise is {100 * float(found['violation_mono']):.1f} points, from "
      f"{int(found['mono_i'])} to {int(found['mono_j'])} rows, on {X.shape[1]} features.")

figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
analysis.plot_curve(curve, ax)
ax.set_title(f"A linear discriminant on {X.shape[1]} features")
figure.savefig("judge_my_curve.png", dpi=150)
