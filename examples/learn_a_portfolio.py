"""Learn a portfolio: which few configs to try on a new dataset, from errors on others."""

import matplotlib.pyplot as plt

import analysis
from analysis.drawing import draw_bands

matrix = analysis.portfolios.open_matrix("tabrepo-lightgbm")  # 104 configs on 93 datasets
worth = analysis.portfolios.compare_sizes(matrix)  # each dataset's portfolio is learnt on others
worth = worth[worth["size"] <= 30].rename(columns={
    "normalized_error": "value", "normalized_error_low": "low", "normalized_error_high": "high"})
worth["method"] = worth["method"].replace({"published": "portfolio"})
for size in (1, 5, 20):
    row = worth[(worth["method"] == "portfolio") & (worth["size"] == size)].iloc[0]
    print(f"{size:2d} configs: normalised error {row['value']:.3f} [{row['low']:.3f}, "
          f"{row['high']:.3f}]")

figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
draw_bands(ax, worth, "size", by="method", log=False)
ax.set(xlabel="configs tried", ylabel="normalised error (0: the best config)", ylim=(0, None))
ax.set_title("Configs of LightGBM on a new dataset, the best in hindsight")
ax.legend()
figure.savefig("learn_a_portfolio.png", dpi=150)
