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
  const [RISEN, RISEN_SHARE] = [0.02, 0.1]; // as in analysis/report/answers.py
  const STEPS = 8; // sizes looked at per doubling
  const clip = (v, low, high) => Math.min(Math.max(v, low), high);
  const sum = (values) => values.reduce((a, b) => a + b, 0);

  // --- reading: the rules and words of analysis/report/points.py -----------------------------
  const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
  const YOURS = "your model";
  const [MOST_ROWS, MOST_LINES, MOST_SIZES, MOST_LEARNERS, LEAST_SPAN] = [1e12, 5000, 200, 50, 2];

  // Return the curves of some text: [{learner, points: [{size, error, errors}], noise, tested}].
  function read(text) {
    const lines = text.replace(/^\ufeff/, "").split(/\r?\n/).map((line, k) => [line, k + 1])
      .filter(([line]) => line.trim() && !line.trim().startsWith("#"));
    if (!lines.length) throw Error("Give a line for each size: the rows trained on and the error, such as 100, 0.34");
    if (lines.length > MOST_LINES) throw Error(`There are ${lines.length} lines, more than ${MOST_LINES}. Give the mean of your repeats.`);
    let mark = ["\t", ";", ","].find((one) => lines.some(([line]) => line.includes(one))) ?? "";
    if (mark === "," && lines.every(([line]) => !line.includes(",") || /^\s*[^\s,]+\s+[^\s,]*,/.test(line))) mark = ""; // and decimal commas
    let names = ["size", "error"];
    if (/[a-z]/.test(lines[0][0].toLowerCase().replace(/(?<=\d)e[+-]?\d/g, ""))) {
      names = cellsOf(lines.shift()[0], mark).map((name) => name.toLowerCase());
      const lacking = !names.includes("size") ? "size" : names.includes("error") || names.includes("accuracy") ? "" : "error";
      if (lacking) throw Error(`The first line has no column ${lacking}; it has ${names.join(", ")}.`);
      if (!lines.length) throw Error("There is no line below the names of the columns.");
    }
    const curves = new Map();
    const taken = new Set();
    for (const [line, number] of lines) {
      const cells = cellsOf(line, mark);
      while (cells.length > names.length && !cells[cells.length - 1]) cells.pop();
      if (cells.length > names.length) {
        throw Error(`Line ${number} has ${cells.length} values for ${names.length} columns. Write decimals with a point: 0.34`);
      }
      take(Object.fromEntries(names.map((name, k) => [name, cells[k] ?? ""])), number, mark, curves, taken);
    }
    if (curves.size > MOST_LEARNERS) throw Error(`There are ${curves.size} learners, more than ${MOST_LEARNERS}.`);
    return [...curves.values()].map(curveOf);
  }

  function cellsOf(line, mark) {
    const cells = [""];
    let quoted = false;
    for (const letter of line.replace(/\s+%/g, "%")) {
      if (letter === '"') quoted = !quoted;
      else if (!quoted && (mark ? letter === mark : /\s/.test(letter))) cells.push("");
      else cells[cells.length - 1] += letter;
    }
    const found = cells.map((cell) => cell.trim());
    return mark ? found : found.filter((cell) => cell);
  }

  function take(row, line, mark, curves, taken) {
    for (const name of ["learner", "repeat"]) {
      if (row[name] === "") throw Error(`Line ${line} has no ${name}. Give every line one.`);
    }
    const size = numberOf(row.size, line, "size", mark);
    if (!(size >= 1 && size <= MOST_ROWS) || size % 1) throw Error(`Line ${line}: ${row.size} is no number of rows.`);
    const name = row.error === undefined ? "accuracy" : "error";
    const text = row[name];
    if (!text) throw Error(`Line ${line} has no error beside the size ${row.size}.`);
    const share = numberOf(text.replace(/%$/, "").trim(), line, name, mark) / (text.endsWith("%") ? 100 : 1);
    const error = name === "error" ? share : 1 - share;
    if (!(error >= 0 && error <= 1)) {
      throw Error(`Line ${line}: the ${name} ${text} is not between 0 and 1. Errors are shares: write 12 % as 0.12 or 12%.`);
    }
    const learner = row.learner ?? YOURS;
    if (!curves.has(learner)) curves.set(learner, { learner, bySize: new Map(), largest: 0, tested: null });
    const curve = curves.get(learner);
    if (row.repeat !== undefined) {
      const key = JSON.stringify([learner, row.repeat, size]);
      if (taken.has(key)) throw Error(`Line ${line}: the size ${row.size} of repeat ${row.repeat} is there more than once.`);
      taken.add(key);
    }
    if (row.tested) {
      const tested = numberOf(row.tested, line, "tested", mark);
      if (tested < 1) throw Error(`Line ${line}: ${row.tested} is no number of rows tested on.`);
      if (size >= curve.largest) curve.tested = tested;
    } else if (size > curve.largest) curve.tested = null;
    curve.largest = Math.max(curve.largest, size);
    if (!curve.bySize.has(size)) curve.bySize.set(size, []);
    curve.bySize.get(size).push(error);
  }

  function numberOf(text, line, name, mark) {
    const plain = mark === "," ? text : text.replaceAll(",", ".");
    if (!NUMBER.test(plain)) throw Error(`Line ${line}: ${name} is ${text || "empty"}, not a number.`);
    return Number(plain);
  }

  function curveOf({ learner, bySize, tested }) {
    const sizes = [...bySize.keys()].sort((a, b) => a - b);
    const of = learner === YOURS ? "" : ` of ${learner}`;
    if (sizes.length < FEWEST) {
      throw Error(`There ${sizes.length === 1 ? "is 1 size" : `are ${sizes.length} different sizes`}${of}, and a forecast needs ${FEWEST}. `
        + "Train on parts of the data too: half, a quarter, an eighth.");
    }
    if (sizes.length > MOST_SIZES) throw Error(`There are ${sizes.length} different sizes${of}, more than ${MOST_SIZES}.`);
    if (sizes[sizes.length - 1] < LEAST_SPAN * sizes[0]) {
      throw Error(`The sizes${of} do not even double: from so short a stretch nothing is to be seen. Train on half and a quarter of the data too.`);
    }
    const points = sizes.map((size) => ({ size, errors: bySize.get(size), error: sum(bySize.get(size)) / bySize.get(size).length }));
    const last = points[points.length - 1];
    const n = last.errors.length;
    const noise = n < 2 ? 0
      : Math.sqrt(sum(last.errors.map((v) => (v - last.error) ** 2)) / (n - 1) / n);
    return { learner, points, noise, tested };
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
    const { networks, horizons, widen } = window.compactForecaster;
    const ahead = Math.log2(target) - Math.log2(curve.points[curve.points.length - 1].size);
    const k = clip(horizons.filter((doublings) => doublings < ahead).length, 1, horizons.length - 1);
    const way = clip((ahead - horizons[k - 1]) / (horizons[k] - horizons[k - 1]), 0, 1);
    const by = widen[k - 1] + way * (widen[k] - widen[k - 1]);
    const moved = run(networks, look(curve, target)).sort((a, b) => a - b);
    const found = moved.map((v) => clip(level + (moved[3] + by * (v - moved[3])) * (level + 0.02), 0, 1));
    return tested ? withSampling(found, level, tested) : found;
  }

  // Return the sizes at which the 5 %, 50 % and 95 % quantile are first as low as wanted; null where not.
  function needed(curve, wanted, tested = null) {
    const last = curve.points[curve.points.length - 1];
    if (last.error <= wanted) return { early: last.size, expected: last.size, late: last.size };
    const found = { early: null, expected: null, late: null };
    const times = [...Array.from({ length: Math.log2(FARTHEST) * STEPS }, (_, k) => 2 ** ((k + 1) / STEPS)), 1.5, 10];
    for (const size of times.sort((a, b) => a - b).map((one) => one * last.size)) {
      const at = forecast(curve, size, tested);
      for (const [name, column] of [["early", 0], ["expected", 3], ["late", 6]]) {
        if (found[name] === null && at[column] <= wanted) found[name] = size;
      }
    }
    return found;
  }

  // Return the chance that so many times the rows lower the error.
  function chance(curve, times) {
    const last = curve.points[curve.points.length - 1];
    const quantiles = forecast(curve, times * last.size);
    if (last.error <= quantiles[0]) return 0;
    const after = quantiles.findIndex((q) => q >= last.error);
    if (after < 0) return 1;
    const [low, high] = [quantiles[after - 1], quantiles[after]];
    const { levels } = window.compactForecaster;
    return levels[after - 1] + (levels[after] - levels[after - 1]) * (Math.sqrt(last.error) - Math.sqrt(low)) / (Math.sqrt(high) - Math.sqrt(low));
  }

  function inWords(share) {
    return share > 0.95 ? "over 95 %" : share < 0.05 ? "under 5 %" : `${Math.round(100 * share)} %`;
  }

  // Return what comes before any number: that the error rose, or the chance that more rows help.
  function remark(curve) {
    const last = curve.points[curve.points.length - 1];
    const lowest = curve.points.reduce((a, b) => (b.error < a.error ? b : a));
    if (last.error - lowest.error >= Math.max(RISEN, RISEN_SHARE * lowest.error)) {
      return `The error rose: near ${lowest.size} rows it was lowest (${(100 * lowest.error).toFixed(1)} %). See whether these are errors, not accuracies.`;
    }
    return `Twice the rows lower the error with a chance of ${inWords(chance(curve, 2))}, four times with ${inWords(chance(curve, 4))}.`;
  }

  return { read, look, forecast, needed, chance, remark, FARTHEST };
})();
