"""Open LCDB 1.0 and plot two learners: their errors on one dataset, mean of 25 repeats."""

import matplotlib.pyplot as plt

import analysis

curves = analysis.load_curves("lcdb10")
figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
for name, words in (("LDA", "linear discriminant"), ("ens.RandomForest", "random forest")):
    learner = analysis.find_learner(curves, name)  # a wrong name is answered with the close ones
    curve = analysis.get_curve(curves, "vehicle", learner).sel(split="valid")
    analysis.plot_curve(curve, ax, label=words)
    mean = curve.mean(["outer", "inner"])
    print(f"{words}: {mean.values[0]:.1%} wrong with {mean.anchor.values[0]} rows, "
          f"{mean.values[-1]:.1%} with {mean.anchor.values[-1]}")
ax.set_title("LCDB 1.0, dataset vehicle")
figure.savefig("plot_a_learner.png", dpi=150)
