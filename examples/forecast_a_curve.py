"""Forecast a stored curve from its beginning, and see what came."""

import matplotlib.pyplot as plt

import analysis
from analysis.drawing.curve import draw_forecast

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
mean = whole.mean(["outer", "inner"])
draw_forecast(mean.where(mean["anchor"] <= 128), forecast, ax, mean)
ax.set_title("Nearest neighbours on vehicle, forecast from 128 rows")
figure.savefig("forecast_a_curve.png", dpi=150)
