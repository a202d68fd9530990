"""Forecast a stored curve from its beginning, and see what came."""

import matplotlib.pyplot as plt

import analysis

curves = analysis.load_curves("mini")
whole = analysis.get_curve(curves, "vehicle", "KNN").sel(split="valid")
seen = whole.sel(anchor=slice(0, 128))
last = int(whole["anchor"].max())
sizes = [size for size in (160, 200, 256, 320, 400, 512, 640) if size < last] + [last]
forecast = analysis.extrapolation.predict(seen, sizes)  # the levels of 50, 80 and 90 % intervals

end = forecast.sel(size=last)
came = float(whole.mean(["outer", "inner"]).sel(anchor=last))
print(f"At {last} rows: {float(end.sel(quantile=.5)):.1%} forecast, 90 % interval "
      f"{float(end.sel(quantile=.05)):.1%} to {float(end.sel(quantile=.95)):.1%}; "
      f"{came:.1%} came.")

figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
for low, high, alpha in ((0.05, 0.95, 0.2), (0.25, 0.75, 0.35)):
    ax.fill_between(forecast["size"], forecast.sel(quantile=low), forecast.sel(quantile=high),
                    color="C0", alpha=alpha, linewidth=0)
ax.plot(forecast["size"], forecast.sel(quantile=0.5), color="C0")
mean = whole.mean(["outer", "inner"])
known, later = mean.sel(anchor=slice(0, 128)), mean.sel(anchor=slice(129, None))
ax.plot(later["anchor"], later, "o", color="black", markerfacecolor="none", markersize=4)
ax.plot(known["anchor"], known, "o-", color="black", markersize=4)
ax.set(xscale="log", xlabel="training-set size [rows]", ylabel="error rate", ylim=(0, None))
ax.set_xticks([20, 50, 100, 200, 500], ["20", "50", "100", "200", "500"])
ax.minorticks_off()
ax.set_title("Nearest neighbours on vehicle, forecast from 128 rows")
figure.savefig("forecast_a_curve.png", dpi=150)
