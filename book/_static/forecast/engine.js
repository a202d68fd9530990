// The forecaster of analysis/extrapolation/compact.py, the same arithmetic. Nothing leaves the browser.
"use strict";
window.forecastEngine = (() => {
  const LAGS = [0.5, 1, 1.5, 2, 3, 4, 5];
  const FAR = 3;
  const POWERS = [0.25, 0.5, 1];
  const MEMORIES = [Infinity, 2];
  const LEAST = 0.003;
  const LARGEST = 4;
  const SLACK = 1e-9;
  const Z = [-1.6448536269514729, -1.2815515655446004, -0.6744897501960817, 0,
    0.6744897501960817, 1.2815515655446004, 1.6448536269514729];
  const FEWEST = 4; // sizes: with fewer, the ranges were not tested
  const FARTHEST = 64; // times the rows: beyond, nothing was tested
  const STEPS = 8; // sizes looked at per doubling
  const clip = (v, low, high) => Math.min(Math.max(v, low), high);
  const sum = (values) => values.reduce((a, b) => a + b, 0);

  // --- reading ------------------------------------------------------------------------------
  // Return the curves of some text: [{learner, points: [{size, error, repeats}], noise, tested}].
  function read(text) {
    const lines = text.replace(/^\ufeff/, "").split(/\r?\n/).map((line, k) => [line.trim(), k + 1])
      .filter(([line]) => line && !line.startsWith("#"));
    if (!lines.length) throw Error("Give a line for each size: the rows trained on and the error, such as 100, 0.34");
    const mark = lines.some(([line]) => /[\t;]/.test(line)) ? (lines.some(([line]) => line.includes("\t")) ? "\t" : ";")
      : lines.some(([line]) => line.includes(",")) ? "," : " ";
    const cell = { "\t": /"[^"]*"|[^\t]+/g, ";": /"[^"]*"|[^;]+/g, ",": /"[^"]*"|[^,]+/g, " ": /"[^"]*"|\S+/g }[mark];
    const split = (line) => (line.match(cell) ?? []).map((text) => text.trim().replace(/^"|"$/g, "")).filter((text) => text);
    const digits = (text) => (mark === "," ? text : (text ?? "").replace(",", "."));
    let names = ["size", "error"];
    if (/[a-z]/i.test(lines[0][0].replace(/\d[eE][+-]?\d/g, ""))) {
      names = split(lines.shift()[0]).map((name) => name.toLowerCase());
      for (const name of ["size", "error"]) {
        if (!names.includes(name)) throw Error(`The first line has no column ${name}; it has ${names.join(", ")}.`);
      }
    }
    const rows = lines.map(([line, number]) => {
      const cells = split(line);
      const row = Object.fromEntries(names.map((name, k) => [name, cells[k]]));
      const percent = /%$/.test(row.error ?? "");
      const size = Number(digits(row.size));
      const error = Number(digits(row.error ?? "").replace("%", "")) / (percent ? 100 : 1);
      if (!(size > 0 && size <= 1e12)) throw Error(`Line ${number}: ${row.size} is no number of rows.`);
      if (row.error === undefined) throw Error(`Line ${number} has no error beside the size ${row.size}.`);
      if (Number.isNaN(error)) throw Error(`Line ${number}: ${row.error} is not a number.`);
      if (error < 0 || error > 1) {
        throw Error(`Line ${number}: the error ${row.error} is not between 0 and 1. Errors are shares: write 12 % as 0.12 or 12%.`);
      }
      return { size, error, learner: row.learner ?? "your model", tested: Number(row.tested) || null };
    });
    return [...new Set(rows.map((row) => row.learner))].map((learner) => curveOf(learner,
      rows.filter((row) => row.learner === learner)));
  }

  function curveOf(learner, rows) {
    const sizes = [...new Set(rows.map((row) => row.size))].sort((a, b) => a - b);
    if (sizes.length < FEWEST) {
      throw Error(`There ${sizes.length === 1 ? "is 1 size" : `are ${sizes.length} different sizes`}`
        + `${learner === "your model" ? "" : ` of ${learner}`}, and a forecast needs ${FEWEST}. Train on parts of the data too: half, a quarter, an eighth.`);
    }
    const points = sizes.map((size) => {
      const errors = rows.filter((row) => row.size === size).map((row) => row.error);
      return { size, errors, error: sum(errors) / errors.length };
    });
    const last = points[points.length - 1];
    const n = last.errors.length;
    const noise = n < 2 ? 0
      : Math.sqrt(sum(last.errors.map((v) => (v - last.error) ** 2)) / (n - 1) / n);
    const tested = rows.filter((row) => row.size === last.size && row.tested).map((row) => row.tested);
    return { learner, points, noise, tested: tested.length ? tested[tested.length - 1] : null };
  }

  // --- forecasting ---------------------------------------------------------------------------
  const toLog = (error) => Math.log(error + 0.1);

  function interpolate(x, y, at) {
    if (at < x[0] - SLACK || at > x[x.length - 1] + SLACK) return null;
    let low = 0;
    while (low + 1 < x.length && x[low + 1] <= at + SLACK) low += 1;
    let high = x.length - 1;
    while (high > 0 && x[high - 1] >= at - SLACK) high -= 1;
    const gap = x[high] - x[low];
    return y[low] + (gap > 0 ? (at - x[low]) / gap : 0) * (y[high] - y[low]);
  }

  // Return what the networks see of a curve, for a size ahead of it.
  function look({ points, noise }, target) {
    const x = points.map((p) => Math.log2(p.size));
    const y = points.map((p) => p.error);
    const now = x[x.length - 1];
    const level = y[y.length - 1];
    const per = level + 0.02;
    const ahead = Math.log2(target) - now;
    const lowest = Math.min(...y);
    const highest = Math.max(...y);
    const ends = [Math.log(per), now, now - x[0], x.length, Math.log(noise / per + LEAST),
      (lowest - level) / per, (highest - level) / per,
      now - x[y.indexOf(highest)], now - x[y.indexOf(lowest)]];
    const lines = [];
    const residuals = [];
    for (const memory of MEMORIES) {
      const raw = x.map((v) => 2 ** (Math.min(v - now, 0) / memory));
      const total = sum(raw);
      const weight = raw.map((w) => w / total);
      for (const power of POWERS) {
        const z = x.map((v) => 2 ** (-power * (v - now)));
        const meanZ = sum(z.map((v, k) => weight[k] * v));
        const mean = sum(y.map((v, k) => weight[k] * v));
        const spread = sum(z.map((v, k) => weight[k] * (v - meanZ) ** 2)) + 1e-9;
        const slope = sum(z.map((v, k) => weight[k] * (v - meanZ) * (y[k] - mean))) / spread;
        const moved = (mean + slope * (2 ** (-power * ahead) - meanZ) - level) / per;
        lines.push(clip(Math.sign(moved) * Math.log1p(3 * Math.abs(moved)), -4, 4));
        if (power === POWERS[1]) {
          const off = sum(y.map((v, k) => weight[k] * (v - mean - slope * (z[k] - meanZ)) ** 2));
          residuals.push(Math.log(Math.sqrt(off) / per + LEAST));
        }
      }
    }
    const t = y.map(toLog);
    const falls = LAGS.map((lag) => interpolate(x, t, now - lag));
    return [...ends, ...residuals, ...falls.map((v) => (v === null ? 0 : v - toLog(level))),
      ...falls.slice(FAR).map((v) => (v === null ? 1 : 0)), ahead, ...lines];
  }

  function run(networks, inputs) {
    const outputs = networks.map(({ shift, scale, weights, biases }) => {
      let layer = inputs.map((v, k) => clip((v - shift[k]) / scale[k], -LARGEST, LARGEST));
      weights.forEach((weight, k) => {
        layer = biases[k].map((b, j) => layer.reduce((a, v, i) => a + v * weight[i][j], b));
        if (k < weights.length - 1) layer = layer.map((v) => v / (1 + Math.exp(-clip(v, -30, 30))));
      });
      return layer;
    });
    return outputs[0].map((_, k) => sum(outputs.map((one) => one[k])) / outputs.length);
  }

  function withSampling(quantiles, level, tested) {
    const expected = (level * tested + 0.5) / (tested + 1);
    const sampling = Math.sqrt((1 - expected) / (4 * (tested + 1)));
    const middle = Math.sqrt(quantiles[3]);
    return quantiles.map((q, k) => clip(middle + Math.sign(Z[k]) * Math.hypot(Math.sqrt(q) - middle, Z[k] * sampling)
      + Math.sqrt(expected) - Math.sqrt(level), 0, 1) ** 2);
  }

  // Return quantiles of the error at a larger size: at 5, 10, 25, 50, 75, 90 and 95 %.
  function forecast(curve, target, tested = null) {
    const level = curve.points[curve.points.length - 1].error;
    const moved = run(window.compactForecaster.networks, look(curve, target)).sort((a, b) => a - b);
    const found = moved.map((v) => clip(level + v * (level + 0.02), 0, 1));
    return tested ? withSampling(found, level, tested) : found;
  }

  // Return the sizes at which the 5 %, 50 % and 95 % quantile are first as low as wanted; null where not.
  function needed(curve, wanted, tested = null) {
    const last = curve.points[curve.points.length - 1];
    if (last.error <= wanted) return { early: last.size, expected: last.size, late: last.size };
    const found = { early: null, expected: null, late: null };
    for (let k = 1; k <= Math.log2(FARTHEST) * STEPS; k += 1) {
      const size = last.size * 2 ** (k / STEPS);
      const at = forecast(curve, size, tested);
      for (const [name, column] of [["early", 0], ["expected", 3], ["late", 6]]) {
        if (found[name] === null && at[column] <= wanted) found[name] = size;
      }
    }
    return found;
  }

  return { read, look, forecast, needed, FARTHEST };
})();
