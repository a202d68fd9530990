"""Ask what a leaderboard's order is worth: which places differ significantly."""

import analysis
from analysis.leaderboards.order_page import draw_order

results = analysis.load_results("talent")  # or your CSV: task, method, value
accuracy = results[results["metric"] == "accuracy"]
found = analysis.leaderboards.order(accuracy, n_resamples=500)

ranks = found.ranks
print(ranks[["method", "rank", "low", "high", "may_be_first"]].head(8).to_string(index=False))
print(f"{int(ranks['may_be_first'].sum())} of {len(ranks)} methods may be first.")

figure = draw_order(ranks, shown=12)
figure.axes[0].set_title("TALENT: ranks with 95 % intervals that hold all at once")
figure.savefig("order_a_leaderboard.png", dpi=150)
