"""Ask how much more data a table of your own needs; answered within a budget of seconds."""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from analysis.drawing import draw_bands
from analysis.report import answer_table

frame = load_breast_cancer(as_frame=True).frame.rename(columns={"target": "label"})
answers = answer_table(frame, "label", budget="5s")

best = answers.now["learner"].iloc[0]
print(answers.now[["learner", "size", "error", "low", "high"]].to_string(index=False))
ahead = answers.later[answers.later["learner"] == best]
print(f"With more rows {best} is forecast to have:")
print(ahead[["size", "error", "low", "high"]].to_string(index=False))

figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
draw_bands(ax, ahead, "size", "error", by="learner")
ax.set(xlabel="training-set size [rows]", ylabel="error rate, 90 % range", ylim=(0, None))
ax.set_title("What more rows would bring: breast cancer")
ax.legend()
figure.savefig("how_much_more_data.png", dpi=150)
