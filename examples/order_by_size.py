"""Ask whether another learner would win with more rows, of curves or of a table with sizes."""

import analysis
from analysis.leaderboards import draw_by_size, order_by_size

curves = analysis.load_curves("lcdb11-anew", selection="paper")  # or your table: task, method,
found = order_by_size(curves, sizes=[64, 256, 1024], n_resamples=500)  # size, value

ends = found.agreement.iloc[1]  # of the smallest and the largest size
print(f"The boards at 64 and 1,024 rows agree by tau = {ends['tau']:.2f}; "
      f"were size of no account, by {ends['swapped']:.2f} (p = {ends['p']:.3f}).")
print(f"{len(found.crossings)} of {len(found.shifts)} pairs cross beyond chance.")
print(found.staying.round(4).to_string(index=False))

figure = draw_by_size(found, title="Boosting climbs with the rows")
figure.savefig("order_by_size.png", dpi=150)
