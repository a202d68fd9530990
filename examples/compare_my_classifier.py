"""Compare a classifier of yours with tuned logistic regression, by PMLBmini's protocol."""

import matplotlib.pyplot as plt
from sklearn.svm import SVC

import analysis

compared = analysis.comparison.compare(
    SVC(probability=True), tasks="sklearn:breast_cancer keel:haberman keel:bupa",
    out="my_comparison", workers=1)
tests = compared.fits.query("split == 'test'")
scores = tests.pivot_table("auc", "dataset", "method")  # datasets × methods
print(scores.round(3).to_string())
print(*compared.said, f"The whole page: {compared.page}", sep="\n")

figure, ax = plt.subplots(figsize=(6, 3.0), layout="constrained")
for method, marker in zip(scores, "os", strict=False):
    ax.plot(scores[method], scores.index, marker, label=method.split(".")[-1], alpha=0.8)
ax.set(xlabel="AUC, mean of three folds", title="A support vector machine against a line")
ax.legend(fontsize="small")
figure.savefig("compare_my_classifier.png", dpi=150)
